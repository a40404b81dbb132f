"""A backup that is put back under a running host is what the next run uses, and no run is told wrongly."""

from __future__ import annotations

import fcntl
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

AGENT = """
import fcntl, os
from pathlib import Path
from typing import TypedDict
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt

HERE = Path(__file__).parent

class State(TypedDict, total=False):
    said: str

def ask(state: State):
    return {"said": interrupt("deploy?")}

def deploy(state: State):
    if state["said"] == "gate":
        fcntl.flock(open(HERE / "gate"), fcntl.LOCK_EX)
    with open(HERE / "effects", "a") as file:
        file.write("deploys\\n")
    return {}

builder = StateGraph(State)
builder.add_node("ask", ask)
builder.add_node("deploy", deploy)
builder.add_edge(START, "ask")
builder.add_edge("ask", "deploy")
"""
PLAIN = f"{AGENT}\ngraph = builder\n"
SWAPPING = f"""{AGENT}
class Swapping:
    '''Puts a backup back at the very last moment: while the graph is made for its run.'''

    def __call__(self):
        if (HERE / "swap.db").exists():
            for end in ("-wal", "-shm"):
                (HERE / f"agent.db{{end}}").unlink(missing_ok=True)
            os.replace(HERE / "swap.db", HERE / "agent.db")
        return builder

    def compile(self, **given):
        return builder.compile(**given)

graph = Swapping()
"""


def backup(path: Path, name: str) -> Path:
    """Copy a database as it stands now."""
    target = path.with_name(name)
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(target)) as copy:
        source.backup(copy)
    return target


def put_back(path: Path, copy: Path) -> None:
    """Put a backup in the place of a database, as its owner would."""
    for end in ("-wal", "-shm"):
        path.with_name(path.name + end).unlink(missing_ok=True)
    os.replace(copy, path)


def effects(path: Path) -> list[str]:
    found = path.with_name("effects")
    return found.read_text("utf-8").splitlines() if found.exists() else []


def test_what_is_decided_after_a_backup_was_put_back_is_carried_out_on_it(run: Any, make: Any) -> None:
    path = make(PLAIN, "first", "second")
    running = run("agent.py:graph", path)
    copy = backup(path, "copy.db")
    assert running.answer("first", "yes").state == "applied"
    put_back(path, copy)
    outcome = running.answer("second", "yes")
    assert (outcome.state, outcome.detail) == ("applied", "finished")
    assert running.reader.thread("second").situation == "done"
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_look_into_a_thread_after_a_backup_was_put_back_sees_the_backup(run: Any, make: Any) -> None:
    path = make(PLAIN, "first")
    running = run("agent.py:graph", path)
    copy = backup(path, "copy.db")
    running.answer("first", "yes")
    assert running.host.state("agent", "first")["next"] == []
    put_back(path, copy)
    assert running.host.state("agent", "first")["next"] == ["ask"]


@pytest.fixture
def replaced_meanwhile(run: Any, make: Any) -> Any:
    """A host whose database was replaced while the approved node ran."""
    path = make(PLAIN, "first")
    running = run("agent.py:graph", path)
    copy = backup(path, "copy.db")
    path.with_name("gate").touch()
    with path.with_name("gate").open() as gate:
        fcntl.flock(gate, fcntl.LOCK_EX)
        decision = running.decide("first", "gate")
        ran = running.host.carry_out("first")
        running.wait_for_node("first")
        running.wait_for_node("first")
        put_back(path, copy)
    (outcome,) = ran.result(30)
    return running, decision, outcome


def test_a_run_whose_file_was_replaced_meanwhile_is_unknown_and_never_said_to_wait_again(
    replaced_meanwhile: Any,
) -> None:
    running, decision, outcome = replaced_meanwhile
    assert effects(running.database.path) == ["deploys"]
    assert outcome.state == "unknown"
    assert outcome.detail.startswith("the database file was replaced while it ran")
    assert running.journal.decision(decision.decision_id).state == "unknown"


def test_it_stays_unknown_with_that_evidence_until_a_person_decides(replaced_meanwhile: Any) -> None:
    running, _decision, _ = replaced_meanwhile
    (settled,) = running.deciding.unsettled("first")
    assert settled.decision.state == "unknown"
    assert settled.evidence.startswith("the database file was replaced while it ran")
    assert settled.offers == ("send-again", "drop")
    assert effects(running.database.path) == ["deploys"]


def test_nothing_is_sent_where_the_file_is_replaced_just_before_the_run(run: Any, make: Any) -> None:
    path = make(SWAPPING, "first")
    running = run("agent.py:graph", path)
    decision = running.decide("first", "yes")
    backup(path, "swap.db")
    (outcome,) = running.carry_out("first")
    assert (outcome.state, "was replaced" in outcome.detail) == ("recorded", True)
    assert effects(path) == []
    assert running.journal.decision(decision.decision_id).state == "recorded"
    (outcome,) = running.carry_out("first")
    assert outcome.state == "applied"
    assert effects(path) == ["deploys"]


def test_nothing_is_sent_where_the_log_was_removed_under_the_host(run: Any, make: Any) -> None:
    """The connection holds the removed log still, and closing it would write that over the backup."""
    path = make(PLAIN, "first", "second")
    running = run("agent.py:graph", path)
    copy = backup(path, "copy.db").read_bytes()
    running.answer("first", "yes")
    decision = running.decide("second", "yes")
    for end in ("-wal", "-shm"):
        path.with_name(path.name + end).unlink()
    with path.open("r+b") as file:
        file.write(copy)
        file.truncate()
    (outcome,) = running.carry_out("second")
    assert outcome.state == "recorded"
    assert "was removed while the graphs had it open" in outcome.detail
    assert effects(path) == ["deploys"]
    assert running.journal.decision(decision.decision_id).state == "recorded"
    assert running.host.close()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert running.reader.thread("first").situation == "waiting"
