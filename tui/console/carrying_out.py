"""Record an order on the command line, carry it out, and tell what became of it."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable
from concurrent.futures import TimeoutError as StillRunning
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from agent_lab_tui.graph.deciding.checks import Stale, asked, stands
from agent_lab_tui.graph.deciding.desk_side import Undecided
from agent_lab_tui.graph.deciding.telling import told
from agent_lab_tui.graph.hosting.events import HostError, Progress
from agent_lab_tui.graph.questions import Refused
from agent_lab_tui.graph.reading.situation import Situation

from ..loaded import load_and_warn
from ..options import Exit, fail
from ..visible import visible
from .order_options import How
from .printed import echo_json
from .question_record import question_record

if TYPE_CHECKING:
    from agent_lab_tui.graph.desk import Desk
    from agent_lab_tui.graph.hosting.events import Event
    from agent_lab_tui.graph.reading.reader import Thread
    from agent_lab_tui.store.journal.book import Decision, Order

POLL_SECONDS = 0.1
"""How often a decision that another process carries out is looked at."""
TRIES = 3
"""How often a decision is offered again that a process left behind which had the thread a moment ago."""

_EXITS = {
    "recorded": Exit.DONE,
    "applied": Exit.DONE,
    "failed": Exit.FAILED,
    "unknown": Exit.FAILED,
    "stale": Exit.LOST,
    "withdrawn": Exit.LOST,
    "refused": Exit.REFUSED,
}


@dataclass(frozen=True, slots=True)
class Ending:
    """What became of a decision, as far as it was waited for."""

    outcome: str
    detail: str = ""
    """In a few words; raw foreign text."""
    error: str | None = None
    code: Exit = Exit.DONE


def decide(desk: Desk, thread_id: str, how: How, order_for: Callable[[Thread], Order]) -> None:
    """Build an order for a thread, record it, carry it out, and end the command with its exit code."""
    make_ready(desk, how)
    thread = desk.thread(thread_id)
    try:
        refuse_unseen(thread, how)
        decision = desk.record(order_for(thread))
    except Undecided:
        raise
    except Stale as stale:
        fail(visible(f"{stale}{_last_word(desk, thread_id)}"), Exit.LOST)
    finish(desk, decision, how)


def make_ready(desk: Desk, how: How) -> None:
    """Load the graphs, so that threads are read with them; the command ends where nothing could run."""
    if not (desk.projects or how.is_record_only):
        fail("No graph is loaded, so nothing can run: give --graph file.py:attr, or --record-only.")
    try:
        load_and_warn(desk)
    except HostError:
        if not how.is_record_only:
            raise


def finish(desk: Desk, decision: Decision, how: How) -> None:
    """Carry a recorded decision out, tell what became of it, and end the command with its exit code."""
    ending = Ending("recorded") if how.is_record_only else carry_out(desk, decision, how.wait)
    tell(desk, decision, ending, how.as_json)
    if ending.code:
        raise SystemExit(int(ending.code))


def refuse_unseen(thread: Thread, how: How) -> None:
    """Refuse to decide about a thread that is not the one whose digest was given.

    Raises:
        Stale: It stands otherwise.
    """
    if how.seen is not None and how.seen.strip() != thread.digest:
        raise Stale(
            f"The thread is not what was shown any more: {stands(thread)}. Look again: {look(thread)}."
        )


def _last_word(desk: Desk, thread_id: str) -> str:
    """Say who decided last about a thread, for whoever came too late."""
    decisions = [one for one in desk.journal.of_thread(thread_id) if one.state != "refused"]
    return f" Last, {told(decisions[-1])}." if decisions else ""


def look(thread: Thread) -> str:
    """Return the command that shows a thread."""
    return f"agent-lab-tui show {shlex.quote(visible(thread.thread_id))}"


def carry_out(desk: Desk, decision: Decision, wait: float | None) -> Ending:
    """Run what is recorded for the thread, here or where it is held, and wait for this decision's end."""
    until = None if wait is None else time.monotonic() + wait
    tries = TRIES
    told: set[str] = set()

    def tell_waiting(event: Event) -> None:
        if isinstance(event, Progress) and event.kind == "waits" and event.text not in told:
            told.add(event.text)
            click.echo(visible(event.text), err=True)

    desk.on_event(tell_waiting)
    while tries:
        ran = _run(desk, decision, until)
        if ran.outcome != "recorded" or ran.code:
            return ran
        if desk.journal.leases.alive(decision.order.thread_id):
            _wait_for_the_other(desk, decision, until)
            if _is_over(until):
                return Ending("recorded", error="Another process runs this thread and runs this next.")
        else:
            tries -= 1
    return Ending("recorded", error=ran.detail or "It could not be run now.", code=Exit.FAILED)


