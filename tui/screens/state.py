"""The state at one checkpoint of the past, on the whole screen."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

from agent_lab_tui.store.values import to_json

from ..paper.rows import foreign
from ..paper.state import OpenedSheet
from ..widgets.bar import Bar
from ..widgets.document import Document
from ..widgets.ink import INK_CLASSES
from .viewer import Viewer

if TYPE_CHECKING:
    from agent_lab_tui.graph.travelling.past import Opened


class StateScreen(ModalScreen[None]):
    """Shows a state by key; Enter writes a long value out, `Y` copies all of it as JSON."""

    COMPONENT_CLASSES: ClassVar[set[str]] = INK_CLASSES
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss", "Back", id="state.back", tooltip="Back to the history"),
        Binding("Y", "copy", "Copy JSON", id="state.copy", tooltip="Copy the state as JSON"),
        Binding("y", "copy_id", "Copy id", id="state.copy-id", tooltip="Copy the checkpoint's id"),
    ]

    def __init__(self, title: str, opened: Opened) -> None:
        super().__init__()
        self._title = title
        self._opened = opened

    def compose(self) -> ComposeResult:
        """Lay out title, state and keys."""
        yield Bar(id="state-title")
        yield Document(id="past-state")
        yield Bar(id="state-keys")

    def on_mount(self) -> None:
        """Write the state."""
        self.query_one("#state-title", Bar).left = foreign(self._title, "strong")
        self._say("Enter opens ▸ · Y copies JSON · y copies the id · Esc back")
        document = self.query_one(Document)
        document.show(OpenedSheet(self._opened))
        document.focus()

    def _say(self, sentence: str) -> None:
        self.query_one("#state-keys", Bar).left = ((sentence, "dim"),)

    @on(Document.FoldOpened)
    def open_value(self, message: Document.FoldOpened) -> None:
        """Write the whole of a value that was folded."""
        message.stop()
        name = message.fold.partition(" ")[2]
        self.app.push_screen(Viewer(name, message.document.part(message.fold)))

    def action_copy(self) -> None:
        """Copy the state as JSON."""
        self.app.copy_to_clipboard(json.dumps(to_json(self._opened.values), indent=2))
        self._say("The state is on the clipboard, as JSON.")

    def action_copy_id(self) -> None:
        """Copy the checkpoint's id."""
        self.app.copy_to_clipboard(self._opened.checkpoint.checkpoint_id)
        self._say("The checkpoint's id is on the clipboard.")
