"""What happens around decisions: leaving, losing the database, deciding twice, finding things."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver

from agent_lab_tui.graph.reading.situation import Situation

AGENT = """
import os, time
from typing import TypedDict
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt

class State(TypedDict, total=False):
    done: bool

def ask(state: State):
    answer = interrupt({"operation": "pay", "arguments": {"n": 1}, "reason": "due"})
    while os.path.exists(os.environ.get("HOLD", "/nowhere")):
        time.sleep(0.02)
    return {"done": answer}

builder = StateGraph(State)
builder.add_node("ask", ask)
builder.add_edge(START, "ask")
"""
MAKE = """
import sqlite3, sys
from langgraph.checkpoint.sqlite import SqliteSaver
from agent import builder
conn = sqlite3.connect(sys.argv[1], check_same_thread=False)
graph = builder.compile(checkpointer=SqliteSaver(conn))
for name in ("one", "two"):
    graph.invoke({}, {"configurable": {"thread_id": name}})
conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
conn.close()
"""
SETTINGS = (
    '[answers."agent:ask"]\napprove = true\nreject = false\n\n[[rule]]\noperation = "pay"\nrisk = "low"\n'
)


@pytest.fixture
def payer(tmp_path: Path, desk_of, monkeypatch: pytest.MonkeyPatch):
    """Open a desk over two threads that ask to pay; its agent waits while `hold` exists."""
    monkeypatch.setenv("HOLD", str(tmp_path / "hold"))
    (tmp_path / "agent.py").write_text(AGENT, "utf-8")
    db = tmp_path / "agent.sqlite"
    subprocess.run([sys.executable, "-c", MAKE, str(db)], check=True, cwd=tmp_path, capture_output=True)
    return desk_of(db, f"{tmp_path / 'agent.py'}:builder", settings=SETTINGS)


def situation(desk, thread_id: str) -> Situation:
    return desk.lines_of([thread_id])[0].situation


async def approve(hand, thread_id: str) -> None:
    await hand.open(thread_id)
    await hand.until(lambda: hand.desk.query_one("#request").unread == 0)
    await hand.press("a")


async def test_leaving_while_a_run_goes_on_asks_and_tells_the_shell(payer, at, tmp_path: Path) -> None:
    (tmp_path / "hold").touch()
    async with at(payer) as hand:
        await approve(hand, "one")
        await hand.until(lambda: situation(payer, "one") is Situation.RUNNING)
        await hand.press("q")
        await hand.until_seen("1 still on their way: one")
        await hand.press("escape")
        assert not hand.app._exit
        await hand.press("q")
        await hand.until_seen("1 still on their way: one")
        await hand.press("w")
        await hand.until_seen("Leaving when")
        assert not hand.app._exit
        (tmp_path / "hold").unlink()
        await hand.until(lambda: hand.app._exit)
    assert payer.thread("one").values["done"] is True


async def test_deciding_goes_on_while_another_thread_runs(payer, at, tmp_path: Path) -> None:
    (tmp_path / "hold").touch()
    async with at(payer) as hand:
        await approve(hand, "one")
        await hand.until(lambda: hand.desk.shown.thread.thread_id == "two" and not hand.desk.is_sending)
        await hand.until(lambda: hand.desk.painted is not None)
        await hand.until(lambda: hand.desk.query_one("#request").unread == 0)
        await hand.press("full_stop")
        await hand.until(lambda: len(payer.journal.open()) == 2)
        assert situation(payer, "one") is Situation.RUNNING
        (tmp_path / "hold").unlink()
        await hand.until(lambda: not payer.running)
    assert payer.thread("two").values["done"] is True


async def test_what_was_carried_out_and_is_asked_again_is_not_done_twice_in_silence(
    payer, at, tmp_path: Path
) -> None:
    backup = tmp_path / "backup.sqlite"
    copy(payer.database.path, backup)
    async with at(payer) as hand:
        await approve(hand, "one")
        await hand.until(lambda: situation(payer, "one") is Situation.DONE and not payer.running)
        payer.poll()
        copy(backup, payer.database.path)
        await hand.until(lambda: hand.desk.arrivals.threads.by_id["one"].situation is Situation.WAITING)
        await hand.open("two")
        await approve(hand, "one")
        await hand.until_seen("Decided before")
        assert "it was carried out" in " ".join(hand.seen().split())
        await hand.press("escape")
        await hand.until(lambda: hand.app.screen is hand.desk)
        assert situation(payer, "one") is Situation.WAITING
        await hand.until(lambda: not hand.desk.is_sending and hand.desk.painted is not None)
        await hand.press("a")
        await hand.until_seen("Decided before")
        await hand.press("d")
        await hand.until(lambda: situation(payer, "one") is Situation.DONE and not payer.running)


def copy(source: Path, target: Path) -> None:
    """Copy a database as SQLite does it, also over an open one."""
    with closing(sqlite3.connect(source)) as one, closing(sqlite3.connect(target)) as other:
        one.backup(other)


async def test_a_database_that_goes_away_is_told_and_the_desk_stays(payer, at) -> None:
    async with at(payer) as hand:
        await hand.until_seen("2 waiting")
        away = payer.database.path.with_suffix(".away")
        payer.database.path.rename(away)
        await hand.until_seen("database gone")
        away.rename(payer.database.path)
        await hand.until(lambda: "database gone" not in hand.seen())


async def test_an_empty_database_says_what_will_happen(tmp_path: Path, desk_of, at) -> None:
    db = tmp_path / "empty.sqlite"
    with closing(sqlite3.connect(db, check_same_thread=False)) as connection:
        SqliteSaver(connection).setup()
    async with at(desk_of(db)) as hand:
        await hand.until_seen("No threads yet.")
        assert "0 threads" in hand.seen()


async def test_the_palette_finds_threads_by_their_ids_and_keys_by_their_names(payer, at) -> None:
    async with at(payer) as hand:
        await hand.open("one")
        await hand.press("ctrl+p")
        await hand.until(lambda: hand.app.screen is not hand.desk)
        await hand.type("two")
        await hand.until_seen("two")
        await hand.press("enter", "enter")
        await hand.until(lambda: hand.desk.shown.thread.thread_id == "two")


async def test_help_names_every_key_of_the_desk(payer, at) -> None:
    async with at(payer, (100, 100)) as hand:
        await hand.open("one")
        await hand.press("question_mark")
        await hand.until_seen("Signs")
        seen = hand.seen()
        for words in (
            "Say yes to the operation",
            "Say no, with a reason",
            "Take back a decision",
            "own editor",
        ):
            assert words in seen
        await hand.press("escape")
        assert hand.app.screen is hand.desk


async def test_ids_and_requests_can_be_copied(payer, at) -> None:
    async with at(payer) as hand:
        await hand.open("one")
        await hand.press("y")
        assert hand.app.clipboard == "one"
        await hand.press("Y")
        assert '"operation": "pay"' in hand.app.clipboard