def _run(desk: Desk, decision: Decision, until: float | None) -> Ending:
    """Have the thread's decisions run once; "recorded" when this one was left for another process."""
    lost = None
    try:
        outcomes = desk.carry_out(decision.order.thread_id).result(_left(until))
        detail = next((one.detail for one in outcomes if decision.decision_id in one.decision_ids), "")
    except StillRunning:
        error = "It is still running; `agent-lab-tui journal show` tells how it ends."
        return Ending("unknown", error=error, code=Exit.FAILED)
    except Refused as refused:
        return Ending("recorded", error=str(refused), code=Exit.REFUSED)
    except HostError as error:
        detail = lost = str(error)
    return _as_written(desk, decision, detail, lost)


def _as_written(desk: Desk, decision: Decision, detail: str, lost: str | None) -> Ending:
    """Return what the journal says of a decision; what nobody saw end is settled by evidence first.

    Args:
        desk: The desk.
        decision: As it was recorded.
        detail: What the host said last of it.
        lost: Why the host did not come to the end of the run.
    """
    now = desk.journal.decision(decision.decision_id) or decision
    if now.state in ("recorded", "running") and not desk.journal.leases.alive(now.order.thread_id):
        settlement = desk.deciding.settle(now)
        now, detail = settlement.decision, detail or settlement.evidence
    if now.state in ("recorded", "running"):
        return Ending("recorded", detail)
    error = now.error or lost
    code = Exit.FAILED if now.state == "applied" and error else _EXITS[now.state]
    return Ending(now.state, now.detail, error or (now.detail if code else None), code)


def _wait_for_the_other(desk: Desk, decision: Decision, until: float | None) -> None:
    """Wait while another process has the thread and has not come to this decision."""
    while not _is_over(until) and desk.journal.leases.alive(decision.order.thread_id):
        now = desk.journal.decision(decision.decision_id)
        if now is None or now.state not in ("recorded", "running"):
            return
        time.sleep(POLL_SECONDS)


def _left(until: float | None) -> float | None:
    return None if until is None else max(0.0, until - time.monotonic())


def _is_over(until: float | None) -> bool:
    return until is not None and time.monotonic() >= until


def standing(thread: Thread, *, is_told: bool = False) -> str:
    """Say in one raw sentence how a thread stands after a decision; `is_told`: its error was said already."""
    if thread.situation is Situation.DECIDED and thread.decision and thread.decision.state == "recorded":
        go_on = f"agent-lab-tui go-on {shlex.quote(thread.thread_id)}"
        return f"{thread.thread_id} is decided and nothing has run yet: `{go_on}` carries it out."
    if thread.situation is Situation.DECIDED and thread.questions:
        return f"{thread.thread_id} was decided: it asks again: {asked(thread.questions)}"
    return f"{thread.thread_id} is {thread.situation} now" + ("" if is_told else f": {stands(thread)}")


def tell(desk: Desk, decision: Decision, ending: Ending, as_json: bool) -> None:
    """Print what became of a decision, and where its thread stands now."""
    thread = desk.thread(decision.order.thread_id)
    if as_json:
        record = {
            "decision_id": decision.decision_id,
            "outcome": ending.outcome,
            "situation": str(thread.situation),
            "questions": [question_record(question) for question in thread.questions],
            "error": ending.error,
        }
        echo_json(record)
        return
    click.echo(visible(first_line(ending)))
    is_told = bool(ending.error and thread.error and not thread.questions)
    click.echo(visible(standing(thread, is_told=is_told)))
    if ending.error:
        click.echo(visible(_not_told_yet(desk, ending.error)), err=True)


def _not_told_yet(desk: Desk, error: str) -> str:
    """Return an error without the cause that a warning has told already: why a graph cannot be loaded."""
    causes = (facts.error.rstrip(".") for facts in desk.facts if facts.error)
    told = next((cause for cause in causes if cause in error), None)
    return error if told is None else f"{error.partition(told)[0].rstrip(': ')}."


def first_line(ending: Ending) -> str:
    """Return the outcome with its detail; an error is told once, on standard error."""
    detail = ending.detail.removeprefix(f"{ending.outcome}: ")
    if not detail or (ending.error and detail in ending.error):
        return ending.outcome
    return f"{ending.outcome}: {detail}"
