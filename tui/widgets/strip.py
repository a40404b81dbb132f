"""The operations of a thread's questions, numbered, each with what was chosen for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from textual import events
from textual.message import Message
from textual.reactive import reactive

from ..paper.rows import Piece
from ..visible import cut, visible
from .bar import Bar

NAME = 16
CHOSEN = {
    "approve": ("✓", "success"),
    "edit": ("✎", "success"),
    "reject": ("✗", "error"),
    "respond": ("↩", "accent"),
    "explain": ("?", "accent"),
    "value": ("↩", "accent"),
}
"""The sign of each choice."""
OPEN: Piece = ("●", "warning")


@dataclass(frozen=True, slots=True)
class Tab:
    """One operation in the strip."""

    name: str
    """Raw foreign text."""
    chosen: str | None = None
    """The kind of choice made for it."""
    begins: bool = False
    """It is the first of another question."""


class OperationStrip(Bar):
    """Shows several operations side by side; hidden where there is only one."""

    _owners: list[int]
    tabs: reactive[tuple[Tab, ...]] = reactive(tuple)
    current: reactive[int] = reactive(0)

    @dataclass
    class Chosen(Message):
        """An operation was clicked."""

        index: int

    def _watch_any(self) -> None:
        self.display = len(self.tabs) > 1
        drawn = list(self._draw())
        self.left = tuple(piece for piece, _ in drawn)
        self._owners = [owner for _, owner in drawn]

    watch_tabs = watch_current = _watch_any

    def _draw(self) -> Iterator[tuple[Piece, int]]:
        """Yield the pieces, each with the operation it belongs to; far ones on the left are left out."""
        first = max(0, self.current - 2) if len(self.tabs) > 4 else 0
        if first:
            yield (f"‹ {first} more   ", "dim"), first - 1
        for index, tab in list(enumerate(self.tabs))[first:]:
            sign, ink = CHOSEN[tab.chosen] if tab.chosen else OPEN
            if tab.begins and index > first:
                yield ("│  ", "rule"), index
            here = "strong" if index == self.current else "dim"
            yield (f"{index + 1} ", here), index
            yield (f"{sign} ", ink), index
            yield (cut(visible(tab.name), NAME), here), index
            yield ("   ", ""), index

    def on_click(self, event: events.Click) -> None:
        """Tell which operation was clicked."""
        at = self.piece_at(event.x)
        if at is not None:
            self.post_message(self.Chosen(self._owners[at]))
