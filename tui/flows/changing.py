"""Change the arguments of an operation, in a form where their schema is known, else as JSON."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from agent_lab_tui.graph.deciding.choices import edited
from agent_lab_tui.graph.questions import Choice, Refused
from agent_lab_tui.store.values import to_json

from ..paper.json_text import difference, editable
from ..screens.editing import JsonDialog, RowsDialog
from ..typed_json import parse
from .choosing import choose, confirmed
from .editor import edit_outside
from .preview import check_choices

if TYPE_CHECKING:
    from agent_lab_tui.graph.reading.reader import Thread

    from ..drafts import Item
    from ..screens.desk_deciding import DeskDeciding
    from .filling import Filling


async def edit(screen: DeskDeciding, is_outside: bool) -> None:
    """Change the arguments; the difference is shown before it is used."""
    item = screen.item
    if item is None or screen.shown is None:
        return
    thread = screen.shown.thread
    filling = None if is_outside else await asyncio.to_thread(_filling, item)
    if filling is not None:
        choice = await _in_form(screen, thread, filling)
    else:
        choice = await _as_json(screen, thread, item, is_outside)
    if choice is not None and await confirmed(screen, item, choice, is_typed=True):
        choose(screen, item, choice)


def _filling(item: Item) -> Filling | None:
    """Return the form of the arguments; None where their schema, or what they are now, makes none."""
    # Loaded here and not above: the desk's first request must not wait for forms.
    from .filling import Filling, begun_with, form_of

    operation = item.operation
    form = form_of(operation.schema)
    begin = begun_with(form, to_json(operation.arguments)) if form is not None else None
    if form is None or begin is None:
        return None
    title = f"Edit {operation.name}"
    return Filling(item, "edit", title, "uses it", form, begin, locked=operation.locked)


async def _in_form(screen: DeskDeciding, thread: Thread, filling: Filling) -> Choice | None:
    from .filling import fill

    item = filling.item
    while True:
        done = await fill(
            screen, filling, lambda value: _check(screen, thread, item, edited(value, item.operation))
        )
        if done is None:
            return None
        choice = edited(done.value, item.operation)
        if await _is_wanted(screen, item, choice):
            return choice


async def _as_json(screen: DeskDeciding, thread: Thread, item: Item, is_outside: bool) -> Choice | None:
    before = editable(to_json(item.operation.arguments))
    text, error = screen.drafts.text(item, "edit") or before, ""
    while True:
        text, is_done = await _typed_json(
            screen, f"Edit {item.operation.name}", (text, before), error, is_outside
        )
        is_outside = False
        screen.drafts.keep_text(item, "edit", text)
        if not is_done:
            return None
        try:
            choice = edited(parse(text), item.operation)
            await asyncio.to_thread(_check, screen, thread, item, choice)
        except Refused as refused:
            error = str(refused)
            continue
        if await _is_wanted(screen, item, choice):
            return choice
        error = ""


def _check(screen: DeskDeciding, thread: Thread, item: Item, choice: Choice) -> None:
    """Refuse an edit that its convention cannot carry, or that changes nothing.

    Raises:
        Refused: With the cause.
    """
    others = screen.drafts.supposed(item.question) or tuple(
        Choice("approve") for _ in item.question.operations
    )
    made = [choice if index == item.index else other for index, other in enumerate(others)]
    check_choices(screen.desk, thread, item.question, made)
    if editable(to_json(choice.arguments)) == editable(to_json(item.operation.arguments)):
        raise Refused("Nothing was changed: to run it as it is, go back and approve it.")


async def _is_wanted(screen: DeskDeciding, item: Item, choice: Choice) -> bool:
    """Show what the edit changes, and ask whether it is wanted so."""
    before = editable(to_json(item.operation.arguments))
    rows = list(difference(before, editable(to_json(choice.arguments))))
    title = f"Run {item.operation.name} with these changes?"
    return await screen.app.push_screen_wait(RowsDialog(title, rows, "uses them")) is True


async def _typed_json(
    screen: DeskDeciding, title: str, texts: tuple[str, str], error: str, is_outside: bool
) -> tuple[str, bool]:
    """Let JSON be edited, here or in the operator's own editor; return it, and whether it is finished.

    Args:
        screen: the desk's screen.
        title: what is edited.
        texts: the text to begin with, and the one to which it can be reset.
        error: what was wrong with it before.
        is_outside: the operator's own editor is wanted at once.
    """
    text, original = texts
    while True:
        if is_outside:
            text, error = edit_outside(screen.app, text, error)
        typed = await screen.app.push_screen_wait(JsonDialog(title, text, error, original=original))
        if typed is None or not typed.is_outside:
            return (typed.text, typed.is_done) if typed else (text, False)
        text, is_outside = typed.text, True
