"""The receipt line tells of a decision that was cut short what it may have done."""

from __future__ import annotations

from dataclasses import replace

import pytest
from textual.app import App, ComposeResult

from agent_lab_tui.graph.hosting.events import Progress
from agent_lab_tui.store.journal.decisions import BreakOff, Decision, Order, State
from agent_lab_tui.tui.widgets.receipt import ReceiptLine

KILLED = "The host was killed by signal 9 (SIGKILL)."
MAY_HAVE = f"t1 let go on: was running do and may have had its effect. {KILLED}   o opens it"


class Line(App[None]):
    """Nothing but the line."""

    def compose(self) -> ComposeResult:
        yield ReceiptLine()


def decided(state: State = "recorded") -> Decision:
    order = Order("go-on", "t1", "c1", "digest", by="ann", os_user="ann")
    return Decision("d1", order, 1.0, state, 1.0)


def left(line: ReceiptLine) -> str:
    return "".join(text for text, _ in line.left)


async def test_a_run_that_was_seen_to_begin_may_have_had_its_effect() -> None:
    app = Line()
    async with app.run_test():
        line = app.query_one(ReceiptLine)
        line.recorded(decided())
        line.progress(Progress("t1", ("d1",), "start", "", "", 1.0))
        line.progress(Progress("t1", ("d1",), "node", "do", "", 1.0))
        line.unsent(decided(), KILLED)
        assert left(line) == MAY_HAVE
        assert line.failed_thread == "t1"


@pytest.mark.parametrize("decision", [decided("running"), decided("unknown")])
async def test_a_run_that_the_journal_knows_to_have_begun_may_have_had_its_effect(decision: Decision) -> None:
    app = Line()
    async with app.run_test():
        line = app.query_one(ReceiptLine)
        line.recorded(decided())
        line.unsent(decision, KILLED)
        assert left(line) == MAY_HAVE.replace("running do", "running already")


async def test_a_run_that_was_settled_meanwhile_is_still_told_to_have_broken_off() -> None:
    app = Line()
    async with app.run_test():
        line = app.query_one(ReceiptLine)
        line.unsent(replace(decided("applied"), break_off=BreakOff("", (), "c1", 1)), KILLED)
        assert "may have had its effect" in left(line)


async def test_what_never_began_is_recorded_and_what_has_its_outcome_is_not_called_so() -> None:
    app = Line()
    async with app.run_test():
        line = app.query_one(ReceiptLine)
        line.recorded(decided())
        line.unsent(decided(), KILLED)
        assert left(line) == f"t1 let go on: recorded, not carried out. {KILLED}"
        line.unsent(decided("applied"), KILLED)
        assert left(line) == f"t1 let go on: {KILLED}"
