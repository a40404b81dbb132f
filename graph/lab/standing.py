"""How a task stands when its records, its thread, its effects and its files are read together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from agent_lab_tui.store.checkpoints import rows as checkpoints
from agent_lab_tui.store.effects import Effect
from agent_lab_tui.store.files import CannotOpen
from agent_lab_tui.store.lab.presence import has_lab

from ..desk import Desk
from ..reading.threads import NotFound, Thread
from .finding import findings_of
from .looking import look
from .project import is_project
from .registry import Agent, Check, Finding, Status, agents
from .workspace import Workspace

INPUTS = 1000
"""Checkpoints that are looked at for a second beginning."""


@dataclass(frozen=True, slots=True)
class Head:
    """What the newest checkpoint of a task's thread says."""

    checkpoint_id: str
    step: int | None
    next: tuple[str, ...]
    asks: tuple[str, ...]
    """The operations that it asks about; raw foreign text."""
    error: str | None


@dataclass(frozen=True, slots=True)
class File:
    """One file of a task."""

    name: str
    """Relative to the lab's folder."""
    size: int | None
    """Bytes; None when its records count on it, and it is not there."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The truths of a task side by side, and whether they agree: row, steps, checkpoint, effects, files."""

    status: Status
    situation: str | None
    """Where its thread stands; None when the database has no such thread."""
    checks: tuple[Check, ...]
    """The proofs of completion, the thread's among them."""
    findings: tuple[Finding, ...]
    head: Head | None = None
    files: tuple[File, ...] = ()
    not_done: tuple[tuple[str, str], ...] = ()
    """Key and operation of what its request asks about and the ledger does not know yet."""

    @property
    def is_waiting(self) -> bool:
        """Whether the task merely waits for an answer, and nothing is wrong with it."""
        return self.situation == "waiting" and not self.findings

    @property
    def is_accepted(self) -> bool:
        """Whether every proof holds and nothing disagrees; none stands in for another."""
        return all(check.is_ok for check in self.checks) and not self.findings


def standing_of(lab: Workspace, desk: Desk, agent: Agent, task_id: str) -> Standing:
    """Read a task's records, its thread and its files; nothing is written down."""
    status = agent.status(lab, task_id)
    seen, thread = look(desk, status.thread_id), _thread(desk, status.thread_id)
    return Standing(
        status=status,
        situation=seen.situation,
        checks=(_thread_check(desk, status.thread_id, seen.situation), *status.checks),
        findings=findings_of(lab, agent, status, seen),
        head=_head(thread) if thread else None,
        files=tuple(_files(lab, status)),
        not_done=tuple(_not_done(status, thread)) if thread else (),
    )


def standing_on(desk: Desk, thread_id: str) -> Standing | None:
    """Read the task that a thread belongs to; None where it is no thread of a lab."""
    found = task_on(desk, thread_id)
    return standing_of(found[0], desk, found[1], found[2]) if found is not None else None


def task_on(desk: Desk, thread_id: str) -> tuple[Workspace, Agent, str] | None:
    """Return lab, agent and id of the task that a thread belongs to; None where it is no thread of a lab."""
    lab = lab_of(desk)
    for agent in agents() if lab is not None else ():
        if lab is not None and (task_id := agent.task_on(lab, thread_id)) is not None:
            return lab, agent, task_id
    return None


def ledger_on(desk: Desk, thread: Thread) -> dict[str, Effect | None]:
    """Return what the ledger knows under each key that a thread's requests name.

    None stands for what is not done yet: only of the lab is it known that this ledger is the one it keeps;
    what another agent has not in it may be in one of its own, and is left out.
    """
    keys = [one.key for question in thread.questions for one in question.operations if one.key is not None]
    found = {key: thread.ledger.get(key) for key in keys}
    if all(found.values()) or _is_of_a_lab(desk, thread.thread_id):
        return found
    return {key: effect for key, effect in found.items() if effect is not None}


def _is_of_a_lab(desk: Desk, thread_id: str) -> bool:
    try:
        return task_on(desk, thread_id) is not None
    except CannotOpen:
        return False  # a damaged lab hides no request; its own page says what is wrong with it


def lab_of(desk: Desk) -> Workspace | None:
    """Return the lab whose database the desk is open on; None where it belongs to none."""
    lab = Workspace(desk.database.path.parent.parent)
    is_own = lab.database == desk.database.path and (has_lab(desk.database) or is_project(lab))
    return lab if is_own else None


def _thread(desk: Desk, thread_id: str) -> Thread | None:
    try:
        return desk.thread(thread_id)
    except NotFound:
        return None


def _head(thread: Thread) -> Head:
    asks = tuple(operation.name for one in thread.questions for operation in one.operations)
    step = thread.metadata.get("step")
    return Head(
        thread.checkpoint_id, step if isinstance(step, int) else None, thread.next, asks, thread.error
    )


def _files(lab: Workspace, status: Status) -> Iterator[File]:
    for name in sorted({*status.files, *status.expected}):
        path = lab.root / name
        yield File(name, path.stat().st_size if path.is_file() else None)


def _not_done(status: Status, thread: Thread) -> Iterator[tuple[str, str]]:
    known = {effect["key"] for effect in status.effects}
    for question in thread.questions:
        for operation in question.operations:
            if operation.key is not None and operation.key not in known:
                yield operation.key, operation.name


def _thread_check(desk: Desk, thread_id: str, situation: str | None) -> Check:
    """Return the proof that the same thread was carried on, and not begun a second time."""
    name = "same thread carried on to its end"
    if situation is None:
        return Check(name, False, f"the database has no thread {thread_id}")
    with desk.database.reading() as connection:
        rows = checkpoints.history(connection, thread_id, INPUTS)
    begun = sum(row.source == "input" for row in rows)
    seen = f"thread {thread_id} is {situation}, {len(rows)} checkpoints, begun {begun} times"
    return Check(name, situation == "done" and begun == 1, seen.replace("1 times", "once"))
