"""The form for an answer whose schema is known: inputs, their errors, and the exact JSON they make."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from textual import on
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static, TextArea

from agent_lab_tui.graph.conventions.form import Field
from agent_lab_tui.graph.conventions.form_input import Typed, typed_for
from agent_lab_tui.graph.conventions.form_problems import Filled, as_far, read
from agent_lab_tui.graph.conventions.schemas import misfit

from ..form_draft import FilledIn, FormDraft
from ..paper.form_words import help_of
from ..paper.json_text import editable, json_lines
from ..typed_json import NotJson, parse
from ..visible import visible, visible_block, width
from ..widgets.form_fields import FormFields
from .answering import Offer
from .dialog import words
from .editing import language
from .form_keys import FormKeys

SHARE = 5
"""The part of the screen's lines that the JSON may take beside the form: one in five."""


class FormDialog(FormKeys):
    """Takes an answer field by field, or as JSON; what will be sent is shown all the time."""

    def __init__(
        self,
        title: str,
        form: Field,
        draft: FormDraft,
        *,
        verb: str = "sends exactly this",
        offers: Sequence[Offer] = (),
        locked: Collection[str] = (),
        error: str = "",
    ) -> None:
        more = "   F3 earlier answer" if offers else ""
        super().__init__(title, f"Ctrl+S {verb}   F2 form or JSON{more}   Enter ↑ ↓ next line   Esc back")
        self._form = form
        self._begin = draft.typed
        self.json = draft.json
        self._offers = tuple(offers)
        self._offered = -1
        self._locked = locked
        self._error = error
        self._was_tried = bool(error)
        self._written = ""
        self._shown: list[str] = []

    def body(self) -> Iterable[Widget]:
        """Yield what the form is about, its lines or the JSON, and what is sent."""
        if self._form.description:
            yield words(self._form.description, classes="dialog-note")
        yield FormFields(self._form, self._begin, self._locked)
        yield TextArea(
            self.json or "",
            language=language(),
            soft_wrap=True,
            tab_behavior="indent",
            show_line_numbers=True,
            id="json",
        )
        yield words("", id="form-help")
        yield words("", id="sends")

    def on_mount(self) -> None:
        """Show the form, or the JSON where that was left."""
        self._show_page()
        self.say(self._error)

    # What is typed

    @property
    def _filled(self) -> Filled:
        return read(self._form, self.fields.now())

    def _draft(self) -> FormDraft:
        return FormDraft(self.fields.now(), None if self.json is None else self.query_one(TextArea).text)

    @on(FormFields.Changed)
    def take_change(self) -> None:
        """Show what the form says now."""
        if self.query_one("#dialog-error").has_class("-shown"):
            self.say("")
        self._show_value()

    @on(FormFields.Entered)
    def show_help(self, message: FormFields.Entered) -> None:
        """Say all there is to say about the input that has the keys."""
        self.query_one("#form-help", Static).update(Content(help_of(message.entry)))

    def _show_value(self) -> None:
        """Show what would be sent, and what is wrong at each input."""
        filled = self._filled
        shown = [one for one in filled.problems if self._was_tried or not one.is_blank]
        self.fields.say({one.path: one.sentence for one in shown})
        if filled.is_ready:
            self._show_sends(json_lines(filled.value, room=max(20, self.size.width - 24)))
            return
        first, *more = filled.problems
        left = f" And {len(more)} more." if more else ""
        self._show_sends([f"nothing yet: {first.sentence}{left}"])

    def _show_sends(self, lines: Sequence[str]) -> None:
        most = max(1, self.size.height // SHARE)
        kept, left = "\n".join(lines[:most]), len(lines) - most
        more = f"\n… {left} more lines, F2 shows them all" if left > 0 else ""
        shown = f"Sends   {visible_block(kept)}{more}".split("\n")
        before, self._shown = self._shown, shown
        sends = self.query_one("#sends", Static)
        # To lay out the screen costs more than all else that a key does; most keys change no height.
        is_as_high = len(before) == len(shown) and max(map(width, (*before, *shown))) <= sends.size.width
        sends.update(Content("\n".join(shown)), layout=not is_as_high)

    # Form or JSON

    def _show_page(self) -> None:
        """Show the form or the JSON, and give it the keys."""
        is_json = self.json is not None
        self.set_class(is_json, "-json")
        if is_json:
            self._show_json_value()
            self.query_one(TextArea).focus()
        else:
            self._show_value()
            self.fields.go_to(())

    @on(TextArea.Changed)
    def _show_json_value(self) -> None:
        """Say whether the JSON fits."""
        if self.json is None:
            return
        self.say("")
        try:
            what = misfit(self._form.schema, parse(self.query_one(TextArea).text))
        except NotJson as error:
            self._show_sends([f"nothing yet: {error}"])
            return
        self._show_sends([f"nothing yet: it does not fit, {what}" if what else "exactly this"])

    async def action_other(self) -> None:
        """Go from the form to JSON, or back where the JSON has a place in the form."""
        area = self.query_one(TextArea)
        if self.json is None:
            filled = self._filled
            value = filled.value if filled.is_ready else as_far(self._form, self.fields.now())
            self.json = self._written = editable(value)
            area.text = self.json
        elif area.text == self._written:
            self.json = None
        else:
            try:
                typed = typed_for(self._form, parse(area.text))
            except NotJson as error:
                self._go_to_error(error)
                return
            if not has_place(self._form, typed):
                self.say("The form has no place for all of this: Ctrl+S uses it as JSON.")
                return
            self.json = None
            await self.fields.show(typed)
        self.say("")
        self._show_page()

    def _go_to_error(self, error: NotJson) -> None:
        self.query_one(TextArea).move_cursor((error.line, error.column), center=True)
        self.call_after_refresh(self.say, str(error))

    async def action_offer(self) -> None:
        """Take the next of the answers that were given here before, or that the question lists."""
        if self.json is not None or not self._offers:
            return
        self._offered = (self._offered + 1) % len(self._offers)
        offer = self._offers[self._offered]
        await self.fields.show(typed_for(self._form, offer.value))
        self.say("")
        self.query_one("#form-help", Static).update(Content(visible(offer.source)))

    # The end

    def action_use(self) -> None:
        """Finish, where what is filled in fits; else go to the first input that does not."""
        if self.json is not None:
            self._use_json()
            return
        filled = self._filled
        if filled.is_ready:
            self.dismiss(FilledIn(self._draft(), True, filled.value))
            return
        self._was_tried = True
        self._show_value()
        count = len(filled.problems)
        self.say(f"{count} input{' is' if count == 1 else 's are'} not right yet.")
        self.fields.go_to(filled.problems[0].path)

    def _use_json(self) -> None:
        try:
            value = parse(self.query_one(TextArea).text)
        except NotJson as error:
            self._go_to_error(error)
            return
        if what := misfit(self._form.schema, value):
            self.say(f"It does not fit: {what}.")
            return
        self.dismiss(FilledIn(self._draft(), True, value))

    def action_back(self) -> None:
        """Close an open list of options; else go back, keeping what is filled in."""
        if not self.fields.close_options():
            self.dismiss(FilledIn(self._draft(), False))


def has_place(form: Field, typed: Typed) -> bool:
    """Tell whether a form can hold what is typed without one JSON text for the whole of it."""
    return not (isinstance(typed, str) and typed and form.kind in ("object", "list", "variant", "json"))
