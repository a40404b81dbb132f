"""Questions that a kill leaves on the outer rows though their subgraph has gone beyond them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from agent_lab_tui.graph.reading.reader import Reader
from agent_lab_tui.graph.reading.situation import Situation
from agent_lab_tui.graph.settings.file import Settings
from agent_lab_tui.store.checkpoints import interrupts
from agent_lab_tui.store.files import open_database

AGENT = """
import os, sqlite3, sys
from typing import TypedDict
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt

class State(TypedDict, total=False):
    answer: str
    paid: bool

def ask(state: State) -> State:
    return {"answer": interrupt("pay?")}

def pay(state: State) -> State:
    if os.environ.get("DIE"):
        os._exit(9)
    print("paid after", state["answer"])
    return {"paid": True}

inner = StateGraph(State)
inner.add_node("ask", ask)
inner.add_node("pay", pay)
inner.add_edge(START, "ask")
inner.add_edge("ask", "pay")
outer = StateGraph(State)
outer.add_node("bill", inner.compile())
outer.add_edge(START, "bill")
config = {"configurable": {"thread_id": "t"}}
connection = sqlite3.connect(sys.argv[1], check_same_thread=False)
graph = outer.compile(checkpointer=SqliteSaver(connection))
if sys.argv[2] == "start":
    graph.invoke({}, config)
elif sys.argv[2] == "answer":
    (asked,) = graph.get_state(config).interrupts
    graph.invoke(Command(resume={asked.id: "yes"}), config, durability="sync")
else:
    graph.invoke(None, config)
connection.close()
"""


def run(db: Path, step: str, **more: str) -> subprocess.CompletedProcess[str]:
    code = [sys.executable, "-c", AGENT, str(db), step]
    return subprocess.run(code, capture_output=True, text=True, env={**os.environ, **more})


def test_a_question_that_its_subgraph_has_gone_beyond_is_not_asked_again(tmp_path: Path) -> None:
    """LangGraph still shows it, takes any answer, ignores it and acts on the earlier yes."""
    path = tmp_path / "killed.db"
    assert run(path, "start").returncode == 0
    db = open_database(str(path))
    with db.reading() as conn:
        (question,) = interrupts.pending(conn, db, "t")
    assert question.path == ("bill", "ask")
    assert run(path, "answer", DIE="1").returncode == 9

    with db.reading() as conn:
        assert interrupts.pending(conn, db, "t") == ()
        head = interrupts.step_at(conn, db, "t")
        assert head is not None
        recorded = interrupts.pending(conn, db, "t", head.row.checkpoint_id)
    assert [one.interrupt_id for one in recorded] == [question.interrupt_id], "on record it was asked here"
    assert Reader(db, Settings(), None).thread("t").situation is Situation.STOPPED
    assert run(path, "go on").stdout == "paid after yes\n"
