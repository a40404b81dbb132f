"""Inner graphs without checkpoints: LangGraph cannot save each of their steps, and restarts them."""

from __future__ import annotations

from typing import Any

import pytest

AGENT = """
from pathlib import Path
from typing import TypedDict
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt

HERE = Path(__file__).parent

class State(TypedDict, total=False):
    said: str
    steps: str

def note(line):
    with open(HERE / "effects", "a") as file:
        file.write(line + "\\n")

def first(state: State):
    note("first")
    return {"steps": "first"}

def second(state: State):
    note("second")
    return {"steps": state["steps"] + " second"}

inner = StateGraph(State)
inner.add_node("first", first)
inner.add_node("second", second)
inner.add_edge(START, "first")
inner.add_edge("first", "second")
HIDDEN = {"inner": inner.compile(checkpointer=False)}
seen = inner.compile(checkpointer=False)

def build(call):
    def ask(state: State):
        said = interrupt("go?")
        return {"said": said, "steps": call(state)["steps"]}
    graph = StateGraph(State)
    graph.add_node("ask", ask)
    graph.add_edge(START, "ask")
    return graph

graph = build(lambda state: HIDDEN["inner"].invoke(state))
plain = build(seen.invoke)
"""


@pytest.fixture(scope="module")
def db(make: Any) -> Any:
    return make(AGENT, "hidden", "seen")


def test_one_that_can_be_seen_is_told_and_run_at_once(run: Any, db: Any) -> None:
    running = run("agent.py:plain", db)
    assert "Inside ask runs a graph without checkpoints" in running.host.facts()[0].note
    assert running.answer("seen", "yes").detail == "finished"
    assert running.reader.thread("seen").values["steps"] == "first second"


def test_one_that_cannot_be_seen_fails_with_words_and_going_on_runs_it(run: Any, db: Any) -> None:
    running = run("agent.py:graph", db)
    outcome = running.answer("hidden", "yes")
    assert outcome.state == "failed"
    assert "LangGraph broke off at its start; go on" in outcome.detail
    running.deciding.record(running.deciding.go_on(running.reader.thread("hidden")))
    assert [outcome.detail for outcome in running.carry_out("hidden")] == ["finished"]
    effects = (db.parent / "effects").read_text("utf-8").split()
    assert effects[2:] == ["first", "second"]
