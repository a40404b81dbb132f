"""From choices to an order in the journal: built, checked, permitted, recorded."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from agent_lab_tui.store.decisions import Kind
from agent_lab_tui.store.journal import Decision, Journal, Order, QuestionTaken
from agent_lab_tui.store.values import encode

from . import roads
from .checks import Stale, as_seen, stands
from .earlier import Undecided, earlier, instead_of
from .permission import refusal
from .questions import Choice, Refused, Value
from .replies import Reply, reply, reply_with
from .settings import Settings
from .settling import Settlement, Settling
from .telling import told

if TYPE_CHECKING:
    from .reading import Reader, Thread

__all__ = ["Deciding", "Undecided"]


class Deciding:
    """What one operator may order about the threads of one database.

    Every order is built from the thread as the operator saw it and held against the thread as it is.
    """

    def __init__(
        self, reader: Reader, journal: Journal, settings: Settings, operator: str, os_user: str
    ) -> None:
        self._reader = reader
        self._journal = journal
        self._settings = settings
        self._settling = Settling(reader, journal, operator)
        self.operator = operator
        self.os_user = os_user

    # Orders

    def prepare(
        self,
        thread: Thread,
        choices: Mapping[str, Sequence[Choice]] | None = None,
        values: Mapping[str, Value] | None = None,
        *,
        delay: float = 0.0,
        again: bool = False,
    ) -> Order:
        """Build the answer to one or more questions; nothing is recorded unless a rule forbids it.

        Args:
            thread: The thread as the operator saw it.
            choices: By question id, one choice for each of its operations.
            values: By question id, the exact value to send instead.
            delay: Seconds in which the decision can be withdrawn before it runs.
            again: The operator knows of an earlier decision about the same and decides anew.

        Raises:
            Refused: The answer does not fit, or a rule does not let this operator decide.
            Stale: A question is not waiting any more, or not the one that was seen.
            Undecided: An earlier decision needs `again`.
            QuestionTaken: Another decision about it is on its way.
        """
        now = self._now(thread)
        replies = self._replies(thread, now, choices or {}, values or {})
        order = self._order("answer", now, replies, delay=delay)
        self._permit(order, [operation.name for one in replies for operation in one.question.operations])
        return self._beside_earlier(order, again)

    def go_on(self, thread: Thread, *, again: bool = False) -> Order:
        """Build the order to continue, or to try again with the stored answer.

        Raises:
            Refused: Nothing is left to do, or a question waits for its answer.
            Stale: The thread is not the one that was seen.
            Undecided: An earlier order of this kind has no known end.
        """
        return self._road("go-on", thread, roads.refuse_go_on, again=again)

    def ask_again(self, thread: Thread, *, again: bool = False) -> Order:
        """Build the order to drop a stored answer, by running the head's step from its start.

        Raises:
            Refused: No answer is stored.
            Stale: The thread is not the one that was seen.
        """
        return self._road("ask-again", thread, roads.refuse_ask_again, again=again)

    def skip(
        self, thread: Thread, node: str | None = None, *, delay: float = 0.0, again: bool = False
    ) -> Order:
        """Build the order to step over a node at a breakpoint: what comes after it runs as if it had.

        Raises:
            Refused: The thread asks a question, or it is not plain which node is meant.
            Stale: The thread is not the one that was seen.
        """
        options = {"as_node": roads.step_over(thread, node)}
        return self._road("skip", thread, options=options, delay=delay, again=again)

    def abandon(self, thread: Thread, reason: str, *, again: bool = False) -> Order:
        """Build the order to end a thread where it stands; nothing of it runs any more.

        Raises:
            Refused: Without a reason, or when the thread has ended.
            Stale: The thread is not the one that was seen.
        """
        roads.refuse_abandon(thread, reason)
        return self._road("abandon", thread, note=reason.strip(), again=again)

    def record(self, order: Order) -> Decision:
        """Write an order into the journal, durably; nothing runs yet.

        Raises:
            QuestionTaken: Somebody was faster.
            JournalError: The journal cannot be written.
        """
        try:
            return self._journal.record(order, instead_of=order.options.get("instead_of", ()))
        except QuestionTaken as taken:
            raise QuestionTaken(taken.decision, f"{told(taken.decision)}.") from None

    # What was decided before

    def settle(self, decision: Decision) -> Settlement:
        """Find out what became of a decision without outcome, note it, and say what can be done."""
        return self._settling.settle(decision)

    def unsettled(self, thread_id: str | None = None) -> tuple[Settlement, ...]:
        """Settle every decision without outcome; return those that a person has to look at, oldest first."""
        return self._settling.settle_all(thread_id)

    def earlier(self, order: Order) -> tuple[Undecided, ...]:
        """Return what earlier decisions about the same did, each in a sentence; it needs `again`.

        Raises:
            QuestionTaken: One of them is on its way.
        """
        return earlier(order, self._journal, self._settling)

    # Building

    def _now(self, thread: Thread) -> Thread:
        if self._journal.is_readonly:
            raise Refused("The desk is read-only: start it without --readonly to decide.")
        if not thread.is_head:
            raise Refused("This is the past of the thread: only what its head asks can be decided.")
        return self._reader.thread(thread.thread_id)

    def _replies(
        self,
        seen: Thread,
        now: Thread,
        choices: Mapping[str, Sequence[Choice]],
        values: Mapping[str, Value],
    ) -> tuple[Reply, ...]:
        wanted = tuple(dict.fromkeys((*choices, *values)))
        if not wanted:
            raise Refused("Nothing is decided: choose for at least one question.")
        replies = []
        for question_id in wanted:
            question = as_seen(seen, now, question_id, wanted)
            context = self._reader.context(now, question)
            if question_id in values:
                replies.append(reply_with(question, values[question_id], context))
            else:
                replies.append(reply(question, choices[question_id], context))
        return tuple(replies)

    def _road(
        self,
        kind: Kind,
        seen: Thread,
        refuse: Callable[[Thread], None] | None = None,
        *,
        delay: float = 0.0,
        again: bool = False,
        **fields: Any,
    ) -> Order:
        now = self._now(seen)
        if now.digest != seen.digest:
            raise Stale(f"The thread has moved on since it was shown: {stands(now)}.")
        if refuse is not None:
            refuse(now)
        order = replace(self._order(kind, now, delay=delay), **fields)
        self._permit(order, roads.about(now))
        return self._beside_earlier(order, again)

    def _beside_earlier(self, order: Order, again: bool) -> Order:
        """Let an order pass if nothing was decided before, or if the operator knows of it."""
        found = self.earlier(order)
        if found and not again:
            raise found[0]
        return instead_of(order, found)

    def _permit(self, order: Order, operations: Sequence[str]) -> None:
        """Refuse, and write down, what a rule keeps for other people."""
        why = refusal(operations, self._settings, self.operator, self.os_user)
        if why is not None:
            self._journal.refuse(order, why)
            raise Refused(why)

    def _order(self, kind: Kind, thread: Thread, replies: Sequence[Reply] = (), *, delay: float) -> Order:
        return Order(
            kind=kind,
            thread_id=thread.thread_id,
            checkpoint_id=thread.checkpoint_id,
            digest=thread.digest,
            questions=tuple(one.question.id for one in replies),
            digests={one.question.id: one.question.digest for one in replies},
            choices={one.question.id: one.said() for one in replies},
            answers={one.question.id: encode(one.answer) for one in replies},
            by=self.operator,
            os_user=self.os_user,
            graph=thread.graph,
            note="\n".join(filter(None, (one.note() for one in replies))),
            not_before=time.time() + delay if delay > 0 else 0.0,
        )
