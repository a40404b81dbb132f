"""Real-world cases, run through a host: the right effects, once, and nothing on the desk's terminal."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent_lab_tui.store.values.jsonable import to_json


@pytest.fixture
def case(run: Any, make_case: Callable[[str], Path], shared: Path) -> Callable[..., Any]:
    """Make a case's database and start a host for its graph, from another folder than the graph's."""

    def start(number: str, spec: str) -> Any:
        db = make_case(number)
        (folder,) = shared.glob(f"cases/{number}-*")
        return run(os.path.relpath(folder / spec, db.parent), db)

    return start


def effects(running: Any) -> list[str]:
    return (running.database.path.parent / "effects.log").read_text("utf-8").splitlines()


def test_two_decisions_in_one_question(case: Any) -> None:
    running = case("01", "graph.py:graph")
    decisions = [{"type": "approve"}, {"type": "reject", "message": "table is still in use"}]
    outcome = running.answer("billing-1", {"decisions": decisions})
    assert (outcome.state, outcome.detail) == ("applied", "finished")
    assert sorted(effects(running)) == ["list_invoices ACME-17", "send_invoice ACME-17 120.5"]
    messages = to_json(running.reader.thread("billing-1").values)["messages"]
    (refused,) = [m for m in messages if m.get("name") == "purge_records"]
    assert refused["status"] == "error"
    assert "table is still in use" in refused["content"]


def test_a_second_operator_pays_nothing_twice(case: Any) -> None:
    running = case("04", "graph.py:builder")
    thread = running.reader.thread("pay-881")
    order = running.deciding.prepare(thread, values={thread.questions[0].id: "yes"})
    assert running.answer("pay-881", "yes").state == "applied"
    running.journal.record(order)
    (second,) = running.carry_out("pay-881")
    assert (second.state, second.error) == ("stale", None)
    assert effects(running) == ["PAID 700"]
    assert [s["step"] for s in running.host.history("graph", "pay-881")] == [2, 1, 0, -1]


def test_a_graph_of_coroutines_needs_no_option(case: Any) -> None:
    running = case("16", "graph.py:builder")
    assert running.answer("press-1", "go").detail == "finished"
    assert effects(running) == ["publish: go"]
    assert running.reader.thread("press-1").values["result"] == "go"


def test_state_classes_of_the_graph_file_come_back_as_what_they_were(case: Any) -> None:
    running = case("17", "graph.py:builder")
    assert running.answer("po-42", "ok").error is None
    assert running.reader.thread("po-42").values["result"] == "PO-00042 (HIGH) 40.00 ok"


def test_a_run_gets_the_configuration_its_thread_was_started_with(case: Any) -> None:
    running = case("18", "graph.py:builder")
    running.answer("bk-acme", "ok")
    assert effects(running) == ["delete_backups in acme dry_run=True"]
    assert running.reader.thread("bk-acme").values["result"] == "ok in acme"
    assert running.reader.thread("bk-beta").questions


def test_a_project_brings_its_env_file_its_paths_and_its_factory(
    case: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DESK_REGION", "DESK_QUEUE", "PYTHONPATH"):
        monkeypatch.delenv(name, raising=False)
    running = case("19", "langgraph.json")
    facts = {facts.name: facts for facts in running.host.facts()}
    assert [(f.name, f.error, f.nodes) for f in facts.values()] == [
        ("desk", None, ("close",)),
        ("audit", None, ("look",)),
    ]
    assert running.reader.thread("t-9").questions[0].operations[0].impact == "eu-north-1/night"
    assert running.answer("t-9", "ok").detail == "finished"
    assert running.reader.thread("t-9").values["result"] == "ok eu-north-1/night"


NOISY = """
import sys
from pathlib import Path
from agent_lab_tui.graph.deciding.desk_side import Deciding
from agent_lab_tui.graph.hosting.host import Host
from agent_lab_tui.graph.reading.reader import Reader
from agent_lab_tui.graph.settings.file import Settings
from agent_lab_tui.graph.settings.specs import read_specs
from agent_lab_tui.store.files import open_database
from agent_lab_tui.store.journal.book import Journal

