"""From choices to an order in the journal: built, checked, permitted, recorded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from agent_lab_tui.store.journal.book import Decision, Order
from agent_lab_tui.store.journal.decisions import Kind

from ..questions import Choice, Refused, Value
from ..reading.ledger import done_already, known
from ..reading.threads import Thread
from . import roads
from .checks import as_seen, ask_context, before_sending
from .earlier import Undecided
from .one_step import nodes_of_step
from .ordering import Ordering
from .replies import Reply, reply, reply_with
from .said import demand_text

__all__ = ["Deciding", "Undecided"]


class Deciding(Ordering):
    """What one operator may decide about the threads of one database."""

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
        now = self._as_it_is(thread, is_whole=False)
        replies = self._replies(thread, now, choices or {}, values or {})
        names = [name for one in replies for name in one.operations]
        return self._passed(self._order("answer", now, replies, delay=delay), names, again)

    def warnings(
        self,
        thread: Thread,
        choices: Mapping[str, Sequence[Choice]] | None = None,
        values: Mapping[str, Value] | None = None,
    ) -> tuple[str, ...]:
        """Say what is odd about answers that may be sent all the same, in one sentence each.

        Raises:
            Refused: An answer does not fit.
        """
        replies = self._replies(thread, thread, choices or {}, values or {})
        odd = [odd for one in replies for odd in one.warnings]
        approved = [operation for one in replies for operation in one.approved]
        return tuple(dict.fromkeys((*odd, *done_already(known(self._reader.database, approved)))))

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
            Refused: The thread asks a question, or other nodes of the step would be lost.
            Stale: The thread is not the one that was seen.
        """
        step = nodes_of_step(self._reader.database, thread)
        options = {"as_node": roads.step_over(thread, node, step)}
        return self._road("skip", thread, options=options, delay=delay, again=again)

    def abandon(self, thread: Thread, reason: str, *, again: bool = False) -> Order:
        """Build the order to end a thread where it stands; nothing of it runs any more.

        Raises:
            Refused: Without a reason, or when the thread has ended.
            Stale: The thread is not the one that was seen.
        """
        roads.refuse_abandon(thread, reason)
        return self._road("abandon", thread, note=reason.strip(), again=again)

    def send_again(self, decision: Decision) -> Order:
        """Build the same answer once more, for one that failed or whose end is not known.

        Raises:
            Refused: It stands otherwise, or is no answer.
            Stale: The thread does not ask for it any more.
        """
        settlement = self.settle(decision)
        if "send-again" not in settlement.offers or not decision.order.questions:
            raise Refused(f"It is not to be sent again: {settlement.evidence}.")
        now = self._reader.thread(decision.order.thread_id)
        before_sending(decision, now, self._settings)
        order = replace(decision.order, by=self.operator, os_user=self.os_user, not_before=0.0)
        return self._passed(order, roads.about(now, order.questions), again=True)

    def withdraw(self, decision: Decision, reason: str = "", *, drop: bool = False) -> Decision:
        """Take a decision back that has not started; return it as it stands then.

        Args:
            decision: The decision.
            reason: Kept in the journal.
            drop: Also give up one that failed, or whose end is not known, unless its answer is stored.

        Raises:
            Refused: The reason is no text.
        """
        demand_text(reason)
        self._journal.withdraw(decision.decision_id, self.operator, reason)
        now = self._journal.decision(decision.decision_id) or decision
        if drop and now.is_open:
            settlement = self.settle(now)
            now = settlement.decision
            if "drop" in settlement.offers:
                note = reason or "given up"
                now = self._journal.settle(now.decision_id, "withdrawn", self.operator, note)
        return now

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
            context = ask_context(now, question, self._settings)
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
        now = self._as_it_is(seen, is_whole=True)
        if refuse is not None:
            refuse(now)
        order = replace(self._order(kind, now, delay=delay), **fields)
        return self._passed(order, roads.about(now), again)
