"""A sheet that has the keys: scrolled, paged, its folded parts marked and opened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.message import Message

from ..paper.seen import Seen
from .sheet import Sheet, SheetView

__all__ = ["Document", "Sheet"]


class Document(SheetView, can_focus=True):
    """Shows a sheet to be read with the keyboard."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "line(-1)", "Up", show=False, id="text.up", tooltip="One line up"),
        Binding("down,j", "line(1)", "Down", show=False, id="text.down", tooltip="One line down"),
        Binding("pageup,b", "page(-1)", "Page up", show=False, id="text.pageup", tooltip="One page up"),
        Binding(
            "pagedown,space", "page(1)", "Page down", show=False, id="text.pagedown", tooltip="One page down"
        ),
        Binding("home", "jump(0)", "Top", show=False, id="text.top", tooltip="To the top"),
        Binding("end", "jump(1)", "End", show=False, id="text.end", tooltip="To the end, reading nothing"),
        Binding("enter", "open_fold", "Open", show=False, id="text.open", tooltip="Open the marked ▸ value"),
        Binding("tab", "next_fold", "Next ▸", show=False, id="text.fold", tooltip="Mark the next ▸ value"),
    ]

    @dataclass
    class FoldOpened(Message):
        """The operator wants to see a folded part."""

        document: Document
        fold: str

        @property
        def control(self) -> Document:
            """The document it came from."""
            return self.document

    _chosen: str | None = None

    def show(self, sheet: Sheet | None, seen: Seen | None = None, *, keeps_place: bool = False) -> None:
        """Write another sheet; what was seen of it before may be given."""
        self._chosen = None
        super().show(sheet, seen, keeps_place=keeps_place)

    @property
    def marked_fold(self) -> str | None:
        """The fold that Enter opens: the chosen one, else the first unread one, else the first."""
        folds = self.folds
        if self._chosen in folds:
            return self._chosen
        return next((fold for fold in folds if fold not in self.seen.folds), folds[0] if folds else None)

    def is_marked(self, fold: str | None) -> bool:
        """Whether a line with this fold is drawn as marked."""
        return fold is not None and self.has_focus and fold == self.marked_fold

    def on_focus(self) -> None:
        """Draw the marked fold."""
        self.refresh()

    def on_blur(self) -> None:
        """Draw no marked fold."""
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Open the fold under the pointer."""
        if fold := self.fold_at(event.y + self.scroll_offset.y):
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
        folds, marked = self.folds, self.marked_fold
        if marked is None or marked == folds[-1]:
            self._chosen = None
            self.screen.focus_next()
            return
        self._chosen = folds[folds.index(marked) + 1]
        self.scroll_to_region(Region(0, self.line_of(self._chosen), 1, 1), animate=False, force=True)
        self.refresh()
