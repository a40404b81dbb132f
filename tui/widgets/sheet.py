"""A long text drawn line by line, which knows what of it has been on the screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from textual.geometry import Size
from textual.message import Message
from textual.reactive import var
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ..paper.rows import Piece, Row, wrap
from ..paper.seen import RowKey, Seen, row_keys
from .ink import Inked


class Sheet(Protocol):
    """What can be written on a document."""

    def rows(self, cells: int) -> Sequence[Row]:
        """Write the rows for a width in cells."""

    def part(self, fold: str) -> Sequence[Row]:
        """Return the whole of a part that was folded."""


class SheetView(ScrollView, Inked):
    """Shows a sheet; counts its lines that have not been on the screen yet.

    Only what was really drawn counts: paging through does, jumping to the end does not.
    """

    unread: var[int] = var(-1, init=False)
    """Lines that have not been on the screen; -1 while nothing was drawn yet."""

    @dataclass
    class Read(Message):
        """More of the document has been seen, or it changed."""

        document: SheetView
        unread: int

        @property
        def control(self) -> SheetView:
            """The document it came from."""
            return self.document

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.seen = Seen()
        self._sheet: Sheet | None = None
        self._rows: Sequence[Row] = ()
        self._keys: list[RowKey] = []
        self._lines: list[tuple[int, tuple[Piece, ...]]] = []
        self._left: list[int] = []
        self._is_line_seen = bytearray()
        self._width = 0

    def show(self, sheet: Sheet | None, seen: Seen | None = None, *, keeps_place: bool = False) -> None:
        """Write another sheet; what was seen of it before may be given."""
        self._sheet, self.seen = sheet, seen or Seen()
        self.set_reactive(SheetView.unread, -1)
        if not keeps_place:
            self.scroll_to(y=0, animate=False, force=True)
        self._write()

    def part(self, fold: str) -> Sequence[Row]:
        """Return the whole of a folded part."""
        return self._sheet.part(fold) if self._sheet else ()

    @property
    def folds(self) -> list[str]:
        """The folded parts, from the top."""
        return [row.fold for row in self._rows if row.fold]

    def fold_at(self, line: int) -> str | None:
        """Return what opens from a line."""
        return self._rows[self._lines[line][0]].fold if line < len(self._lines) else None

    def line_of(self, fold: str) -> int:
        """Return the line from which a part opens."""
        return next(at for at, (row, _) in enumerate(self._lines) if self._rows[row].fold == fold)

    def on_resize(self) -> None:
        """Write again at the new width, and look at what is seen now."""
        if self.room != self._width:
            self._write()
        self.call_after_refresh(self.look)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Note what came on the screen."""
        super().watch_scroll_y(old_value, new_value)
        self.call_after_refresh(self.look)

    def _write(self) -> None:
        """Lay the rows out for the width there is."""
        self._width = self.room
        if not self._width:
            return
        self._rows = self._sheet.rows(self._width) if self._sheet else ()
        self._keys = list(row_keys(self._rows))
        self._lines = [
            (index, line) for index, row in enumerate(self._rows) for line in wrap(row, self._width)
        ]
        self._is_line_seen = bytearray(self._keys[index] in self.seen.rows for index, _ in self._lines)
        self._left = [0] * len(self._rows)
        for (index, _), is_seen in zip(self._lines, self._is_line_seen, strict=True):
            self._left[index] += not is_seen
        self.virtual_size = Size(self._width, len(self._lines))
        self.refresh()
        self.call_after_refresh(self.look)

    def look(self) -> None:
        """Note the lines that are on the screen."""
        if not self.is_on_screen or not self.size.height or self._width != self.room:
            return
        top = self.scroll_offset.y
        for at in range(top, min(top + self.scrollable_content_region.height, len(self._lines))):
            if not self._is_line_seen[at]:
                self._is_line_seen[at] = 1
                row = self._lines[at][0]
                self._left[row] -= 1
                if not self._left[row]:
                    self.seen.rows.add(self._keys[row])
        self.count()

    def count(self) -> None:
        """Count again what has not been seen."""
        folded = sum(row.hidden for row in self._rows if row.fold and row.fold not in self.seen.folds)
        left = sum(self._left) + folded
        self.seen.is_whole = not left
        self.unread = left

    @property
    def is_on_screen(self) -> bool:
        """Whether it is drawn at all: in the front, and no part around it is hidden."""
        if not self.is_attached or not self.screen.is_current:
            return False
        return all(node.display for node in self.ancestors_with_self if hasattr(node, "display"))

    def watch_unread(self, unread: int) -> None:
        """Tell how much is left."""
        self.refresh()
        self.post_message(self.Read(self, unread))

    def is_marked(self, fold: str | None) -> bool:  # noqa: ARG002 - a subclass marks folds
        """Whether a line with this fold is drawn as marked."""
        return False

    def render_line(self, y: int) -> Strip:
        """Draw one line of what is seen."""
        at, width = y + self.scroll_offset.y, self.room
        if at >= len(self._lines):
            return Strip.blank(width, self.rich_style)
        index, pieces = self._lines[at]
        under = "cursor-away" if self.is_marked(self._rows[index].fold) else ""
        return Strip(self.segments(pieces, under)).adjust_cell_length(width, self.ink("", under))
