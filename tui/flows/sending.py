"""Bring decisions into the journal and have them carried out, away from the screen."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.dom import DOMNode

from agent_lab_tui.graph.deciding.checks import Stale
from agent_lab_tui.graph.deciding.earlier import Undecided
from agent_lab_tui.graph.deciding.telling import told
from agent_lab_tui.graph.questions import Risk
from agent_lab_tui.store.journal.book import Decision, JournalError, QuestionTaken

from ..drafts import Drafts, Item
from ..news import DecidedBefore, Failed, NotRecorded, Recorded, Unsent, Withdrawn
from .boundary import said

if TYPE_CHECKING:
    from agent_lab_tui.graph.desk import Desk

    from ..shown import Shown

WITHDRAWAL = 5.0
"""Seconds for which a risky yes waits, so that it can be withdrawn."""
Order = Callable[[bool], Decision]
"""Records one decision; told whether the operator knows of an earlier one about the same and decides anew."""


class Sending:
    """Records decisions one after another, and starts what they order."""

    def __init__(self, node: DOMNode, desk: Desk) -> None:
        self._node = node
        self._desk = desk

    def send(
        self, thread_id: str, order: Order, items: tuple[Item, ...] = (), *, is_again: bool = False
    ) -> None:
        """Record a decision and carry it out; the outcome comes by the desk's events."""
        self._node.run_worker(
            partial(self._send, thread_id, order, items, is_again), thread=True, group="send"
        )

    def _send(self, thread_id: str, order: Order, items: tuple[Item, ...], is_again: bool) -> None:
        try:
            decision = order(is_again)
        except Undecided as earlier:
            sentence = str(earlier).partition(" To decide anew")[0]
            self._node.post_message(DecidedBefore(thread_id, sentence, order, items))
        except QuestionTaken as taken:
            self._node.post_message(NotRecorded(thread_id, f"{told(taken.decision)}.", True, items))
        except Stale as stale:
            self._node.post_message(NotRecorded(thread_id, str(stale), True, items))
        except Exception as error:  # noqa: BLE001 - the boundary: what nobody foresaw is raised again
            self._node.post_message(NotRecorded(thread_id, said(error, self._desk), False, items))
        else:
            self._node.post_message(Recorded(decision, items))
            self._carry_out(decision)

    def _carry_out(self, decision: Decision) -> None:
        try:
            run = self._desk.carry_out(decision.order.thread_id)
        except Exception as error:  # noqa: BLE001 - the boundary: what nobody foresaw is raised again
            self._node.post_message(Unsent(decision, said(error, self._desk)))
        else:
            run.add_done_callback(partial(self._ended, decision))

    def _ended(self, decision: Decision, run: Future[Any]) -> None:
        """Tell why a recorded decision could not be run at all; outcomes come as events."""
        if not run.cancelled() and (error := run.exception()) is not None:
            self._node.post_message(Unsent(self._as_it_stands(decision), str(error)))

    def _as_it_stands(self, decision: Decision) -> Decision:
        try:
            return self._desk.journal.decision(decision.decision_id) or decision
        except JournalError:
            return decision  # what the receipt has heard of its run tells, too

    def withdraw(self, decision: Decision) -> None:
        """Take a decision back, if it has not started."""
        self._node.run_worker(partial(self._withdraw, decision), thread=True, group="send")

    def _withdraw(self, decision: Decision) -> None:
        try:
            is_taken_back = self._desk.withdraw(decision.decision_id)
        except Exception as error:  # noqa: BLE001 - the boundary: what nobody foresaw is raised again
            self._node.post_message(Failed(f"Nothing was withdrawn: {said(error, self._desk)}"))
        else:
            self._node.post_message(Withdrawn(decision, is_taken_back))


def order_of(desk: Desk, shown: Shown, drafts: Drafts) -> tuple[Order, tuple[Item, ...]]:
    """Return what records the decided questions of a thread, and the operations it speaks of."""
    questions = [question for question in shown.open_questions() if drafts.is_decided(question)]
    choices, values = drafts.to_send(questions)
    items = tuple(
        Item(question, index) for question in questions for index in range(len(question.operations))
    )
    lets_run = [item for item in items if drafts.chosen(item) in ("approve", "edit", "value")]
    is_risky = any(item.operation.risk.rank >= Risk.HIGH.rank for item in lets_run)
    delay = WITHDRAWAL if is_risky else 0.0

    def order(is_again: bool) -> Decision:
        made = desk.deciding.prepare(shown.thread, choices, values, delay=delay, again=is_again)
        return desk.record(made)

    return order, items
