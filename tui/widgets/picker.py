"""One of a few options, all of them in sight, chosen with the arrows or a letter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from ..paper.rows import Piece
from ..visible import width
from .bar import cropped
from .ink import Inked


class Picker(Inked, can_focus=True):
    """Shows options on one line; none of them is chosen before somebody chooses."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,space", "choose(1)", "Next option", show=False, id="picker.next"),
        Binding("left", "choose(-1)", "Option before", show=False, id="picker.previous"),
    ]

    chosen: reactive[int | None] = reactive(None)
    """The place of the option that is chosen."""

    @dataclass
    class Chosen(Message):
        """Another option was chosen by hand."""

        picker: Picker
        place: int

        @property
        def control(self) -> Picker:
            """The picker it came from."""
            return self.picker

    def __init__(self, options: Sequence[str], chosen: int | None = None) -> None:
        super().__init__()
        self._options = tuple(options)
        self.set_reactive(Picker.chosen, chosen)

    def _pieces(self) -> list[tuple[Piece, ...]]:
        """Write each option with its mark; the chosen one under the cursor while it has the keys."""
        found: list[tuple[Piece, ...]] = []
        for place, option in enumerate(self._options):
            is_chosen = place == self.chosen
            ink = "accent" if is_chosen else "dim"
            found.append(((("◉ " if is_chosen else "○ "), ink), (option, ink), ("   ", "")))
        return found

    def render_line(self, y: int) -> Strip:
        """Draw the options."""
        cells = self.size.width
        if y:
            return Strip.blank(cells, self.rich_style)
        pieces = cropped([piece for option in self._pieces() for piece in option], cells)
        under = "cursor-away" if self.has_focus else ""
        return Strip(self.segments(pieces, under)).adjust_cell_length(cells, self.ink("", under))

    def on_focus(self) -> None:
        """Draw the line as the one that has the keys."""
        self.refresh()

    def on_blur(self) -> None:
        """Draw the line without the keys."""
        self.refresh()

    def on_key(self, event: events.Key) -> None:
        """Choose the next option that begins with a letter."""
        if not event.is_printable or not event.character or event.character.isspace():
            return
        count, start = len(self._options), -1 if self.chosen is None else self.chosen
        for step in range(1, count + 1):
            place = (start + step) % count
            if self._options[place].casefold().startswith(event.character.casefold()):
                event.stop()
                self._choose(place)
                return

    def on_click(self, event: events.Click) -> None:
        """Choose the option under the pointer."""
        at = 0
        for place, pieces in enumerate(self._pieces()):
            at += sum(width(text) for text, _ in pieces)
            if event.x < at:
                self._choose(place)
                return

    def action_choose(self, step: int) -> None:
        """Choose the next option, or the one before."""
        if self.chosen is None:
            self._choose(0 if step > 0 else len(self._options) - 1)
        else:
            self._choose((self.chosen + step) % len(self._options))

    def _choose(self, place: int) -> None:
        self.chosen = place
        self.post_message(self.Chosen(self, place))
