"""The dialog for an answer in no known form: the exact value is shown before it is sent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input, Static

from ..paper.json_text import editable, json_lines
from ..typed_json import NotJson, parse
from ..visible import cut, visible, visible_block
from .dialog import Dialog, words


@dataclass(frozen=True, slots=True)
class Offer:
    """One value that may be meant."""

    value: Any
    """JSON-able."""
    source: str


@dataclass(frozen=True, slots=True)
class Given:
    """What was typed, and the value it stands for."""

    text: str
    is_done: bool
    value: Any = None


class AnswerDialog(Dialog[Given]):
    """Takes a text or JSON; Tab sends as text what would be read as JSON."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "down",
            "offer(1)",
            "Next offer",
            show=False,
            id="answer.next",
            tooltip="Take the next value offered",
        ),
        Binding("up", "offer(-1)", "Offer before", show=False, id="answer.previous"),
        Binding("tab", "as_text", "Text or JSON", show=False, id="answer.toggle", priority=True),
    ]

    def __init__(self, title: str, *, text: str, offers: Sequence[Offer], error: str = "") -> None:
        super().__init__(title, "Enter sends exactly this   ↓ offers   Tab text or JSON   Esc back")
        self._text = text
        self._offers = tuple(offers)
        self._error = error
        self._at = -1
        self._is_text = False

    def body(self) -> Iterable[Widget]:
        """Yield the offers, the line to type on, and what it sends."""
        for offer in self._offers[:5]:
            shown = cut(visible(editable(offer.value).replace("\n", " ")), 50)
            yield words(f"↓ {shown}   {offer.source}", classes="dialog-note")
        yield Input(self._text, id="typed", placeholder="a text, or JSON", select_on_focus=False)
        yield words("", id="sends")

    def on_mount(self) -> None:
        """Show what would be sent."""
        self.say(self._error)
        self._show()

    def on_input_changed(self) -> None:
        """Show again what would be sent; an error stays while what it is about does."""
        if self.query_one(Input).value != self._text:
            self.say("")
        self._show()

    def _read(self) -> tuple[Any, str]:
        """Return the value that is typed, and how it was read.

        Raises:
            NotJson: It begins like JSON but is none.
        """
        text = self.query_one(Input).value
        if self._is_text:
            return text, "as text"
        try:
            return parse(text), "as JSON · Tab sends it as text"
        except NotJson:
            if text.lstrip()[:1] in ("{", "[", '"'):
                raise
            return text, "as text"

    def _show(self) -> None:
        sends = self.query_one("#sends", Static)
        if not self.query_one(Input).value and not self._is_text:
            sends.update(Content("Sends   nothing yet"))
            return
        try:
            value, how = self._read()
        except NotJson as error:
            sends.update(Content(visible_block(f"Not JSON yet: {error} Tab sends it as text.")))
            return
        shown = "\n".join(json_lines(value))
        sends.update(Content(f"Sends   {visible_block(shown)}   {how}"))

    def action_as_text(self) -> None:
        """Read what is typed as text, or as JSON again."""
        self._is_text = not self._is_text
        self._show()

    def action_offer(self, step: int) -> None:
        """Take a value that is offered."""
        if self._offers:
            self._at = max(0, min(self._at + step, len(self._offers) - 1))
            typed = self.query_one(Input)
            self._is_text = False
            typed.value = editable(self._offers[self._at].value).replace("\n", " ")
            typed.cursor_position = len(typed.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Answer with the value that is shown."""
        event.stop()
        if not event.value and not self._is_text:
            self.say("Nothing is typed. Tab sends an empty text.")
            return
        try:
            value, _ = self._read()
        except NotJson as error:
            self.say(str(error))
            return
        self.dismiss(Given(event.value, True, value))

    def action_back(self) -> None:
        """Go back, keeping what was typed."""
        self.dismiss(Given(self.query_one(Input).value, False))
