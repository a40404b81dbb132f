"""A list that draws only the lines that are seen: 100,000 rows cost what 20 cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import var
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ..paper.rows import Piece
from .ink import Inked

Row = TypeVar("Row")


class LineList(ScrollView, Inked, Generic[Row], can_focus=True):
    """Rows drawn a line at a time, with a cursor that keeps its row when the rows change.

    A subclass says what identifies a row (`key_of`) and how it is drawn (`pieces_of`).
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False, id="list.up", tooltip="One row up"),
        Binding("down,j", "move(1)", "Down", show=False, id="list.down", tooltip="One row down"),
        Binding("pageup", "page(-1)", "Page up", show=False, id="list.pageup"),
        Binding("pagedown", "page(1)", "Page down", show=False, id="list.pagedown"),
        Binding("home", "go_to(0)", "First", show=False, id="list.first"),
        Binding("end", "go_to(-1)", "Last", show=False, id="list.last"),
        Binding("enter", "open", "Open", show=False, id="list.open", tooltip="Open the row"),
    ]

    rows: var[Sequence[Row]] = var(tuple, init=False, always_update=True)
    """What is listed; the widget keeps nothing else per row."""
    cursor: var[int] = var(0, init=False)
    """The index of the row under the cursor."""

    @dataclass
    class Highlighted(Message):
        """The cursor came to a row, by a key, a click or because its row went away."""

        sender_list: LineList[Any]
        row: object

        @property
        def control(self) -> LineList[Any]:
            """The list it came from."""
            return self.sender_list

    @dataclass
    class Opened(Message):
        """A row was opened by Enter or a click."""

        sender_list: LineList[Any]
        row: object

        @property
        def control(self) -> LineList[Any]:
            """The list it came from."""
            return self.sender_list

    def key_of(self, row: Row) -> object:
        """Return what stays the same when the row changes."""
        raise NotImplementedError

    def pieces_of(self, row: Row, width: int) -> Sequence[Piece]:
        """Return the row's visible pieces; together they take at most `width` cells."""
        raise NotImplementedError

    @property
    def current(self) -> Row | None:
        """The row under the cursor."""
        return self.rows[self.cursor] if 0 <= self.cursor < len(self.rows) else None

    def on_resize(self) -> None:
        """Keep the virtual size at the width of the list."""
        self._measure()

    def watch_rows(self, before: Sequence[Row], now: Sequence[Row]) -> None:
        """Keep the cursor on its row and the list at its place."""
        old = self.key_of(before[self.cursor]) if 0 <= self.cursor < len(before) else None
        if old is not None:
            self._follow(old, now)
        self._measure()
        self.refresh()
        row = self.current
        if row is not None and old is not None and self.key_of(row) != old:
            self.post_message(self.Highlighted(self, row))

    def _follow(self, key: object, now: Sequence[Row]) -> None:
        """Move the cursor, and the lines above it, to where its row has gone."""
        at = self.cursor
        if at < len(now) and self.key_of(now[at]) == key:
            return
        index = next((i for i, row in enumerate(now) if self.key_of(row) == key), None)
        if index is None:
            self.cursor = max(0, min(at, len(now) - 1))
            return
        top = self.scroll_offset.y
        self.set_reactive(LineList.cursor, index)
        self._measure(len(now))
        self.scroll_to(y=max(0, top + index - at), animate=False, force=True)

    def _measure(self, count: int | None = None) -> None:
        self.virtual_size = Size(self.room, len(self.rows) if count is None else count)

    def watch_cursor(self, before: int, now: int) -> None:
        """Show the cursor and say where it is; only the two lines are drawn again."""
        self.refresh_line(before)
        self.refresh_line(now)
        self.scroll_to_region(Region(0, self.cursor, 1, 1), animate=False, force=True)
        if (row := self.current) is not None:
            self.post_message(self.Highlighted(self, row))

    def render_line(self, y: int) -> Strip:
        """Draw one line of what is seen."""
        index, width = y + self.scroll_offset.y, self.room
        if index >= len(self.rows):
            return Strip.blank(width, self.rich_style)
        under = ""
        if index == self.cursor:
            under = "cursor" if self.has_focus else "cursor-away"
        pieces = self.pieces_of(self.rows[index], width)
        return Strip(self.segments(pieces, under)).adjust_cell_length(width, self.ink("", under))

    def on_focus(self) -> None:
        """Draw the cursor of a list that has the keys."""
        self.refresh()

    def on_blur(self) -> None:
        """Draw the cursor of a list that has not."""
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Go to the row under the pointer; a second click opens it."""
        index = event.y + self.scroll_offset.y
        if index < len(self.rows):
            self.cursor = index
            if event.chain == 2:
                self.action_open()

    def action_move(self, rows: int) -> None:
        """Move the cursor by a number of rows."""
        self.cursor = max(0, min(len(self.rows) - 1, self.cursor + rows))

    def action_page(self, pages: int) -> None:
        """Move the cursor by a number of pages."""
        self.action_move(pages * max(1, self.size.height - 1))

    def action_go_to(self, index: int) -> None:
        """Move the cursor to a row; -1 is the last one."""
        self.cursor = index if index >= 0 else max(0, len(self.rows) - 1)

    def action_open(self) -> None:
        """Open the row under the cursor."""
        if (row := self.current) is not None:
            self.post_message(self.Opened(self, row))
