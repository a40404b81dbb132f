"""What every dialog has: a title, what it asks, and a line that says which key does what."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, Generic, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Static

from ..visible import visible, visible_block
from ..widgets.ink import INK_CLASSES

Result = TypeVar("Result")


def words(text: str, *, id: str | None = None, classes: str | None = None) -> Static:
    """Show a text, foreign or our own, exactly as it is."""
    return Static(Content(visible_block(text)), id=id, classes=classes, markup=False)


class Dialog(ModalScreen[Result], Generic[Result]):
    """A box in front of the desk; Escape goes back and decides nothing."""

    COMPONENT_CLASSES: ClassVar[set[str]] = INK_CLASSES
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "escape", "back", "Back", id="dialog.back", tooltip="Go back; nothing is decided", priority=True
        )
    ]

    def __init__(self, title: str, keys: str) -> None:
        super().__init__()
        self._title = title
        self._keys = keys

    def compose(self) -> ComposeResult:
        """Lay out title, body and keys."""
        with Vertical(id="dialog"):
            yield words(visible(self._title), id="dialog-title")
            yield from self.body()
            yield words("", id="dialog-error")
            yield words(self._keys, id="dialog-keys")

    def body(self) -> Iterable[Widget]:
        """Yield what stands between title and keys."""
        raise NotImplementedError

    def say(self, sentence: str) -> None:
        """Say what is wrong; the dialog stays open."""
        error = self.query_one("#dialog-error", Static)
        error.update(Content(visible_block(sentence)))
        error.set_class(bool(sentence), "-shown")

    def action_back(self) -> None:
        """Go back without a result."""
        self.dismiss(None)
