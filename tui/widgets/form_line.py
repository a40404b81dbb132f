"""One line of a form: its label, its input, what it takes, and what is wrong with it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Select, Static

from agent_lab_tui.graph.conventions.form import ABSENT, Field
from agent_lab_tui.graph.conventions.form_entry import Entry, Path
from agent_lab_tui.graph.conventions.form_input import Picked, Typed, option_texts

from ..paper.form_words import hint_of, label_of, option_labels
from ..visible import visible, width
from .picker import Picker

IN_SIGHT = 34
"""Cells that options may take to stand in sight; more of them open as a list."""
INDENT = 2

Option: TypeAlias = tuple[str, Typed]
"""What it is called, visible, and what choosing it types."""
LineKey: TypeAlias = tuple[Path, int, bool]


def options_of(field: Field) -> tuple[Option, ...]:
    """Return what can be chosen for a field; () where something is typed."""
    found: list[Option] = []
    if field.kind == "boolean":
        found = [("true", True), ("false", False)]
    elif field.kind == "choice":
        found = list(zip(option_labels(field), option_texts(field), strict=True))
    elif field.kind == "variant":
        found = [(label, Picked(place, "")) for place, label in enumerate(option_labels(field))]
    if not found:
        return ()
    if field.is_nullable:
        found.append(("null", None))
    if not field.is_required or field.default is not ABSENT:
        found.append(("left out", ""))
    return tuple(found)


class Choose(Select[int]):
    """A list of options that opens with Enter or Space; the arrows go on to the next line."""


class FormLine(Vertical):
    """Shows one entry of a form, and says what is typed or chosen there."""

    @dataclass
    class Edited(Message):
        """Something was typed or chosen."""

        path: Path
        typed: Typed

    def __init__(self, entry: Entry, *, is_locked: bool = False) -> None:
        super().__init__()
        self.entry = entry
        self._is_locked = is_locked
        self._said = ""
        self._options: Sequence[Option] = () if entry.takes_json else options_of(entry.field)
        self._input = self._made()

    @property
    def control(self) -> Widget:
        """What takes the keys."""
        return self._input

    @property
    def key(self) -> LineKey:
        """The same while the same kind of input stands at the same place."""
        return key_of(self.entry)

    def compose(self) -> ComposeResult:
        """Lay out label, input and hint, and the error below."""
        with Horizontal(classes="form-row"):
            label = f"{' ' * INDENT * self.entry.depth}{label_of(self.entry)}"
            yield Static(Content(label), classes="form-label", markup=False)
            yield self._input
            hint = "locked by a rule" if self._is_locked else hint_of(self.entry)
            yield Static(Content(hint), classes="form-hint", markup=False)
        yield Static("", classes="form-error", markup=False)

    def _made(self) -> Widget:
        """Make the input for what the entry is."""
        entry = self.entry
        made: Widget
        if entry.field.kind == "constant":
            made = Static(Content(visible(json.dumps(entry.field.options[0]))), markup=False)
        elif entry.is_group or (entry.field.kind == "list" and not entry.takes_json):
            made = Static(Content(self._count()), markup=False)
            made.can_focus = entry.field.kind == "list" and not self._is_locked
        elif self._options and sum(width(label) + 5 for label, _ in self._options) - 3 <= IN_SIGHT:
            made = Picker([label for label, _ in self._options], self._place())
        elif self._options:
            place = self._place()
            made = Choose(
                [(Content(label), at) for at, (label, _) in enumerate(self._options)],
                prompt="choose",
                value=Select.NULL if place is None else place,
                compact=True,
            )
        else:
            empty = self._empty()
            made = Input(
                self._text(), compact=True, select_on_focus=False, placeholder=empty, classes="form-input"
            )
        if self._is_locked:
            made.disabled = True
        if not made.has_class("form-input"):  # each class that is added costs a look at all styles
            made.add_class("form-input")
        return made

    @property
    def typed(self) -> Typed:
        """What stands in the input at this moment."""
        typed = self.entry.typed
        match self._input:
            case Input() as line:
                return typed if line.value == self._text() else line.value
            case Picker(chosen=int(place)) if place != self._place():
                return self._options[place][1]
            case Choose(value=int(place)) if place != self._place():
                return self._options[place][1]
        return typed

    def show(self, entry: Entry, *, writes: bool = True) -> None:
        """Show what is typed now, saying nothing back; without `writes` the input keeps what stands there."""
        self.entry = entry
        if not writes and entry.field.kind != "list":
            return
        with self.prevent(Input.Changed, Select.Changed, Picker.Chosen):
            match self._input:
                case Input() as typed:
                    if typed.value != self._text():
                        typed.value = self._text()
                        typed.cursor_position = len(typed.value)
                    typed.placeholder = self._empty()
                case Picker() as picker:
                    picker.chosen = self._place()
                case Choose() as chosen:
                    place = self._place()
                    chosen.value = Select.NULL if place is None else place
                case Static() as heading if entry.field.kind == "list":
                    heading.update(Content(self._count()))

    def say(self, sentence: str) -> None:
        """Say below the input what is wrong; "" where nothing is."""
        if sentence == self._said:
            return
        self._said = sentence
        error = self.query_one(".form-error", Static)
        error.update(Content(visible(sentence)))
        error.set_class(bool(sentence), "-shown")

    def on_descendant_focus(self) -> None:
        """Draw the label as that of the line with the keys."""
        self.add_class("-current")

    def on_descendant_blur(self) -> None:
        """Draw the label as any other."""
        self.remove_class("-current")

    def _text(self) -> str:
        return self.entry.typed if isinstance(self.entry.typed, str) else ""

    def _empty(self) -> str:
        """What a blank input stands for."""
        return "null" if self.entry.typed is None else ""

    def _count(self) -> str:
        typed = self.entry.typed
        if self.entry.field.kind == "object":
            return ""
        if typed is None:
            return "null"
        if not isinstance(typed, list):
            return "left out" if not self.entry.field.is_required else "no elements"
        return f"{len(typed)} element{'' if len(typed) == 1 else 's'}" if typed else "no elements"

    def _place(self) -> int | None:
        """The place of the option that is typed."""
        return next(
            (at for at, (_, value) in enumerate(self._options) if _is_same(value, self.entry.typed)), None
        )

    @on(Input.Changed)
    def take_text(self, message: Input.Changed) -> None:
        """Say what is typed; a blank input that stands for null stays so."""
        message.stop()
        if message.value or self.entry.typed is not None:
            self.post_message(self.Edited(self.entry.path, message.value))

    @on(Picker.Chosen)
    def take_option(self, message: Picker.Chosen) -> None:
        """Say what was chosen."""
        message.stop()
        self.post_message(self.Edited(self.entry.path, self._options[message.place][1]))

    @on(Select.Changed)
    def take_selected(self, message: Select.Changed) -> None:
        """Say what was chosen from a list."""
        message.stop()
        place = message.value
        typed = self._options[place][1] if isinstance(place, int) else ""
        self.post_message(self.Edited(self.entry.path, typed))


def key_of(entry: Entry) -> LineKey:
    """Return what stays the same while the same kind of input stands at the same place."""
    return entry.path, id(entry.field), entry.takes_json


def _is_same(option: Typed, typed: Typed) -> bool:
    if isinstance(option, Picked) and isinstance(typed, Picked):
        return option.place == typed.place
    return type(option) is type(typed) and option == typed
