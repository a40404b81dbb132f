"""A node is stepped over, or nothing is written: it never runs after all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agent_lab_tui.store.journal.book import Order

AGENT = """
from pathlib import Path
from typing import TypedDict
from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt

HERE = Path(__file__).parent

class State(TypedDict, total=False):
    rounds: int

def effect(line):
    with open(HERE / "effects", "a") as file:
        file.write(line + "\\n")

def asks(name):
    def node(state: State):
        interrupt(name)
        effect(name)
        return {}
    return node

graph = StateGraph(State)
graph.add_node("left", lambda state: {})
graph.add_node("right", lambda state: {})
graph.add_node("meet", asks("meet"))
graph.add_node("round", asks("round"))
graph.add_edge(START, "left")
graph.add_edge(START, "right")
START_OF_MEETING
graph.add_conditional_edges("round", lambda state: "round", ["round", END])
"""
MEETING = AGENT.replace(
    "START_OF_MEETING", 'graph.add_edge(["left", "right"], "meet")\ngraph.add_edge("meet", "round")'
)
APART = AGENT.replace("START_OF_MEETING", 'graph.add_edge("left", "round")\ngraph.add_edge("meet", END)')


def stepped_over(run: Any, path: Path, node: str) -> tuple[Any, Any]:
    """Have the host step over a node, as it stands in the journal."""
    running = run("agent.py:graph", path)
    thread = running.reader.thread("t1")
    assert thread.next == (node,)
    running.journal.record(
        Order("skip", "t1", thread.checkpoint_id, thread.digest, graph="agent", options={"as_node": node})
    )
    (outcome,) = running.carry_out("t1")
    return outcome, running.reader.thread("t1")


def test_a_node_where_branches_meet_is_refused_for_it_would_run_after_all(run: Any, make: Any) -> None:
    """An edit in its name leaves what called for it where it is, so LangGraph would run it next."""
    path = make(MEETING, "t1")
    outcome, thread = stepped_over(run, path, "meet")
    assert outcome.state == "refused"
    assert "meet cannot be stepped over" in outcome.detail
    assert thread.next == ("meet",)
    assert not path.with_name("effects").exists()


def test_a_node_that_comes_round_again_is_stepped_over(run: Any, make: Any) -> None:
    path = make(APART, "t1")
    outcome, thread = stepped_over(run, path, "round")
    assert outcome.state == "applied"
    assert outcome.detail == "asks: round"
    assert thread.next == ("round",)
