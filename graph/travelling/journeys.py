"""Time travel: forks, replays with a preview, and the questions that were left behind."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from agent_lab_tui.store.effects import Effect, Effects
from agent_lab_tui.store.journal.book import Order
from agent_lab_tui.store.values import to_json

from ..deciding.left_behind import LeftBehind
from ..hosting.events import HostError
from ..hosting.facts import GraphFacts
from ..questions import Refused
from ..reading.messages import all_calls
from . import places
from .comparing import Comparison, compare, with_effects
from .past import PAGE
from .placing import placed
from .preview import ReplayPreview, belonging, replay_preview
from .recorded import missing_parents, recorded
from .timeline import Timeline
from .words import short_texts

if TYPE_CHECKING:
    from ..reading.reader import Thread


class Travelling(LeftBehind):
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
            SeveralCheckpoints: More than one is.
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

    def compare(self, thread_id: str, one: str, other: str | None = None) -> Comparison:
        """Compare two checkpoints of a thread, or one with its parent.

        Raises:
            NotFound: One of them is not there, or the only one has no parent.
        """
        return with_effects(compare(self.past, thread_id, one, other), self.effects_of(thread_id))

    # Replaying

    def preview_replay(self, thread_id: str, checkpoint_id: str) -> ReplayPreview:
        """Tell what a replay would run, ask and do again; nothing is written.

        Raises:
            NotFound: There is no such checkpoint.
        """
        opened = self.past.opened(thread_id, checkpoint_id)
        tree = self.tree(thread_id)
        way = self.past.some(thread_id, [one.checkpoint_id for one in tree.below(checkpoint_id)])
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
            calls=all_calls(opened.values.get("messages") if isinstance(opened.values, dict) else None),
            is_behind_answer=places.is_behind_answer(self.past, tree, checkpoint_id),
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
