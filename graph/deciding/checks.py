"""What must still hold at the moment of sending, judged from raw rows before anything runs."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agent_lab_tui.store.journal.book import Decision, Order
from agent_lab_tui.store.values import Unreadable, decode

from ..conventions.base import AskContext, short
from ..conventions.registry import recognise
from ..questions import Question, Refused, Value
from ..reading.situation import Situation
from ..reading.threads import Thread
from ..settings.file import Settings

_ID = re.compile(r"[0-9a-f]{32}")


class Stale(Exception):
    """What was decided is not what the thread asks any more; nothing was sent."""


def before_sending(decision: Decision, thread: Thread, settings: Settings | None = None) -> None:
    """Let an order pass only if the thread still is what the operator saw.

    Answers are checked question by question: answering one of several parallel questions leaves the
    head and the digests of the others as they are.

    Raises:
        Stale: The question, or for other orders the thread, is not the one that was on the screen.
        Refused: The answer does not fit the way of asking.
    """
    order = decision.order
    if order.kind == "answer":
        for question_id in order.questions:
            question = still_waiting(thread, question_id, order.questions)
            if question.digest != order.digests.get(question_id):
                raise Stale(
                    ended(f"This question has changed since it was shown; it now asks: {asked((question,))}")
                )
            check_answer(thread, question, _answer(order, question_id), settings)
    elif not order.options.get("into") and order.digest != thread.digest:
        raise Stale(ended(f"The thread has moved on since it was shown: {stands(thread)}"))


def still_waiting(thread: Thread, question_id: str, besides: Sequence[str] = ()) -> Question:
    """Return a question of a thread that can be answered now.

    Args:
        thread: The thread as it stands.
        question_id: The one wanted.
        besides: Others that are being answered too, which are not to be named as new ones.

    Raises:
        Stale: It is gone, or has got its answer already.
        Refused: It was asked in a way that takes no answer, or the id cannot be one.
    """
    for question in thread.questions:
        if question.id == question_id:
            if not takes_answers(question):
                raise Refused(
                    "It was asked in LangGraph's old way (NodeInterrupt), which takes no answer:"
                    " edit the state with a fork, then let it go on."
                )
            if question.has_stored_answer:
                raise Stale(
                    "An answer to this question is stored already and its step failed:"
                    " go-on tries again with it, ask-again drops it and asks anew."
                )
            return question
    if not _ID.fullmatch(question_id):
        raise Refused(f"{short(question_id)!r} is no question: LangGraph's ids have 32 hexadecimal digits.")
    others = [question for question in thread.questions if question.id not in besides]
    if others:
        raise Stale(ended(f"This question is no longer waiting; a different one is: {asked(others)}"))
    raise Stale(ended(f"This question is no longer waiting: {stands(thread)}"))


def takes_answers(question: Question) -> bool:
    """Tell whether a question has an id of its own; LangGraph takes anything else for a plain answer."""
    return _ID.fullmatch(question.id) is not None


def as_seen(seen: Thread, now: Thread, question_id: str, besides: Sequence[str] = ()) -> Question:
    """Return a question that can be answered now and is the very one that was on the screen.

    Raises:
        Stale: It is gone, has got its answer, or has changed.
    """
    question = still_waiting(now, question_id, besides)
    if question.digest not in [shown.digest for shown in seen.questions if shown.id == question_id]:
        raise Stale(ended(f"This question has changed since it was shown; it now asks: {asked((question,))}"))
    return question


def check_answer(thread: Thread, question: Question, answer: Value, settings: Settings | None) -> None:
    """Refuse an answer that the asking node could not read; it would be stored with the thread for good.

    Raises:
        Refused: With the cause.
    """
    if isinstance(answer, Unreadable):
        raise Refused(f"The recorded answer cannot be read ({answer.reason}): decide again.")
    context = ask_context(thread, question, settings)
    convention, _why = recognise(question.value, question.schema, context)
    convention.check(question.value, question.schema, answer, context)


def ask_context(thread: Thread, question: Question, settings: Settings | None) -> AskContext:
    """Return what is known around a question of a thread."""
    values = thread.values if isinstance(thread.values, dict) else {}
    return AskContext(
        node=question.node,
        graph=thread.graph,
        settings=settings or Settings(),
        messages=values.get("messages"),
        answers_given=question.answers_given,
        plain_only=question.plain_only,
    )


def asked(questions: Sequence[Question]) -> str:
    """Say in a few words what questions ask for; raw foreign text."""
    names = [
        short(operation.name or question.node)
        for question in questions
        for operation in question.operations[:3]
    ]
    shown = ", ".join(names[:3]) or "something"
    return f"{shown} and {len(names) - 3} more" if len(names) > 3 else shown


def ended(sentence: str) -> str:
    """End a sentence, unless foreign words at its end have done so."""
    return sentence if sentence.endswith((".", "?", "!", "…")) else f"{sentence}."


def stands(thread: Thread) -> str:
    """Say in a few words where a thread stands, without regard to who is about to run it."""
    if thread.questions:
        return f"it now asks: {asked(thread.questions)}"
    if thread.error:
        return f"it failed with {short(thread.error)}"
    if thread.next:
        return f"it stands before {', '.join(map(short, thread.next))}"
    if thread.situation is Situation.STOPPED:
        return "it was stopped between two steps"
    return "it is finished"


def _answer(order: Order, question_id: str) -> Value:
    if question_id not in order.answers:
        raise Refused("The recorded decision holds no answer to one of its questions: decide again.")
    return decode("msgpack", order.answers[question_id])
