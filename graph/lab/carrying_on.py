"""Carry the lab's tasks on by the desk's road: journal, lease, checks, host."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from agent_lab_tui.store.files import CannotOpen
from agent_lab_tui.store.tables import can_write, is_without_checkpoints

from ..desk import Desk
from ..questions import Choice, Refused
from ..settings import file as settings
from .project import complete_project
from .registry import LabRefused, LabUsage
from .starting import open_saver
from .workspace import Workspace

if TYPE_CHECKING:
    from agent_lab_tui.store.journal.book import Decision, Order

    from ..hosting.events import Outcome
    from ..reading.threads import Thread


@contextmanager
def desk_of(lab: Workspace, operator: str | None = None, os_user: str = "unknown") -> Iterator[Desk]:
    """Open the desk on a folder of the lab, with the settings that lie in it.

    Raises:
        LabUsage: Nothing was ever started in it.
    """
    if not lab.database.is_file():
        raise LabUsage(f"Nothing was started in {lab.root} yet: `agent-lab-tui lab start AGENT ID` does.")
    complete_project(lab)
    try:
        desk = _opened(lab, operator, os_user)
    except CannotOpen:
        if not is_without_checkpoints(lab.database):
            raise
        # The very first task was killed between its row and the first use of the saver.
        with open_saver(lab) as saver:
            saver.setup()
        desk = _opened(lab, operator, os_user)
    with closing(desk):
        yield desk


def _opened(lab: Workspace, operator: str | None, os_user: str) -> Desk:
    loaded = settings.load(lab.root / "agent-lab.toml")
    # Where nobody may write, the lab can still be looked at.
    is_readonly = not can_write(lab.database)
    return Desk.open(
        loaded,
        db=str(lab.database),
        operator=operator or os_user,
        os_user=os_user,
        is_readonly=is_readonly,
    )


def situation_of(desk: Desk, thread_id: str) -> str | None:
    """Return where a thread stands after what can be settled by evidence was settled; None without one."""
    for decision in desk.journal.open(thread_id):
        desk.deciding.settle(decision)
    lines = desk.lines_of([thread_id])
    return str(lines[0].situation) if lines else None


def approve(desk: Desk, thread: Thread) -> tuple[Outcome, ...]:
    """Say yes to everything a thread asks, record it, and carry it out."""
    choices = {question.id: [Choice("approve")] * len(question.operations) for question in thread.questions}
    return _carried_out(desk, desk.decide(thread, choices))


def go_on_order(desk: Desk, thread: Thread, agent: str) -> Order:
    """Return the order to let a task's thread go on; killed early enough, no node tells whose it is.

    A run that broke off needs no second word here: every deed of the lab's agents goes through the ledger,
    which gives its result again or asks a person, and the checks of a resume have looked at it before.
    """
    order = desk.deciding.go_on(thread, again=True)
    return order if order.graph else replace(order, graph=agent)


def go_on(desk: Desk, thread: Thread, agent: str) -> tuple[Outcome, ...]:
    """Let a thread that was stopped or has failed go on, and wait for the end."""
    return _carried_out(desk, desk.record(go_on_order(desk, thread, agent)))


def _carried_out(desk: Desk, decision: Decision) -> tuple[Outcome, ...]:
    """Wait for the end of a decision; one that cannot start is taken back."""
    try:
        return desk.carry_out(decision.order.thread_id).result()
    except Refused:
        desk.withdraw(decision.decision_id)
        raise


def told(outcomes: tuple[Outcome, ...]) -> str:
    """Return in words how a run ended.

    Raises:
        LabRefused: It did not do what it was to do.
    """
    for outcome in outcomes:
        if outcome.state != "applied" or outcome.error:
            why = (outcome.error or outcome.detail or outcome.state).rstrip(".")
            raise LabRefused(f"It was not done: {why}.")
    return "; ".join(outcome.detail for outcome in outcomes if outcome.detail) or "done"
