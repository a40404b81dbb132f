"""Questions that a thread has moved on without: found, and closed with a reason."""

from __future__ import annotations

from dataclasses import replace

from agent_lab_tui.store.journal.book import Decision, Order

from ..questions import Refused
from ..travelling.forks import Forks
from ..travelling.timeline import Checkpoint
from .checks import Stale
from .said import is_said

CLOSE = "close"
"""The option of an `abandon` that ends a question which was left behind, not the thread."""


class LeftBehind(Forks):
    """What one operator may do about questions that wait, but not on the head of their thread."""

    def lost(self, thread_id: str) -> tuple[Checkpoint, ...]:
        """Return the checkpoints whose questions wait though the thread has moved on, newest first.

        Those that were closed with a reason are left out.
        """
        asked = [stem.checkpoint_id for stem in self.past.stems(thread_id) if stem.has_asked]
        closed = {
            decision.order.checkpoint_id
            for decision in self._journal.of_thread(thread_id)
            if decision.order.options.get(CLOSE) and decision.state == "applied"
        }
        waiting = [one for one in self.past.some(thread_id, asked) if one.waits and not one.is_head]
        return self.past.asked(
            thread_id, [one.checkpoint_id for one in waiting if one.checkpoint_id not in closed]
        )

    def close(self, thread_id: str, checkpoint_id: str, reason: str) -> Decision:
        """Note that a question which was left behind will not be answered; the thread itself is not touched.

        Raises:
            Refused: Without a reason, or when the thread's head asks it.
            Stale: Nothing waits there.
        """
        if not is_said(reason):
            raise Refused("Closing a question needs a reason: it is kept in the journal.")
        found = next((one for one in self.lost(thread_id) if one.checkpoint_id == checkpoint_id), None)
        if found is None:
            raise Stale(
                f"No question was left behind at {checkpoint_id}: the head's own are decided, not closed."
            )
        now = self._as_it_is(self._reader.thread(thread_id), is_whole=True)
        order = replace(
            self._order("abandon", now),
            checkpoint_id=checkpoint_id,
            note=reason.strip(),
            options={CLOSE: [question.id for question in found.questions or () if not question.is_answered]},
        )
        return self._note(order, "closed; the thread was not touched")

    def _note(self, order: Order, detail: str) -> Decision:
        """Write down an order that is carried out by being written down."""
        leases = self._journal.leases
        token = leases.take(order.thread_id)
        if token is None:
            raise Stale("The thread is running: wait for its end, then try again.")
        try:
            decision = self.record(order)
            self._journal.start([decision.decision_id], token)
            self._journal.end([decision.decision_id], "applied", token, detail)
        finally:
            leases.release(order.thread_id, token)
        return self._journal.decision(decision.decision_id) or decision
