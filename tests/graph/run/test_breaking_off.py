"""A host that dies in a later node: the journal keeps it, every view names it, and going on asks first."""

from __future__ import annotations

from typing import Any

import pytest

from agent_lab_tui.graph.deciding.desk_side import Undecided
from agent_lab_tui.graph.hosting.host import HostGone
from agent_lab_tui.graph.reading.situation import Situation

AGENT = """
import json, os, signal, stat, time
from pathlib import Path
from typing import TypedDict
from langgraph.config import get_stream_writer
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt

HERE = Path(__file__).parent

class State(TypedDict, total=False):
    said: str

def ask(state: State):
    said = interrupt({"operation": "say"})
    if said == "break the line":
        json.dumps = lambda *_, **__: "no JSON at all"
        time.time = os.getpid = lambda: "never"
    return {"said": said}

def act(state: State):
    if (HERE / "again").exists():
        return {}
    if state["said"] == "kill -9":
        os.kill(os.getpid(), signal.SIGKILL)
    if state["said"] == "os._exit":
        os._exit(7)
    if state["said"] == "segfault":
        os.kill(os.getpid(), signal.SIGSEGV)
    if state["said"] == "junk":
        for number in range(3, 64):
            try:
                if stat.S_ISSOCK(os.fstat(number).st_mode):
                    os.write(number, bytes([0, 0, 0, 4]) + b"junk")
            except OSError:
                pass
        time.sleep(60)
    return {}

graph = StateGraph(State)
graph.add_node("ask", ask)
graph.add_node("act", act)
graph.add_edge(START, "ask")
graph.add_edge("ask", "act")
"""

HOWS = {
    "kill -9": "the host was killed by signal 9 (SIGKILL)",
    "os._exit": "the host ended itself with exit code 7",
    "segfault": "the host was killed by signal 11 (SIGSEGV)",
}


@pytest.fixture(scope="module")
def running(run: Any, make: Any) -> Any:
    return run("agent.py:graph", make(AGENT, *HOWS, "junk", "break the line", "junk for good"))


@pytest.mark.parametrize("how", HOWS)
def test_a_run_killed_in_a_later_node_is_told_and_not_run_on_unasked(running: Any, how: str) -> None:
    decision = running.decide(how, how)
    with pytest.raises(HostGone):
        running.carry_out(how)
    settled = running.deciding.settle(running.journal.decision(decision.decision_id)).decision
    assert settled.state == "applied"
    assert settled.break_off.how == HOWS[how]
    thread = running.reader.thread(how)
    assert thread.situation is Situation.STOPPED
    for part in (HOWS[how], "broke off after ann", decision.decision_id[:8], "act"):
        assert part in thread.evidence
    assert "begun" in thread.evidence
    assert "broke off" in running.reader.line(how).asks
    with pytest.raises(Undecided, match=r"act .*begun.*--again"):
        running.deciding.go_on(thread)
    (running.database.path.parent / "again").touch()
    running.deciding.record(running.deciding.go_on(thread, again=True))
    assert [one.state for one in running.carry_out(how)] == ["applied"]
    assert running.reader.thread(how).situation is Situation.DONE
    (running.database.path.parent / "again").unlink()
    assert running.journal.verify().is_whole


def test_a_run_that_nobody_saw_die_is_not_run_on_unasked_either(running: Any) -> None:
    decision = running.decide("junk for good", "kill -9")
    journal = running.journal
    running.host._under_way.write_down = lambda *_: None
    try:
        with pytest.raises(HostGone):
            running.carry_out("junk for good")
    finally:
        del running.host._under_way.write_down
    thread = running.reader.thread("junk for good")
    with pytest.raises(Undecided, match=r"ended without a word; act was due and may have begun"):
        running.deciding.go_on(thread)
    assert journal.decision(decision.decision_id).break_off is not None


def test_junk_on_the_line_ends_the_host_and_whoever_waits_hears_of_it(running: Any) -> None:
    running.decide("junk", "junk")
    with pytest.raises(HostGone, match="broke the line"):
        running.carry_out("junk")
    assert not running.host.is_alive
    assert "broke the line" in running.deciding.settle(running.journal.open("junk")[0]).decision.break_off.how


def test_a_node_that_replaces_functions_of_the_standard_library_breaks_no_line(running: Any) -> None:
    running.decide("break the line", "break the line")
    assert [one.state for one in running.carry_out("break the line")] == ["applied"]
    running.host.kill()