db = open_database(sys.argv[1])
(project,) = read_specs([sys.argv[2]], Path.cwd())
host = Host(project, db, Settings(), lambda event: None)
journal = Journal(db.path)
reader = Reader(db, Settings(), journal, host.facts())
deciding = Deciding(reader, journal, Settings(), "ann", "ann")
thread = reader.thread("sync-1")
deciding.record(deciding.prepare(thread, values={thread.questions[0].id: "ok"}))
(outcome,) = host.carry_out("sync-1").result(30)
Path(sys.argv[3]).write_text(outcome.state + "\\n" + host.output(), "utf-8")
host.close()
"""


def test_nothing_a_graph_prints_reaches_the_terminal_and_nothing_of_it_is_lost(
    shared: Path, make_case: Callable[[str], Path], tmp_path: Path
) -> None:
    db = make_case("20")
    spec = f"{shared}/cases/20-noisy-graph/graph.py:builder"
    done = subprocess.run(
        [sys.executable, "-c", NOISY, str(db), spec, str(tmp_path / "told")],
        capture_output=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == (b"", b"")
    state, told = (tmp_path / "told").read_text("utf-8").split("\n", 1)
    assert state == "applied"
    assert (tmp_path / "effects.log").read_text("utf-8") == "synced\n"
    for word in (
        "BANNER",
        "STDERR from",
        "PRINT before",
        "PRINT after ####",
        "DUNDER",
        "FD1",
        "FD2",
        "CHILD",
    ):
        assert word in told
    assert "LOG progress \x1b[2J" in told
    assert "old option" in told
    assert "LOG executing" not in told


def test_a_checkout_in_the_working_folder_shadows_no_module_of_a_user(
    tmp_path: Path, run: Any, make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A user's own `graph.py`, `store` and `tui` are theirs, wherever the desk was started."""
    db = make(PLAIN, "t")
    for name in ("graph", "store", "tui"):
        (db.parent / f"{name}.py").write_text(f"name = 'my {name}'\n", "utf-8")
    mine = PLAIN.replace("'plain'", "g.name + store.name + tui.name")
    (db.parent / "agent.py").write_text(f"import graph as g, store, tui\n{mine}", "utf-8")
    monkeypatch.chdir(Path(__file__).resolve().parents[3])
    running = run("agent.py:graph", db)
    assert running.answer("t", "yes").detail == "finished"
    assert running.reader.thread("t").values["said"] == "my graphmy storemy tui"


PLAIN = """
from typing import TypedDict
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt

class State(TypedDict, total=False):
    said: str

def ask(state: State):
    interrupt("go?")
    return {"said": 'plain'}

graph = StateGraph(State)
graph.add_node("ask", ask)
graph.add_edge(START, "ask")
"""


def test_classes_of_a_script_come_back_though_they_were_stored_as_main(run: Any, tmp_path: Path) -> None:
    """`python agent.py` stores its classes under `__main__`, which in the host is another module."""
    (tmp_path / "agent.py").write_text(SCRIPT, "utf-8")
    subprocess.run([sys.executable, "agent.py"], cwd=tmp_path, check=True)
    running = run("agent.py:graph", tmp_path / "agent.db")
    assert running.answer("t", "yes").error is None
    assert running.reader.thread("t").values["said"] == "bolt yes"


SCRIPT = """
import dataclasses, sqlite3
from typing import TypedDict
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt

@dataclasses.dataclass
class Line:
    sku: str

class State(TypedDict, total=False):
    lines: list
    said: str

def draft(state: State):
    return {"lines": [Line("bolt")]}

def ask(state: State):
    return {"said": state["lines"][0].sku + " " + interrupt("go?")}

graph = StateGraph(State)
graph.add_node("draft", draft)
graph.add_node("ask", ask)
graph.add_edge(START, "draft")
graph.add_edge("draft", "ask")

if __name__ == "__main__":
    saver = SqliteSaver(sqlite3.connect("agent.db", check_same_thread=False))
    graph.compile(checkpointer=saver).invoke({}, {"configurable": {"thread_id": "t"}})
"""
