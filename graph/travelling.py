"""Time travel: forks, replays with a preview, and the questions that were left behind."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from agent_lab_tui.store.effects import Effect, Effects
from agent_lab_tui.store.journal import Decision, Order
from agent_lab_tui.store.values import to_json

from . import places
from .checks import Stale
from .events import HostError
from .facts import GraphFacts
from .forks import Forks
from .past import PAGE
from .placing import placed
from .preview import ReplayPreview, belonging, replay_preview
from .questions import Refused
from .recorded import missing_parents, recorded
from .timeline import Checkpoint, Timeline
from .words import short_texts

if TYPE_CHECKING:
    from .reading import Thread

CLOSE = "close"
"""The option of an `abandon` that ends a question which was left behind, not the thread."""


class Travelling(Forks):
    """Time travel of one operator over the threads of one database.

    A plan or a preview writes nothing; the order made of it is a decision like any other.
    """

    # Looking

    def timeline(self, thread_id: str, limit: int = PAGE, before: str | None = None) -> Timeline:
        """Return a page of a thread's past with next nodes and questions, newest first.

        Where the thread's graph is loaded it is what `get_state_history` says, else what the rows say.

        Raises:
            NotFound: There is no such thread.
        """
        facts = self._facts_of(self._reader.thread(thread_id).graph)
        found = self._recorded(facts, thread_id, limit, before) if facts else None
        return self._with_effects(found or self.past.page(thread_id, limit, before, is_exact=True))

    def page(self, thread_id: str, limit: int = PAGE, before: str | None = None) -> Timeline:
        """Return a page from the rows alone, without next nodes and questions: at once, whatever the states.

        Raises:
            NotFound: There is no such thread.
        """
        return self._with_effects(self.past.page(thread_id, limit, before))

    def _with_effects(self, page: Timeline) -> Timeline:
        return replace(page, checkpoints=placed(page.checkpoints, self.effects_of(page.thread_id)))

    def _recorded(self, facts: GraphFacts, thread_id: str, limit: int, before: str | None) -> Timeline | None:
        """Ask the graph itself for a page; None when its host does not answer, for then the rows must do."""
        host = self._host_for(facts.name)
        try:
            page = host.history(facts.name, thread_id, limit + 1, before, has_values=False)
            parents = [host.state(facts.name, thread_id, one) for one in missing_parents(page[:limit])]
        except HostError:
            return None
        checkpoints = recorded(
            page[:limit],
            parents,
            self.past.head(thread_id),
            lambda own, parent: self.past.rewritten(thread_id, own, parent),
            facts.channels,
        )
        found = self.past.with_decisions(thread_id, checkpoints)
        return Timeline(thread_id, found, is_complete=len(page) <= limit)

    def tree(self, thread_id: str) -> Timeline:
        """Return every checkpoint of a thread as nothing but a place, a step and a time.

        Raises:
            NoSuchThread: There is no such thread.
        """
        return places.tree(self.past, thread_id)

    def find(self, thread_id: str, word: str) -> str:
        """Return the id of the checkpoint that a word names: an id or its beginning, a step, head, question.

        Raises:
            NotFound: No checkpoint is meant by it.
        """
        return places.find(self.past, thread_id, word)

    def seek(self, thread_id: str, word: str, after: str | None = None) -> str:
        """Return the checkpoint that a word means, or the next older one that it means too.

        Args:
            word: What `find` takes, or `lost`, or the beginning of a state key that was written.
            after: The checkpoint from which on to look; after the oldest come the newest again.

        Raises:
            NotFound: No checkpoint is meant.
        """
        lost = [one.checkpoint_id for one in self.lost(thread_id)] if word == "lost" else ()
        return places.seek(self.past, thread_id, word, after, lost)

    # Replaying

    def preview_replay(self, thread_id: str, checkpoint_id: str) -> ReplayPreview:
        """Tell what a replay would run, ask and do again; nothing is written.

        Raises:
            NotFound: There is no such checkpoint.
        """
        opened = self.past.opened(thread_id, checkpoint_id)
        way = self.past.some(
            thread_id, [one.checkpoint_id for one in self.tree(thread_id).below(checkpoint_id)]
        )
        asking = [one.checkpoint_id for one in way if one.asks]
        whole = {
            one.checkpoint_id: one
            for one in self.past.asked(thread_id, asking + [one.checkpoint_id for one in way[-1:]])
        }
        answers = self.past.answers(thread_id, [checkpoint_id, *asking])
        return replay_preview(
            thread_id,
            opened.checkpoint,
            [whole.get(one.checkpoint_id, one) for one in way],
            answers,
            self.effects_of(thread_id),
            str(to_json(opened.values)),
        )

    def replay(
        self, thread: Thread, shown: ReplayPreview, *, is_one_step: bool = False, again: bool = False
    ) -> Order:
        """Build the order to run a thread again from a checkpoint.

        Args:
            thread: The thread as it was seen when the replay was previewed.
            shown: The preview.
            is_one_step: Stop after the first step.
            again: The operator knows of an earlier decision about the same.

        Raises:
            Refused: Nothing would run.
            Stale: The thread has moved on since.
            QuestionTaken: Another order is on its way.
        """
        now = self._as_it_is(thread, is_whole=True)
        if shown.is_empty:
            raise Refused("Nothing runs after this checkpoint: a replay would only add an empty one.")
        order = replace(
            self._order("replay", now),
            checkpoint_id=shown.checkpoint.checkpoint_id,
            options={"one_step": is_one_step},
        )
        return self._passed(order, (), again)

    def effects_of(self, thread_id: str) -> tuple[Effect, ...]:
        """Return what the effects ledger beside the database knows of a thread."""
        ledger = Effects(self._reader.database.journal_path, is_readonly=True)
        found = ledger.all()
        if not found:
            return ()
        thread = self._reader.thread(thread_id)
        keys = {operation.key for question in thread.questions for operation in question.operations}
        words = {*short_texts(to_json(thread.values)), *filter(None, keys)}
        return belonging(found, thread_id, words)

    # Questions that were left behind

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
        if not reason.strip():
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
