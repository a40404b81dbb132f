"""Draw a tree of checkpoints as `git log --graph` does: newest first, one lane a branch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

LANES = 8
"""As many branches stand side by side; those further right share one column of dots."""


@dataclass(frozen=True, slots=True)
class Rail:
    """The drawn part of one line: what stands left and right of the checkpoint's own mark."""

    before: str
    after: str = ""
    checkpoint_id: str | None = None
    """The checkpoint of this line; None for a line that only joins branches."""

    def text(self, mark: str = "●") -> str:
        """Return the line with the given mark in the checkpoint's place."""
        return f"{self.before}{mark if self.checkpoint_id else ''}{self.after}".rstrip()


class Lanes:
    """The branches that are open while checkpoints are drawn from the newest to the oldest.

    A lane keeps its column until it joins its parent; freed columns are used again,
    so nothing shifts sideways and a line can be drawn without those that follow.
    """

    def __init__(self) -> None:
        self._wanted: list[str | None] = []
        """By column, the checkpoint that its branch leads down to; None for a free column."""

    def place(self, checkpoint_id: str, parent_id: str | None) -> Iterator[Rail]:
        """Draw the next older checkpoint: its line, after one that joins the branches it has."""
        columns = [column for column, wanted in enumerate(self._wanted) if wanted == checkpoint_id]
        if len(columns) > 1:
            yield Rail(self._join(columns))
            for column in reversed(columns[1:]):
                self._want(column, None)
        column = columns[0] if columns else self._free_column()
        self._wanted[column] = checkpoint_id
        yield self._line(column, checkpoint_id)
        self._want(column, parent_id)

    def _want(self, column: int, checkpoint_id: str | None) -> None:
        self._wanted[column] = checkpoint_id
        while self._wanted and self._wanted[-1] is None:
            self._wanted.pop()

    def _free_column(self) -> int:
        if None not in self._wanted:
            self._wanted.append(None)
        return self._wanted.index(None)

    def _line(self, own: int, checkpoint_id: str) -> Rail:
        before = [self._bar(column) for column in range(min(own, LANES))]
        after = [self._bar(column) for column in range(own + 1, min(len(self._wanted), LANES))]
        if own >= LANES:
            before.append("⋯")
        elif len(self._wanted) > LANES:
            after.append("⋯")
        return Rail("".join(f"{bar} " for bar in before), "".join(f" {bar}" for bar in after), checkpoint_id)

    def _join(self, columns: list[int]) -> str:
        first, last = columns[0], columns[-1]
        cells = []
        for column in range(min(len(self._wanted), LANES)):
            bar = self._bar(column)
            if column == first:
                bar = "├"
            elif column == last:
                bar = "╯"
            elif column in columns:
                bar = "┴"
            elif first < column < last:
                bar = "─" if bar == " " else "┼"
            cells.append(bar + ("─" if first <= column < last else " "))
        return "".join(cells).rstrip(" ") + ("⋯" if last >= LANES else "")

    def _bar(self, column: int) -> str:
        return " " if self._wanted[column] is None else "│"


def draw(stems: Iterable[tuple[str, str | None]]) -> Iterator[Rail]:
    """Draw checkpoints, given as (id, parent id) from the newest to the oldest."""
    lanes = Lanes()
    for checkpoint_id, parent_id in stems:
        yield from lanes.place(checkpoint_id, parent_id)
