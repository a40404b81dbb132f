"""One long value on the whole screen; what is read here counts as read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

from ..paper.rows import Row, foreign
from ..widgets.bar import Bar
from ..widgets.document import Document
from ..widgets.ink import INK_CLASSES
from .editing import RowsSheet


class Viewer(ModalScreen[bool]):
    """Shows rows on the whole screen; ends with whether all of them were seen."""

    COMPONENT_CLASSES: ClassVar[set[str]] = INK_CLASSES
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "back", "Back", id="viewer.back", tooltip="Back to the request")
    ]

    def __init__(self, title: str, rows: Sequence[Row]) -> None:
        super().__init__()
        self._title = title
        self._rows = rows

    def compose(self) -> ComposeResult:
        """Lay out title, text, and what is left to read."""
        yield Bar(id="viewer-title")
        yield Document(id="viewer-text")
        yield Bar(id="viewer-unread")

    def on_mount(self) -> None:
        """Write the rows."""
        self.query_one("#viewer-title", Bar).left = foreign(self._title, "strong")
        bar = self.query_one("#viewer-unread", Bar)
        bar.rule, bar.is_left_first = "─", True
        bar.right = (("Space next page · Esc back", "dim"),)
        document = self.query_one(Document)
        document.show(RowsSheet(self._rows))
        document.focus()

    def on_sheet_view_read(self, message: Document.Read) -> None:
        """Say how much is left."""
        message.stop()
        left = message.unread
        self.query_one("#viewer-unread", Bar).left = (
            ((f"▽ {left:,} lines not read", "warning"),) if left > 0 else (("all read", "dim"),)
        )

    def action_back(self) -> None:
        """Go back to the request."""
        self.dismiss(self.query_one(Document).unread == 0)
