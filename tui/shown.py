"""The request on the screen: what is shown is what is decided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from .drafts import Drafts, Item, items_of
from .paper.request import Sends

if TYPE_CHECKING:
    from agent_lab_tui.graph.questions import Question
    from agent_lab_tui.graph.reading import Thread


@dataclass(frozen=True, slots=True)
class Shown:
    """One thread as it was read, and which of its operations is in front."""

    thread: Thread
    items: tuple[Item, ...] = ()
    index: int = 0
    sends: Mapping[str, Sends] = field(default_factory=dict)

    @classmethod
    def of(cls, thread: Thread, sends: Mapping[str, Sends], index: int = 0) -> Shown:
        """Show a thread, its operation `index` in front."""
        items = items_of(thread)
        return cls(thread, items, max(0, min(index, len(items) - 1)), sends)

    @property
    def item(self) -> Item | None:
        """The operation in front; None where the thread asks nothing."""
        return self.items[self.index] if self.items else None

    @property
    def open_items(self) -> tuple[Item, ...]:
        """The operations that can be decided now."""
        return tuple(item for item in self.items if self.is_open(item.question))

    def is_open(self, question: Question) -> bool:
        """Whether a question waits for a decision: nobody claims it and no answer is stored."""
        decision = self.thread.decision
        claimed = decision is not None and question.id in decision.order.questions
        return not claimed and not question.has_stored_answer

    def open_questions(self) -> tuple[Question, ...]:
        """The questions that can be decided now, each once."""
        return tuple(question for question in self.thread.questions if self.is_open(question))

    def at(self, index: int) -> Shown:
        """Show another operation in front."""
        return replace(self, index=max(0, min(index, len(self.items) - 1)))

    def first_undecided(self, drafts: Drafts) -> int | None:
        """Return the index of the next operation without a choice, looking from the one in front."""
        index: int
        for index in (*range(self.index, len(self.items)), *range(self.index)):
            item = self.items[index]
            if self.is_open(item.question) and drafts.chosen(item) is None:
                return index
        return None

    def is_same_request(self, other: Shown) -> bool:
        """Whether the operator would decide the same thing on both."""
        mine, others = self.item, other.item
        if self.thread.thread_id != other.thread.thread_id:
            return False
        if mine is None or others is None:
            return mine is others and bool(self.thread.digest == other.thread.digest)
        return mine.key == others.key
