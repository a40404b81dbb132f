"""How a task stands when its records and its thread are read together."""

from __future__ import annotations

from dataclasses import dataclass

from agent_lab_tui.store.checkpoints import rows as checkpoints

from ..desk import Desk
from .carrying_on import situation_of
from .reconcile import findings_of
from .registry import Agent, Check, Finding, Status
from .workspace import Workspace

INPUTS = 1000
"""Checkpoints that are looked at for a second beginning."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The four truths of a task: row and steps, checkpoint, effects, files; and whether they agree."""

    status: Status
    situation: str | None
    """Where its thread stands; None when the database has no such thread."""
    checks: tuple[Check, ...]
    """The proofs of completion, the thread's among them."""
    findings: tuple[Finding, ...]

    @property
    def is_waiting(self) -> bool:
        """Whether the task merely waits for an answer, and nothing is wrong with it."""
        return self.situation == "waiting" and not self.findings

    @property
    def is_accepted(self) -> bool:
        """Whether every proof holds and nothing disagrees; none stands in for another."""
        return all(check.is_ok for check in self.checks) and not self.findings


def standing_of(lab: Workspace, desk: Desk, agent: Agent, task_id: str) -> Standing:
    """Read a task's records, its thread and its files."""
    status = agent.status(lab, task_id)
    situation = situation_of(desk, status.thread_id)
    checks = (_thread_check(desk, status.thread_id, situation), *status.checks)
    return Standing(status, situation, checks, findings_of(lab, desk, agent, task_id))


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
