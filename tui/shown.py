"""The request on the screen: what is shown is what is decided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from .drafts import Drafts, Item, items_of
from .paper.request import Sends

if TYPE_CHECKING:
    from agent_lab_tui.graph.questions import Question
    from agent_lab_tui.graph.reading.reader import Thread


@dataclass(frozen=True, slots=True)
class Shown:
    """One thread as it was read, and which of its operations is in front."""

    thread: Thread
    items: tuple[Item, ...] = ()
    index: int = 0
    sends: Mapping[str, Sends] = field(default_factory=dict)
    notice: str = ""
    """What the operator must know of how it came here: that it took the place of another request."""

    @classmethod
    def of(cls, thread: Thread, sends: Mapping[str, Sends], index: int = 0, notice: str = "") -> Shown:
        """Show a thread, its operation `index` in front."""
        items = items_of(thread)
        return cls(thread, items, max(0, min(index, len(items) - 1)), sends, notice)

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


def renewed(shown: Shown, thread: Thread, sends: Mapping[str, Sends]) -> Shown:
    """Show a thread again that was read again; where its question was replaced, say so."""
    fresh = Shown.of(thread, sends, shown.index, shown.notice)
    was_open = shown.item is not None and shown.is_open(shown.item.question)
    if fresh.is_same_request(shown) or not was_open:
        return fresh
    same = [index for index, item in enumerate(fresh.items) if shown.item and item.key == shown.item.key]
    if same:
        return fresh.at(same[0])
    notice = (
        "The question you were looking at is no longer waiting; this is a different one."
        if fresh.open_items
        else "The question you were looking at is no longer waiting."
    )
    return replace(fresh, notice=notice)
