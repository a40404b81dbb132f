"""The keys of a form, and those of them that go from line to line."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from ..form_draft import FilledIn
from ..widgets.form_fields import FormFields
from ..widgets.form_line import Choose
from .dialog import Dialog


class FormKeys(Dialog[FilledIn]):
    """Moves between the lines of a form, and changes which there are."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "ctrl+s",
            "use",
            "Use this",
            id="form.use",
            tooltip="Send or use what is filled in, if all of it fits",
        ),
        Binding("f2", "other", "Form or JSON", id="form.json", tooltip="JSON instead of the form, and back"),
        Binding(
            "down,tab",
            "line(1)",
            "Next line",
            id="form.down",
            show=False,
            tooltip="The next line, or the first",
            priority=True,
        ),
        Binding(
            "up,shift+tab",
            "line(-1)",
            "Line above",
            id="form.up",
            show=False,
            tooltip="The line above",
            priority=True,
        ),
        Binding(
            "enter",
            "enter",
            "Next line",
            id="form.enter",
            show=False,
            tooltip="The next line; it sends nothing",
            priority=True,
        ),
        Binding("f4", "null", "Null", id="form.null", tooltip="Null, or nothing again", priority=True),
        Binding("f7", "add", "Add", id="form.add", tooltip="Add an element", priority=True),
        Binding(
            "f8", "remove", "Remove", id="form.remove", tooltip="Remove it, or leave it out", priority=True
        ),
        Binding(
            "f3",
            "offer",
            "Earlier answer",
            id="form.offer",
            tooltip="Take an answer that was given here before",
        ),
    ]

    json: str | None
    """The text with which the JSON editor was opened; None while the form is open."""

    @property
    def fields(self) -> FormFields:
        """The lines of the form."""
        return self.query_one(FormFields)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave arrows and Enter to JSON and to an open list of options.

        They go before the inputs here: what is typed right after one of them belongs to the next line.
        """
        if action not in ("line", "enter", "null", "add", "remove"):
            return super().check_action(action, parameters)
        if self.json is not None or self.fields.has_open_options:
            return False
        return action != "enter" or not isinstance(self.focused, Choose)

    def action_line(self, step: int) -> None:
        """Go to the next line, or to the one above."""
        self.fields.step(step)

    def action_enter(self) -> None:
        """Go to the next line: Enter sends nothing."""
        self.fields.step(1)

    async def action_null(self) -> None:
        """Fill in null where it may stand, or nothing again."""
        await self.fields.turn_null()

    async def action_add(self) -> None:
        """Add an element to the list in front."""
        await self.fields.add()

    async def action_remove(self) -> None:
        """Remove the element in front, or leave out what need not be there."""
        await self.fields.remove_element()
