"""Where a thread stands, in the product's words, with the evidence for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum


class Situation(StrEnum):
    """Where a thread stands."""

    WAITING = "waiting"
    DECIDED = "decided"
    RUNNING = "running"
    STUCK = "stuck"
    FAILED = "failed"
    STOPPED = "stopped"
    DONE = "done"
    FOREIGN = "foreign"
    QUIET = "quiet"


@dataclass(frozen=True, slots=True)
class Marks:
    """What the desk's own record says of a thread."""

    open_decision: str | None = None
    """State of the newest open decision: recorded, running, unknown or failed."""
    is_lease_alive: bool = False
    """A live process has the right to run the thread."""
    claimed: frozenset[str] = frozenset()
    """The question ids that open decisions hold."""
    ended_how: str = ""
    """How the process of the newest open decision ended, where somebody saw it; without a full stop."""
    broken_off: str | None = None
    """How the run broke off that left the thread here, and what may have begun; without a full stop."""
    is_sealed: bool = False
    """The newest open decision cannot be read here."""


@dataclass(frozen=True, slots=True)
class Asking:
    """One question, as far as the situation needs it."""

    id: str
    node: str
    is_answered: bool = False
    """An answer is stored and its node has failed with it."""
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Rows:
    """What the rows say of a thread at its head."""

    questions: tuple[Asking, ...] = ()
    next: tuple[str, ...] = ()
    """Nodes that have not finished, one for each task."""
    failed: tuple[tuple[str, str], ...] = ()
    """Node and error of tasks that failed and have not finished since."""
    finished: int = 0
    """Tasks of the step that have stored their results."""
    source: str | None = None
    """Where the head comes from: input, loop, update or fork."""
    step: int | None = None
    written_at: float | None = None
    """When the head was made, unix seconds."""
    unknown: tuple[str, ...] = ()
    """Next nodes that the loaded graph does not have."""
    is_foreign: bool = False
    """Graphs are loaded, and the thread belongs to none of them."""
    breakpoints: tuple[str, ...] = ()
    """Next nodes before which the loaded graph stops."""
    is_vague: bool = False
    """The file's old layout does not tell whether anything is left to run."""
    unreadable: str | None = None
    """Why the checkpoint cannot be read."""


def situation_of(rows: Rows, marks: Marks = Marks()) -> tuple[Situation, str]:
    """Tell where a thread stands, with one sentence of evidence; raw foreign names in it."""
    if marks.is_lease_alive:
        return Situation.RUNNING, "A live process has the right to run this thread now."
    if rows.unknown or (rows.is_foreign and rows.next):
        names = _names(rows.unknown or rows.next)
        return Situation.FOREIGN, f"No loaded graph fits this thread, which stands before {names}."
    if (decided := _decided(rows, marks)) is not None:
        return Situation.DECIDED, decided
    if rows.questions:
        return _asking(rows)
    if rows.failed:
        node, error = rows.failed[0]
        more = f", and {_count(len(rows.failed) - 1, 'other task')} failed" if len(rows.failed) > 1 else ""
        return Situation.FAILED, f"Node {node} raised {error}{more}."
    if rows.next or rows.finished:
        return Situation.STOPPED, _stopped(rows, marks)
    if rows.unreadable is not None:
        return Situation.QUIET, f"Whether anything is left to run cannot be told: {rows.unreadable}."
    if rows.is_vague:
        return Situation.QUIET, "A LangGraph before 0.4 wrote this; its rows do not tell what runs next."
    return Situation.DONE, f"No node is left to run after step {_step(rows)}."


def _decided(rows: Rows, marks: Marks) -> str | None:
    """Say what was decided, unless another question of the thread is still open to a decision."""
    is_open = any(one.id not in marks.claimed and not one.is_answered for one in rows.questions)
    if is_open and not marks.is_sealed:  # which question a sealed decision is about cannot be told
        return None
    if marks.open_decision == "recorded":
        return "A decision is recorded and has not started."
    if marks.open_decision == "running":
        return f"A decision had started, and the process that carried it out is gone{_how(marks)}."
    if marks.open_decision == "unknown":
        return f"What became of the last decision is not known{_how(marks)}."
    return None


def _how(marks: Marks) -> str:
    return f": {marks.ended_how}" if marks.ended_how else ""


def _asking(rows: Rows) -> tuple[Situation, str]:
    stuck = [one for one in rows.questions if one.is_answered]
    if stuck:
        return (
            Situation.STUCK,
            f"An answer is stored for node {stuck[0].node}, which failed with it: {stuck[0].error}.",
        )
    nodes = _names([one.node for one in rows.questions])
    text = f"{_count(len(rows.questions), 'question')} at {nodes}, unanswered"
    if rows.failed:
        text += f"; node {rows.failed[0][0]} raised {rows.failed[0][1]}"
    return Situation.WAITING, f"{text}."


def _stopped(rows: Rows, marks: Marks) -> str:
    """Say why a thread that asks nothing has not come to its end, as far as the rows allow."""
    when = f"last written {_time(rows.written_at)}"
    if not rows.next:
        return (
            f"Every task after step {_step(rows)} has stored its results, but the next checkpoint is missing:"
            f" killed in between, or running in a process that cannot be seen; {when}."
        )
    names = _names(rows.next)
    if marks.broken_off is not None:
        words = f"{marks.broken_off[:1].upper()}{marks.broken_off[1:]}"
        return f"{words}; going on runs {names} again; {when}."
    if rows.finished:
        return (
            f"{_count(rows.finished, 'task')} of the step finished, {names} did not: killed,"
            f" or running in a process that cannot be seen; {when}."
        )
    if rows.breakpoints:
        return f"Stands before {names}, where the graph has a breakpoint; {when}."
    reasons = {
        "update": "The state was edited, and nothing has run since",
        "fork": "A replay began here, and nothing has run since",
        "input": "An input is stored, and no node has run yet",
    }
    why = reasons.get(
        rows.source or "", "No question and no error: a breakpoint, a killed run, or one that cannot be seen"
    )
    return f"{why}; stands before {names}; {when}."


def _names(nodes: Sequence[str]) -> str:
    """Name nodes, each once with how often."""
    unique = dict.fromkeys(nodes)
    return ", ".join(f"{node} x{nodes.count(node)}" if nodes.count(node) > 1 else node for node in unique)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _step(rows: Rows) -> str:
    return "?" if rows.step is None else str(rows.step)


def _time(at: float | None) -> str:
    if at is None:
        return "at an unknown time"
    return f"at {datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M:%S} UTC"
