"""Dialogs for JSON: the editor, and the difference before an edit is used."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widget import Widget
from textual.widgets import TextArea

from ..paper.rows import Row
from ..typed_json import NotJson, parse
from ..widgets.document import Document
from .dialog import Dialog
from .typing import Typed


def language() -> str | None:
    """Return the language to colour, None where colouring would end the process.

    tree-sitter 0.26 crashes (segmentation fault) under Textual's editor.
    """
    try:
        major, minor = map(int, version("tree-sitter").split(".")[:2])
    except (PackageNotFoundError, ValueError):
        return None
    return "json" if (major, minor) < (0, 26) else None


class JsonDialog(Dialog[Typed]):
    """Edits JSON; an error is shown at its line, and nothing is lost by going back."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "use", "Use this", id="json.use", tooltip="Use what is written", priority=True),
        Binding(
            "ctrl+r",
            "reset",
            "Start over",
            id="json.reset",
            tooltip="Drop what is written, back to what the agent asked for",
            priority=True,
        ),
        Binding(
            "ctrl+o",
            "outside",
            "$EDITOR",
            id="json.outside",
            tooltip="Go on in your own editor",
            priority=True,
        ),
    ]

    def __init__(self, title: str, text: str, error: str = "", *, original: str) -> None:
        super().__init__(title, "Ctrl+S uses it   Ctrl+R starts over   Ctrl+O $EDITOR   Esc back, keeping it")
        self._text = text
        self._original = original
        self._error = error

    def body(self) -> Iterable[Widget]:
        """Yield the editor."""
        yield TextArea(
            self._text,
            language=language(),
            soft_wrap=True,
            tab_behavior="indent",
            show_line_numbers=True,
            id="json",
        )

    def on_mount(self) -> None:
        """Say what was wrong with it before."""
        if self._error:
            self.say(self._error)

    def on_text_area_changed(self) -> None:
        """Forget an error once something is changed."""
        if self.query_one(TextArea).text != self._text:
            self.say("")

    def action_use(self) -> None:
        """Use what is written, if it is JSON; else go to the error."""
        area = self.query_one(TextArea)
        try:
            parse(area.text)
        except NotJson as error:
            self._text = area.text
            area.move_cursor((error.line, error.column), center=True)
            self.call_after_refresh(self.say, str(error))
            return
        self.dismiss(Typed(area.text, is_done=True))

    def action_reset(self) -> None:
        """Drop what is written for what stood there at first; Ctrl+Z brings it back."""
        area = self.query_one(TextArea)
        area.replace(self._original, (0, 0), area.document.end)
        area.move_cursor((0, 0))
        self.say("")

    def action_outside(self) -> None:
        """Go on in another editor."""
        self.dismiss(Typed(self.query_one(TextArea).text, is_done=False, is_outside=True))

    def action_back(self) -> None:
        """Go back, keeping what is written."""
        self.dismiss(Typed(self.query_one(TextArea).text, is_done=False))


@dataclass(frozen=True, slots=True)
class RowsSheet:
    """Rows that are the same at every width."""

    written: Sequence[Row]

    def rows(self, cells: int) -> Sequence[Row]:  # noqa: ARG002 - the sheet's width
        """Return the rows."""
        return self.written

    def part(self, fold: str) -> Sequence[Row]:  # noqa: ARG002 - the sheet's fold
        """Return nothing: nothing is folded."""
        return ()


MOST = 12
"""Lines of a dialog that are seen at once."""


class RowsDialog(Dialog[bool]):
    """Shows rows, such as a difference, that must be read before Enter uses them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "enter", "use", "Use", id="rows.use", tooltip="Use this, once all of it was read", priority=True
        )
    ]

    def __init__(self, title: str, rows: Sequence[Row], verb: str) -> None:
        super().__init__(title, f"Enter {verb}   Esc back")
        self._rows = rows

    def body(self) -> Iterable[Widget]:
        """Yield the rows."""
        yield Document(id="rows")

    def on_mount(self) -> None:
        """Write the rows."""
        document = self.query_one(Document)
        document.show(RowsSheet(self._rows))
        document.styles.height = min(len(self._rows), MOST)
        document.focus()

    def on_sheet_view_read(self, message: Document.Read) -> None:
        """Give the rows the height that they take."""
        message.stop()
        message.document.styles.height = min(message.document.virtual_size.height, MOST)

    def action_use(self) -> None:
        """Use it, if every line was on the screen."""
        if self.query_one(Document).unread:
            self.say(f"{self.query_one(Document).unread} lines were not read yet: Space shows the next page.")
            return
        self.dismiss(True)
