"""What every order goes through: the thread as it is, the rules, what was decided before, the journal."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from agent_lab_tui.store.journal.book import Decision, Journal, Order, QuestionTaken
from agent_lab_tui.store.journal.decisions import Kind

from ..questions import Refused
from ..reading.threads import Thread
from ..settings.file import Settings
from .checks import Stale, ended, stands, still_waiting
from .earlier import Undecided, begun_before, earlier, instead_of
from .permission import refusal
from .readable import demand_readable
from .replies import Reply
from .said import as_kept, demand_text
from .settling import Settlement, Settling
from .telling import told

if TYPE_CHECKING:
    from ..reading.reader import Reader


class Ordering:
    """One operator's hand on the journal of one database.

    Every order is built from the thread as the operator saw it and held against the thread as it is.
    """

    def __init__(
        self, reader: Reader, journal: Journal, settings: Settings, operator: str, os_user: str
    ) -> None:
        self._reader = reader.unmarked()
        self._journal = journal
        self._settings = settings
        self._settling = Settling(self._reader, journal, operator)
        self.operator = operator
        self.os_user = os_user

    @property
    def reader(self) -> Reader:
        """What reads threads by their rows alone, without the marks of this journal."""
        return self._reader

    def record(self, order: Order) -> Decision:
        """Write an order into the journal, durably; nothing runs yet.

        Raises:
            QuestionTaken: Somebody was faster.
            JournalError: The journal cannot be written.
            Refused: It holds what is no text.
        """
        _demand_text(order)
        try:
            return self._journal.record(
                order,
                instead_of=order.options.get("instead_of", ()),
                knowing=order.options.get("knowing", ()),
            )
        except QuestionTaken as taken:
            raise QuestionTaken(taken.decision, f"{told(taken.decision)}.") from None

    def settle(self, decision: Decision) -> Settlement:
        """Find out what became of a decision without outcome, note it, and say what can be done."""
        return self._settling.settle(decision)

    def unsettled(self, thread_id: str | None = None) -> tuple[Settlement, ...]:
        """Settle every decision without outcome; return those that a person has to look at, oldest first."""
        return self._settling.settle_all(thread_id)

    def earlier(self, order: Order) -> tuple[Undecided, ...]:
        """Return what earlier decisions about the same did, each in a sentence.

        Raises:
            QuestionTaken: One of them is on its way.
        """
        return earlier(order, self._journal, self._settling)

    def _as_it_is(self, seen: Thread, *, is_whole: bool) -> Thread:
        """Return the thread read anew; all of it, or only the questions answered, must be as it was seen."""
        if self._journal.is_readonly:
            raise Refused("The desk is read-only: start it without --readonly to decide.")
        if not seen.is_head:
            raise Refused("This is the past of the thread: only what its head asks can be decided.")
        demand_readable(self._reader.database, seen.thread_id)
        now = self._reader.thread(seen.thread_id)
        if is_whole and now.digest != seen.digest:
            raise Stale(ended(f"The thread has moved on since it was shown: {stands(now)}"))
        return now

    def _order(
        self, kind: Kind, thread: Thread, replies: Sequence[Reply] = (), *, delay: float = 0.0
    ) -> Order:
        return Order(
            kind=kind,
            thread_id=thread.thread_id,
            checkpoint_id=thread.checkpoint_id,
            digest=thread.digest,
            questions=tuple(one.question.id for one in replies),
            digests={one.question.id: one.question.digest for one in replies},
            choices={one.question.id: one.said() for one in replies},
            answers={one.question.id: as_kept(one.answer) for one in replies},
            by=self.operator,
            os_user=self.os_user,
            graph=thread.graph,
            note="\n".join(filter(None, (one.note() for one in replies))),
            not_before=time.time() + delay if delay > 0 else 0.0,
        )

    def _passed(self, order: Order, operations: Sequence[str], again: bool) -> Order:
        """Let an order pass the rules, and what was decided before unless the operator knows of it.

        What a rule keeps for other people is refused and written down.
        """
        _demand_text(order)
        why = refusal(operations, self._settings, self.operator, self.os_user)
        if why is not None:
            self._journal.refuse(order, why)
            raise Refused(why)
        found = (*self.earlier(order), *self._begun_before(order))
        if found:
            # One of them may have ended since the thread was read.
            now = self._reader.thread(order.thread_id)
            for question_id in order.questions:
                still_waiting(now, question_id, order.questions)
        if found and not again:
            raise found[0]
        return instead_of(order, found)

    def _begun_before(self, order: Order) -> tuple[Undecided, ...]:
        """Return the decision whose run broke off where the thread stands, if this order goes on there."""
        if order.kind not in ("answer", "go-on", "ask-again") or order.options.get("into"):
            return ()
        self._settling.settle_all(order.thread_id)
        thread = self._reader.thread(order.thread_id)
        return begun_before(thread, self._journal, self._reader.database)


def _demand_text(order: Order) -> None:
    demand_text(order.by, order.os_user, order.note, order.choices, order.options)
