"""The exact answer that would be sent, and what it sets going, before anything is decided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from agent_lab_tui.graph.deciding.checks import ask_context
from agent_lab_tui.graph.deciding.replies import reply, reply_with
from agent_lab_tui.graph.questions import Choice, Question, Value
from agent_lab_tui.graph.reading.impact import computed
from agent_lab_tui.store.values import to_json

from ..paper.request import Sends
from .boundary import said

if TYPE_CHECKING:
    from agent_lab_tui.graph.desk import Desk
    from agent_lab_tui.graph.reading.reader import Thread

NO_FORM = "nothing yet: which answer is expected here is not known; v answers"
TYPED = "nothing yet: a yes is more than one key here; v opens its form"


def preview(desk: Desk, thread: Thread, question: Question, choices: Sequence[Choice] | None = None) -> Sends:
    """Return what the choices would send; without choices, what a yes to everything would."""
    impact = impact_of(desk, thread, question)
    if choices is None:
        if not all("approve" in operation.allowed for operation in question.operations):
            return Sends(refusal=NO_FORM if question.schema is None else TYPED, impact=impact)
        choices = tuple(Choice("approve") for _ in question.operations)
    try:
        made = reply(question, choices, ask_context(thread, question, desk.settings))
    except Exception as error:  # noqa: BLE001 - the boundary: what nobody foresaw is raised again
        return Sends(refusal=said(error, desk), impact=impact)
    return Sends(to_json(made.answer), is_known=True, impact=impact, warnings=made.warnings)


def impact_of(desk: Desk, thread: Thread, question: Question) -> tuple[str, ...]:
    """Return the computed part of a question's impact, a sentence a line."""
    facts = next((one for one in desk.facts if one.name == thread.graph), None)
    messages = thread.values.get("messages") if isinstance(thread.values, dict) else None
    return computed([question], waiting=thread.questions, facts=facts, messages=messages).lines


def check_choices(desk: Desk, thread: Thread, question: Question, choices: Sequence[Choice]) -> None:
    """Refuse choices that the question's convention cannot carry.

    Raises:
        Refused: With the cause.
    """
    reply(question, choices, ask_context(thread, question, desk.settings))


def check_value(desk: Desk, thread: Thread, question: Question, value: Value) -> None:
    """Refuse a value that the asking node could not read.

    Raises:
        Refused: With the cause.
    """
    reply_with(question, value, ask_context(thread, question, desk.settings))


def preview_value(sends: Sends, value: Value) -> Sends:
    """Return what an exact value sends: itself."""
    return replace(sends, answer=to_json(value), is_known=True, refusal="")
