"""The threads as last read: sorted, counted and filtered; immutable, so a worker can make the next."""

from __future__ import annotations

from bisect import insort
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

from agent_lab_tui.graph.reading.labels import Label
from agent_lab_tui.graph.reading.situation import Situation

if TYPE_CHECKING:
    from agent_lab_tui.graph.reading.reader import ThreadLine
    from agent_lab_tui.store.checkpoints.labels import Labels

_RANKS = {
    Situation.WAITING: 1,
    Situation.STUCK: 2,
    Situation.FAILED: 2,
    Situation.DECIDED: 3,
    Situation.RUNNING: 3,
    Situation.STOPPED: 4,
}
_LAST = 5
NO_LABELS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Filter:
    """What the operator wants to see."""

    words: tuple[str, ...] = ()
    """Casefolded; all of them must occur in the thread's id or in what it asks, or be one of its labels."""
    situations: frozenset[Situation] = frozenset()
    """Empty for all."""

    @classmethod
    def parse(cls, text: str) -> Filter:
        """Read what was typed: words, and `:waiting` or a beginning of it for a situation."""
        words, situations = [], set()
        for word in text.casefold().split():
            meant = (
                {s for s in Situation if word.startswith(":") and s.startswith(word[1:])}
                if word != ":"
                else set()
            )
            if meant:
                situations |= meant
            elif word != ":":
                words.append(word)
        return cls(tuple(words), frozenset(situations))

    @property
    def is_empty(self) -> bool:
        """Whether everything passes."""
        return not self.words and not self.situations

    @property
    def needs_labels(self) -> bool:
        """Whether one of the words may be a label, which is read from a row of its own."""
        return any(Label.parse(word) for word in self.words)


def label_text(labels: Labels) -> str:
    """Return labels as the text in which a filter's `name=value` is looked for."""
    return "".join(f"\n{name}={value}" for name, value in labels.items()).casefold()


def haystack(line: ThreadLine) -> str:
    """Return what a filter's words are looked for in."""
    return f"{line.thread_id} {line.asks}".casefold()


@dataclass(frozen=True)
class Threads:
    """Every thread that was read, in the order of the list."""

    sorted: tuple[ThreadLine, ...] = ()
    returned: frozenset[str] = frozenset()
    """Threads whose decision failed in this session: they come back on top."""
    _haystacks: dict[str, str] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def by_id(self) -> Mapping[str, ThreadLine]:
        """The threads by id."""
        return {line.thread_id: line for line in self.sorted}

    @cached_property
    def counts(self) -> Counter[Situation]:
        """How many threads stand in each situation."""
        return Counter(line.situation for line in self.sorted)

    def _place(self, line: ThreadLine) -> tuple[int, float]:
        if line.thread_id in self.returned and line.situation in (Situation.FAILED, Situation.STUCK):
            return 0, -(line.updated_at or 0.0)
        return _RANKS.get(line.situation, _LAST), -(line.updated_at or 0.0)

    def replaced(self, lines: Iterable[ThreadLine]) -> Threads:
        """Return these threads instead of those before."""
        return replace(self, sorted=tuple(sorted(lines, key=self._place)), _haystacks={})

    def changed(self, lines: Iterable[ThreadLine], gone: Collection[str] = ()) -> Threads:
        """Return the threads with some read again, and without those that are gone."""
        lines = tuple(lines)
        touched = {line.thread_id for line in lines} | set(gone)
        kept = [line for line in self.sorted if line.thread_id not in touched]
        for thread_id in touched:
            self._haystacks.pop(thread_id, None)
        for line in lines:
            insort(kept, line, key=self._place)
        return replace(self, sorted=tuple(kept))

    def with_returned(self, thread_id: str) -> Threads:
        """Return the threads with a failed one marked to stand on top."""
        made = replace(self, returned=self.returned | {thread_id})
        line = self.by_id.get(thread_id)
        return made.changed((line,)) if line else made

    def passing(self, wanted: Filter, labels: Mapping[str, str] = NO_LABELS) -> tuple[ThreadLine, ...]:
        """Return the threads that a filter lets pass.

        Args:
            wanted: The filter.
            labels: By the id of a head, its labels as `label_text` writes them.
        """
        if wanted.is_empty:
            return self.sorted
        lines: Iterable[ThreadLine] = self.sorted
        if wanted.situations:
            lines = (line for line in lines if line.situation in wanted.situations)
        if not wanted.words:
            return tuple(lines)
        texts = self._haystacks
        if len(texts) < len(self.sorted):
            texts.update(
                (line.thread_id, haystack(line)) for line in self.sorted if line.thread_id not in texts
            )
        for word in wanted.words:
            label = Label.parse(word)
            begin = f"\n{label.name}={label.value}" if label else None
            lines = [
                line
                for line in lines
                if word in texts[line.thread_id] or (begin and begin in labels.get(line.checkpoint_id, ""))
            ]
        return tuple(lines)
