"""Carry a fork or a replay out from the command line, and tell where it led."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from agent_lab_tui.graph.hosting.events import HostError
from agent_lab_tui.graph.reading.reader import NotFound

from ..options import Exit, fail
from ..visible import visible
from .carrying_out import Ending, carry_out, first_line, look, standing
from .order_options import How
from .printed import echo_json
from .question_record import question_record

if TYPE_CHECKING:
    from agent_lab_tui.graph.desk import Desk
    from agent_lab_tui.graph.reading.reader import Thread
    from agent_lab_tui.store.journal.book import Order


def ready(desk: Desk, thread_id: str, how: How, *, needs_graph: bool) -> Thread:
    """Load the graphs and return the thread as it stands; end the command where nothing can travel."""
    if needs_graph and not desk.projects:
        fail("No graph is loaded, so nothing can run: give --graph file.py:attr or a langgraph.json.")
    if desk.projects:
        try:
            desk.load_graphs()
        except HostError as error:
            fail(visible(str(error)), Exit.FAILED)
    thread = desk.thread(thread_id)
    if how.seen is not None and how.seen.strip() != thread.digest:
        fail(f"The thread is not what was shown any more. Look again: {look(thread)}.", Exit.LOST)
    return thread


def confirmed(wanted: str, given: str, how: How, *, is_asked: bool = True) -> str:
    """Return the words of confirmation: those given, else those that a person at a terminal types."""
    if given or not (wanted and is_asked) or how.as_json or not sys.stdin.isatty():
        return given
    typed: str = click.prompt(f"Type  {visible(wanted)}  to go", default="", show_default=False)
    return typed.strip()


def travel(desk: Desk, order: Order, how: How, thread_id: str) -> None:
    """Record an order, carry it out, tell where the thread it leads to stands, and end with its exit code."""
    decision = desk.record(order)
    ending = Ending("recorded") if how.is_record_only else carry_out(desk, decision, how.wait)
    _tell(desk, decision.decision_id, ending, thread_id, how)
    if ending.code:
        raise SystemExit(int(ending.code))


def _tell(desk: Desk, decision_id: str, ending: Ending, thread_id: str, how: How) -> None:
    try:
        thread = desk.thread(thread_id)
    except NotFound:  # a new thread that was not made
        thread = None
    if how.as_json:
        echo_json(
            {
                "decision_id": decision_id,
                "thread_id": thread_id,
                "checkpoint_id": thread.checkpoint_id if thread else None,
                "outcome": ending.outcome,
                "situation": str(thread.situation) if thread else None,
                "next": list(thread.next) if thread else [],
                "questions": [question_record(one) for one in thread.questions] if thread else [],
                "error": ending.error,
            }
        )
        return
    click.echo(visible(first_line(ending)))
    if thread is not None:
        click.echo(visible(standing(thread)))
    if ending.error:
        click.echo(visible(ending.error), err=True)
