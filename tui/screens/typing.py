"""Dialogs in which something is typed: a reason, a message, a value to confirm."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widget import Widget
from textual.widgets import Input

from agent_lab_tui.graph.deciding.confirming import Confirmation
from agent_lab_tui.graph.deciding.said import is_said

from ..visible import cut, visible
from .dialog import Dialog, words


@dataclass(frozen=True, slots=True)
class Typed:
    """What was typed, and whether it is finished; half-typed texts are kept."""

    text: str
    is_done: bool
    is_outside: bool = False
    """It is to be gone on with in the operator's own editor."""


class TextDialog(Dialog[Typed]):
    """Asks for one line of text; recent ones can be taken with Tab or an arrow."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "recent(1)", "Older", show=False, id="text.older", tooltip="Take an earlier text"),
        Binding("up", "recent(-1)", "Newer", show=False, id="text.newer"),
    ]

    def __init__(
        self,
        title: str,
        verb: str,
        *,
        text: str,
        label: str,
        recent: Sequence[str] = (),
        empty: str,
        note: str = "",
    ) -> None:
        keys = f"Enter {verb}   Esc back"
        super().__init__(title, f"{keys}   ↓ takes a recent one" if recent else keys)
        self._text = text
        self._label = label
        self._recent = tuple(recent)
        self._empty = empty
        self._note = note
        self._at = -1

    def body(self) -> Iterable[Widget]:
        """Yield the line to type on, and what was typed lately."""
        if self._note:
            yield words(self._note, classes="dialog-note")
        typed = Input(self._text, placeholder=self._label, id="typed", select_on_focus=False)
        typed.border_title = self._label
        yield typed
        if self._recent:
            shown = " · ".join(cut(visible(text), 40) for text in self._recent[:4])
            yield words(f"Recent  {shown}", classes="dialog-note")

    def action_recent(self, step: int) -> None:
        """Take a recent text, to be changed or used."""
        if self._recent:
            self._at = max(0, min(self._at + step, len(self._recent) - 1))
            typed = self.query_one(Input)
            typed.value = self._recent[self._at]
            typed.cursor_position = len(typed.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Finish, unless nothing was typed."""
        event.stop()
        if not is_said(event.value):
            self.say(self._empty)
            return
        self.dismiss(Typed(event.value, is_done=True))

    def action_back(self) -> None:
        """Go back, keeping what was typed."""
        self.dismiss(Typed(self.query_one(Input).value, is_done=False))


class ConfirmDialog(Dialog[bool]):
    """Asks to type a value before something that cannot be taken back."""

    def __init__(self, title: str, sentence: str, asked: Confirmation, *, lead: str = "") -> None:
        super().__init__(title, "Enter confirms   Esc back")
        self._sentence = sentence
        self._lead = lead
        self._asked = asked

    def body(self) -> Iterable[Widget]:
        """Yield what is at stake, the value, and the line to type it on."""
        argument = visible(self._asked.argument)
        what = self._lead or (
            f"To go on, type the value of `{argument}`, which is:" if argument else "To go on, type:"
        )
        if self._sentence:
            yield words(self._sentence, classes="dialog-note")
        yield words(what, id="expected-lead")
        yield words(visible(self._asked.expected), id="expected")
        yield Input(id="typed")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Confirm when the value was typed."""
        event.stop()
        if self._asked.is_met_by(event.value):
            self.dismiss(True)
        else:
            self.say(f"That is not the value above: type {self._asked.expected}")


class AskDialog(Dialog[str]):
    """Asks for one of a few keys."""

    def __init__(self, title: str, sentence: str, answers: Sequence[tuple[str, str]]) -> None:
        super().__init__(
            title, "   ".join(f"{key} {meaning}" for key, meaning in (*answers, ("Esc", "back")))
        )
        self._sentence = sentence
        for key, meaning in answers:
            self._bindings.bind(key, f"choose('{key}')", meaning)

    def body(self) -> Iterable[Widget]:
        """Yield the sentence."""
        yield words(self._sentence, classes="dialog-note")

    def action_choose(self, key: str) -> None:
        """Answer with a key."""
        self.dismiss(key)
