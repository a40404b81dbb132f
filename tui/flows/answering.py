"""Answer a question with an exact value: what may be meant is offered, what is sent is shown."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from agent_lab_tui.graph.conventions.proposals import proposals
from agent_lab_tui.graph.deciding.checks import ask_context
from agent_lab_tui.graph.questions import Question, Refused
from agent_lab_tui.store.values import to_json

from ..screens.answering import AnswerDialog, Offer
from .preview import check_value

if TYPE_CHECKING:
    from agent_lab_tui.graph.conventions.form import Field
    from agent_lab_tui.graph.desk import Desk
    from agent_lab_tui.graph.reading.reader import Thread

    from ..drafts import Item
    from ..screens.desk_state import DeskState

YES_NO = (Offer(True, "yes"), Offer(False, "no"))
ALONE = frozenset({"plain", "response-schema"})
"""Ways of asking in which a question is its one operation; in the others the answer is more than a choice."""


def offers(desk: Desk, thread: Thread, question: Question, *, with_yes_no: bool = True) -> tuple[Offer, ...]:
    """Return the values that may be meant: what was answered here before, what it lists, yes and no.

    What the question's own way of asking would refuse is not offered.
    """
    found = proposals(question.value, ask_context(thread, question, desk.settings))
    listed = tuple(Offer(to_json(proposal.value), proposal.source) for proposal in found)
    known = [offer.value for offer in listed]
    more = YES_NO if with_yes_no else ()
    meant = (*listed, *(offer for offer in more if not any(offer.value is value for value in known)))
    return tuple(offer for offer in meant if _is_taken(desk, thread, question, offer))


def _is_taken(desk: Desk, thread: Thread, question: Question, offer: Offer) -> bool:
    try:
        check_value(desk, thread, question, offer.value)
    except Refused:
        return False
    return True


def title_of(item: Item) -> str:
    """Say what is answered: the question as a whole, where that is more than its one operation."""
    question = item.question
    if len(question.operations) > 1 or question.convention not in ALONE:
        return "Answer the whole question"
    return f"Answer {item.operation.name or question.node}"


async def ask_value(screen: DeskState, item: Item) -> tuple[bool, Any]:
    """Ask for the value to send until it fits, or the operator goes back; return whether there is one.

    A question that brings the schema of its answer is asked as a form.
    """
    shown = screen.shown
    if shown is None:
        return False, None
    # Loaded here and not above: the desk's first request must not wait for forms.
    from .filling import form_of

    form = await asyncio.to_thread(form_of, item.question.schema)
    if form is not None:
        return await _filled(screen, item, form, shown.thread)
    return await _typed(screen, item, shown.thread)


async def _filled(screen: DeskState, item: Item, form: Field, thread: Thread) -> tuple[bool, Any]:
    from .filling import Filling, fill, fitting

    # Away from the screen: each offer is judged by the question's own schema, which is foreign.
    meant = await asyncio.to_thread(offers, screen.desk, thread, item.question, with_yes_no=False)
    given = await asyncio.to_thread(fitting, form, meant)
    filling = Filling(item, "form", title_of(item), "sends exactly this", form, offers=given)
    done = await fill(screen, filling, lambda value: check_value(screen.desk, thread, item.question, value))
    return (True, done.value) if done else (False, None)


async def _typed(screen: DeskState, item: Item, thread: Thread) -> tuple[bool, Any]:
    given, error = await asyncio.to_thread(offers, screen.desk, thread, item.question), ""
    while True:
        typed = await screen.app.push_screen_wait(
            AnswerDialog(
                title_of(item),
                text=screen.drafts.text(item, "value") or "",
                offers=given,
                error=error,
            )
        )
        if typed is None:
            return False, None
        screen.drafts.keep_text(item, "value", typed.text)
        if not typed.is_done:
            return False, None
        try:
            await asyncio.to_thread(check_value, screen.desk, thread, item.question, typed.value)
        except Refused as refused:
            error = str(refused)
            continue
        return True, typed.value
