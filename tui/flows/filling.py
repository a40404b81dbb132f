"""Fill in a form, where the schema of what is asked for is known."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from agent_lab_tui.graph.conventions.form import Field, read_form
from agent_lab_tui.graph.conventions.form_input import typed_for
from agent_lab_tui.graph.conventions.schemas import misfit, unusable
from agent_lab_tui.graph.questions import Refused

from ..form_draft import FilledIn, FormDraft
from ..screens.answering import Offer
from ..screens.form import FormDialog, has_place

if TYPE_CHECKING:
    from ..drafts import Item
    from ..screens.desk_state import DeskState


@dataclass(frozen=True, slots=True)
class Filling:
    """What is to be filled in for one operation."""

    item: Item
    kind: str
    """Under which its draft is kept."""
    title: str
    verb: str
    form: Field
    begin: FormDraft = FormDraft()  # noqa: RUF009 - it is frozen
    offers: Sequence[Offer] = ()
    locked: Collection[str] = ()


def form_of(schema: Mapping[str, Any] | None) -> Field | None:
    """Return the form of a schema; None where it has no use for one: it is missing, or takes any JSON."""
    if schema is None or unusable(schema):
        return None
    form = read_form(schema)
    return None if form.kind in ("json", "constant") else form


def begun_with(form: Field, value: Any) -> FormDraft | None:
    """Return a form with a value filled in; None where it has no place for it."""
    typed = typed_for(form, value)
    return FormDraft(typed) if has_place(form, typed) else None


def fitting(form: Field, offers: Sequence[Offer]) -> tuple[Offer, ...]:
    """Return the values on offer that a form can hold and its schema allows."""
    return tuple(
        offer
        for offer in offers
        if misfit(form.schema, offer.value) is None and has_place(form, typed_for(form, offer.value))
    )


async def fill(screen: DeskState, filling: Filling, check: Callable[[Any], None]) -> FilledIn | None:
    """Show a form until what is filled in passes the check; None where the operator goes back.

    Args:
        screen: the desk's screen.
        filling: what is to be filled in.
        check: refuses a value with the cause; called away from the screen.
    """
    error = ""
    while True:
        draft = screen.drafts.form(filling.item, filling.kind) or filling.begin
        done = await screen.app.push_screen_wait(
            FormDialog(
                filling.title,
                filling.form,
                draft,
                verb=filling.verb,
                offers=filling.offers,
                locked=filling.locked,
                error=error,
            )
        )
        if done is None:
            return None
        screen.drafts.keep_form(filling.item, filling.kind, done.draft)
        if not done.is_done:
            return None
        try:
            await asyncio.to_thread(check, done.value)
        except Refused as refused:
            error = str(refused)
            continue
        return done
