"""Say what became of a run, by the evidence in the file rather than by the absence of an error."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from langgraph import errors

from agent_lab_tui.store.journal.book import Decision

from ..deciding.checks import asked
from ..deciding.telling import REPLACED
from ..hosting.events import OutcomeState
from ..reading.reader import Thread
from .engine import Ran

LONGEST_DETAIL = 300
LONGEST_STATUS = 40
"""Characters of what can still be a status."""
FEW = 3
"""Statuses that are told."""

_NOT_PENDING: type[Exception] | None = getattr(errors, "UnknownInterruptError", None)
"""What strict resume raises; a LangGraph without it can still be read with."""

SYNC_FAILURE = (
    "inside a node runs a graph without checkpoints, and LangGraph broke off at its start; go on: the node"
    " runs again, and from now on this graph's steps are saved while the next ones run"
)
"""LangGraph cannot let such a graph wait for each step to be saved, and says so with an AttributeError."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one decision."""

    state: OutcomeState
    detail: str
    error: str | None = None


def judge(decision: Decision, ran: Ran, before: Thread, after: Thread) -> Verdict:
    """Judge one decision of a run by how the thread stands afterwards.

    An answer counts as applied once its question is gone, also when a later node failed; it has failed
    when its question is still there, whether LangGraph kept the answer or not.
    """
    error = None if ran.error is None else SYNC_FAILURE if is_sync_failure(ran) else error_text(ran.error)
    if _is_stale(ran):
        return _nothing_ran(error)
    left = [question for question in after.questions if question.id in decision.order.questions]
    if any(question.has_stored_answer for question in left):
        return Verdict("failed", _failed(error or after.error or "its node failed"), error or after.error)
    if left:
        why = error or (
            "the run was stopped before it came to it" if ran.is_drained else "its node ended early"
        )
        return Verdict("failed", f"{_failed(why)}; the question waits again", why)
    if error is not None and not decision.order.questions:
        return Verdict("failed", _failed(error), error)
    return Verdict("applied", f"{stands(ran, after)}{_new_statuses(ran, before, after)}", error)


def judge_replaced(ran: Ran) -> Verdict:
    """Judge a run that wrote into a file which lies under the path no more: what is there now knows nothing.

    A question that waits there is no evidence that its answer had no effect.
    """
    error = None if ran.error is None else error_text(ran.error)
    if _is_stale(ran):
        return _nothing_ran(error)
    end = "it came to its end" if ran.error is None else _failed(error or "")
    return Verdict(
        "unknown", f"{REPLACED}, perhaps by a backup: {end}, and what it wrote went with the old file", error
    )


def stands(ran: Ran, after: Thread) -> str:
    """Say in a few words where a run left its thread; raw foreign text in it."""
    if ran.error is not None:
        return _failed(SYNC_FAILURE if is_sync_failure(ran) else error_text(ran.error))
    waiting = [question for question in after.questions if not question.has_stored_answer]
    if waiting:
        return f"asks: {asked(waiting)}"
    if not after.next:
        return "finished"
    where = "stopped after the step, as asked, before" if ran.is_drained else "stopped before"
    return f"{where} {', '.join(after.next)}"


def _new_statuses(ran: Ran, before: Thread, after: Thread) -> str:
    """Say what a run that has ended wrote into the fields of its state that are called a status.

    Such a field tells what "finished" leaves open: whether something was done now, or was there already.
    """
    is_ended = ran.error is None and not after.next and not after.questions
    if not is_ended or not isinstance(after.values, Mapping):
        return ""
    old = before.values if isinstance(before.values, Mapping) else {}
    new = [
        f"{name} {value}"
        for name, value in after.values.items()
        if isinstance(name, str) and (name == "status" or name.endswith("_status"))
        if isinstance(value, str) and 0 < len(value) <= LONGEST_STATUS and old.get(name) != value
    ]
    return f"; {', '.join(new[:FEW])}" if new else ""


def error_text(error: BaseException) -> str:
    """Return an error in one line of its type and its words."""
    if isinstance(error, SystemExit):
        return f"SystemExit: the node ended itself with sys.exit({error.code!r})"
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def is_sync_failure(ran: Ran) -> bool:
    """Return whether LangGraph broke down on an inner graph without checkpoints."""
    return isinstance(ran.error, AttributeError) and "_put_checkpoint_fut" in str(ran.error)


def _is_stale(ran: Ran) -> bool:
    return _NOT_PENDING is not None and isinstance(ran.error, _NOT_PENDING)


def _nothing_ran(error: str | None) -> Verdict:
    return Verdict("stale", "The question was no longer waiting when the answer came; nothing ran.", error)


def _failed(error: str) -> str:
    return f"failed: {error.partition(chr(10))[0]}"[:LONGEST_DETAIL]
