"""The ways on that are no answer: when a thread can go on, ask again, be stepped over or be ended."""

from __future__ import annotations

from collections.abc import Collection

from ..conventions.base import short
from ..questions import Refused
from ..reading.situation import Situation
from ..reading.threads import Thread
from .checks import asked, ended, stands, takes_answers
from .said import is_said


def refuse_go_on(thread: Thread) -> None:
    """Refuse to go on where nothing is left, or where the next thing is a person's answer.

    Raises:
        Refused: With what to do instead.
    """
    if is_finished(thread):
        raise Refused("The thread is finished: there is nothing to go on with.")
    waiting = [one for one in thread.questions if not one.has_stored_answer and takes_answers(one)]
    if waiting and len(waiting) == len(thread.questions):
        raise Refused(
            ended(f"Going on would only ask again: the thread waits for an answer to {asked(waiting)}")
        )


def refuse_ask_again(thread: Thread) -> None:
    """Refuse to drop a stored answer where there is none.

    Raises:
        Refused: With what to do instead.
    """
    if not any(question.has_stored_answer for question in thread.questions):
        raise Refused(ended(f"No answer is stored that could be dropped: {stands(thread)}"))


def step_over(thread: Thread, node: str | None, step: Collection[str]) -> str:
    """Return the node that is stepped over.

    Args:
        thread: The thread.
        node: The node that was named, if any.
        step: All nodes of the thread's step, also those that have run.

    Raises:
        Refused: The thread asks a question, stands before no node or another one, or the step has several.
    """
    if thread.questions:
        raise Refused(
            ended(f"Answer it instead of stepping over it: the thread asks for {asked(thread.questions)}")
        )
    if not thread.next:
        raise Refused(ended(f"There is no node to step over: {stands(thread)}"))
    if len(set(step)) > 1:
        raise Refused(
            f"{', '.join(map(short, step))} belong to one step, and LangGraph can step over one of them only"
            " by dropping the others: they would never run, or lose what they have stored. Let the thread go"
            " on, which runs what is left of the step, or abandon it."
        )
    if node not in (None, thread.next[0]):
        raise Refused(f"Only the node before which it stands can be stepped over: {short(thread.next[0])}.")
    return thread.next[0]


def refuse_abandon(thread: Thread, reason: str) -> None:
    """Refuse to end a thread without a reason, or one that has ended.

    Raises:
        Refused: With the cause.
    """
    if not is_said(reason):
        raise Refused("Ending a thread needs a reason: it is kept in the journal.")
    if is_finished(thread):
        raise Refused("The thread is finished already.")


def is_finished(thread: Thread) -> bool:
    """Tell whether nothing is left to run; a thread killed between two steps is not finished."""
    return thread.situation is Situation.DONE


def about(thread: Thread, question_ids: Collection[str] | None = None) -> tuple[str, ...]:
    """Return what a yes would let run: the operations asked for, or else the nodes that come next."""
    asking = [one for one in thread.questions if question_ids is None or one.id in question_ids]
    if asking:
        return tuple(operation.name for question in asking for operation in question.operations)
    return thread.next
