"""A long text drawn line by line, which knows what of it has been on the screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Protocol

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import var
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ..paper.rows import Piece, Row, wrap
from ..paper.seen import RowKey, Seen, row_keys
from .ink import Inked

if TYPE_CHECKING:
    from rich.style import Style


class Sheet(Protocol):
    """What can be written on a document."""

    def rows(self, cells: int) -> Sequence[Row]:
        """Write the rows for a width in cells."""

    def part(self, fold: str) -> Sequence[Row]:
        """Return the whole of a part that was folded."""


class Document(ScrollView, Inked, can_focus=True):
    """Shows a sheet; counts its lines that have not been on the screen yet.

    Only what was really drawn counts: paging through does, jumping to the end does not.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "line(-1)", "Up", show=False, id="text.up", tooltip="One line up"),
        Binding("down,j", "line(1)", "Down", show=False, id="text.down", tooltip="One line down"),
        Binding("pageup,b", "page(-1)", "Page up", show=False, id="text.pageup", tooltip="One page up"),
        Binding(
            "pagedown,space", "page(1)", "Page down", show=False, id="text.pagedown", tooltip="One page down"
        ),
        Binding("home", "jump(0)", "Top", show=False, id="text.top"),
        Binding(
            "end",
            "jump(1)",
            "End",
            show=False,
            id="text.end",
            tooltip="To the end; what was jumped over is not read",
        ),
        Binding(
            "enter",
            "open_fold",
            "Open",
            show=False,
            id="text.open",
            tooltip="Open the marked ▸ value in full",
        ),
        Binding("tab", "next_fold", "Next ▸", show=False, id="text.fold", tooltip="Mark the next ▸ value"),
    ]

    unread: var[int] = var(-1, init=False)
    """Lines that have not been on the screen; -1 while nothing was drawn yet."""

    @dataclass
    class Read(Message):
        """More of the document has been seen, or it changed."""

        document: Document
        unread: int

        @property
        def control(self) -> Document:
            """The document it came from."""
            return self.document

    @dataclass
    class FoldOpened(Message):
        """The operator wants to see a folded part."""

        document: Document
        fold: str

        @property
        def control(self) -> Document:
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
        self._marked_fold: str | None = None

    def show(self, sheet: Sheet | None, seen: Seen | None = None, *, keeps_place: bool = False) -> None:
        """Write another sheet; what was seen of it before may be given."""
        self._sheet, self.seen = sheet, seen or Seen()
        self._marked_fold = None
        self.set_reactive(Document.unread, -1)
        if not keeps_place:
            self.scroll_to(y=0, animate=False, force=True)
        self._write()

    def part(self, fold: str) -> Sequence[Row]:
        """Return the whole of a folded part."""
        return self._sheet.part(fold) if self._sheet else ()

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
        """Whether it is drawn at all: in the front, and not on a hidden page."""
        return self.is_attached and self.screen.is_current and self.is_on_page

    @property
    def is_on_page(self) -> bool:
        """Whether no part around it is hidden."""
        return all(node.display for node in self.ancestors_with_self if hasattr(node, "display"))

    def watch_unread(self, unread: int) -> None:
        """Tell how much is left."""
        self.refresh()
        self.post_message(self.Read(self, unread))

    @property
    def marked_fold(self) -> str | None:
        """The fold that Enter opens: the chosen one, else the first unread one, else the first in sight."""
        folds = [row.fold for row in self._rows if row.fold]
        if self._marked_fold in folds:
            return self._marked_fold
        return next((fold for fold in folds if fold not in self.seen.folds), folds[0] if folds else None)

    def render_line(self, y: int) -> Strip:
        """Draw one line of what is seen."""
        at, width = y + self.scroll_offset.y, self.room
        base: Style = self.rich_style
        if at >= len(self._lines):
            return Strip.blank(width, base)
        index, pieces = self._lines[at]
        fold = self._rows[index].fold
        under = "cursor-away" if fold is not None and fold == self.marked_fold and self.has_focus else ""
        return Strip(self.segments(pieces, under)).adjust_cell_length(width, self.ink("", under))

    def on_focus(self) -> None:
        """Draw the marked fold."""
        self.refresh()

    def on_blur(self) -> None:
        """Draw no marked fold."""
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Open the fold under the pointer."""
        at = event.y + self.scroll_offset.y
        if at < len(self._lines) and (fold := self._rows[self._lines[at][0]].fold):
            self.post_message(self.FoldOpened(self, fold))

    def action_line(self, lines: int) -> None:
        """Scroll by lines."""
        self.scroll_to(y=self.scroll_offset.y + lines, animate=False)

    def action_page(self, pages: int) -> None:
        """Scroll by pages; one line stays in sight."""
        height = max(1, self.scrollable_content_region.height - 1)
        self.scroll_to(y=self.scroll_offset.y + pages * height, animate=False)

    def action_jump(self, share: int) -> None:
        """Jump to the top or to the end."""
        self.scroll_to(y=share * self.max_scroll_y, animate=False)

    def action_open_fold(self) -> None:
        """Open the marked fold."""
        if (fold := self.marked_fold) is not None:
            self.post_message(self.FoldOpened(self, fold))

    def action_next_fold(self) -> None:
        """Mark the next fold and bring it into sight; without folds, go on to the next widget."""
        folds = [row.fold for row in self._rows if row.fold]
        marked = self.marked_fold
        if marked is None or marked == folds[-1]:
            self._marked_fold = None
            self.screen.focus_next()
            return
        self._marked_fold = folds[folds.index(marked) + 1]
        line = next(
            i for i, (index, _) in enumerate(self._lines) if self._rows[index].fold == self._marked_fold
        )
        self.scroll_to_region(Region(0, line, 1, 1), animate=False, force=True)
        self.refresh()
