"""The doctor on the screen: the same findings as on the command line, and a repair that keeps its word."""

from __future__ import annotations

import hashlib
import importlib
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command

from agent_lab_tui.graph.desk import Desk
from agent_lab_tui.graph.reading.situation import Situation
from agent_lab_tui.tui.console.examining import examined

HERE = Path(__file__).parent
Send = Callable[[str, Any], None]


@pytest.fixture
def send(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Send:
    """Let three threads ask a plain question; answer them behind the desk's back."""
    monkeypatch.syspath_prepend(str(HERE))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    builder = importlib.import_module("asking_agent").plain

    def run(thread_id: str, value: Any) -> None:
        with closing(sqlite3.connect(tmp_path / "agent.db", check_same_thread=False)) as connection:
            graph = builder.compile(checkpointer=SqliteSaver(connection))
            with suppress(ValueError):
                graph.invoke(value, {"configurable": {"thread_id": thread_id}})

    for name in ("one", "two", "three"):
        run(name, {"asks": f"Shall {name} be done?"})
    (tmp_path / "agent.db").chmod(0o600)
    return lambda thread_id, answer: run(thread_id, Command(resume=answer))


@pytest.fixture
def desk(send: Send, tmp_path: Path, desk_of) -> Desk:
    """A desk on these threads."""
    return desk_of(tmp_path / "agent.db", f"{HERE / 'asking_agent.py'}:plain")


def died(desk: Desk, thread_id: str) -> str:
    """Leave a decision that was started by a process which is gone."""
    thread = desk.thread(thread_id)
    decision = desk.record(desk.deciding.prepare(thread, values={thread.questions[0].id: "yes"}))
    token = desk.journal.leases.take(thread_id)
    assert token is not None
    desk.journal.start([decision.decision_id], token)
    desk.journal.leases.release(thread_id, token)
    return decision.decision_id


def digests(folder: Path) -> dict[str, str]:
    return {
        one.name: hashlib.sha256(one.read_bytes()).hexdigest()
        for one in folder.iterdir()
        if one.is_file() and not one.name.endswith("-shm")
    }


async def look(hand: Any) -> None:
    """Open the doctor and wait until it has looked."""
    await hand.until(lambda: hand.desk.desk.facts)
    await hand.press("D")
    await hand.until(lambda: "finding" in hand.seen() or "Nothing was found" in hand.seen())


@pytest.mark.slow
async def test_the_screen_shows_what_the_command_line_finds_and_changes_nothing(
    desk: Desk, send: Send, at, tmp_path: Path
) -> None:
    send("one", "boom")
    died(desk, "two")
    send("two", "yes")
    async with at(desk, (100, 30)) as hand:
        await hand.until(lambda: desk.facts)
        before = digests(tmp_path)
        await look(hand)
        found = list(hand.app.screen.query_one("#doctor-list").rows)
        assert [one.to_json() for one in found] == [one.to_json() for one in examined(desk)]
        assert digests(tmp_path) == before
        assert {one.thread_id for one in found} == {"one", "two"}
        assert str(tmp_path / "agent.db") in hand.seen()
        assert "langgraph 1." in hand.seen()
        for index, one in enumerate(found):
            await hand.press("home", *["down"] * index)
            await hand.until_seen(one.finding[:40])


@pytest.mark.slow
async def test_enter_opens_a_stuck_thread_where_its_answer_can_be_dropped(desk: Desk, send: Send, at) -> None:
    send("three", "boom")
    async with at(desk) as hand:
        await look(hand)
        assert "a stored answer makes the node fail" in hand.seen()
        assert "g tries again with the stored answer" in " ".join(hand.seen().split())
        await hand.press("enter")
        await hand.until(lambda: hand.desk.shown.thread.thread_id == "three" and hand.desk.painted)
        await hand.press("A")
        await hand.until(lambda: desk.lines_of(["three"])[0].situation is Situation.WAITING)


@pytest.mark.slow
async def test_a_repair_writes_what_it_announced_and_nothing_that_came_later(
    desk: Desk, send: Send, at
) -> None:
    first = died(desk, "one")
    send("one", "yes")
    async with at(desk, (100, 30)) as hand:
        await look(hand)
        await hand.until_seen("w writes down 1")
        assert desk.journal.decision(first).state == "running"
        later = died(desk, "two")
        send("two", "yes")
        await hand.press("w")
        await hand.until_seen("Write down 1 outcome?")
        await hand.until_seen("becomes applied")
        await hand.press("escape")
        assert desk.journal.decision(first).state == "running"
        await hand.press("w")
        await hand.until_seen("Write down 1 outcome?")
        await hand.press("enter")
        await hand.until(lambda: desk.journal.decision(first).state == "applied")
        await hand.until_seen(f"one: decision {first} is applied")
        assert desk.journal.decision(later).state == "running"
        await hand.until(lambda: any(row.settles for row in hand.app.screen.query_one("#doctor-list").rows))
        assert [one.decision_id for one in desk.journal.of_thread("one")] == [first]


async def test_a_desk_that_only_looks_repairs_nothing(desk: Desk, send: Send, at, desk_of) -> None:
    decision = died(desk, "one")
    send("one", "yes")
    onlooker = desk_of(desk.database.path, readonly=True)
    async with at(onlooker, (100, 30)) as hand:
        await hand.press("D")
        await hand.until_seen("finding")
        await hand.press("w")
        await hand.until_seen("the desk is read-only")
    assert desk.journal.decision(decision).state == "running"


async def test_only_a_thread_that_is_there_can_be_opened_and_each_finding_stands_once(
    desk: Desk, send: Send, at
) -> None:
    decision = died(desk, "one")
    with closing(sqlite3.connect(desk.database.path)) as connection, connection:
        for table in ("checkpoints", "writes"):
            connection.execute(f"DELETE FROM {table} WHERE thread_id = 'one'")
    async with at(desk, (100, 30)) as hand:
        await look(hand)
        rows = hand.app.screen.query_one("#doctor-list").rows
        assert len(rows) == len(set(rows))
        await hand.press("home", *["down"] * [one.thread_id for one in rows].index("one"))
        await hand.until_seen("its thread is not in this database")
        assert decision in hand.seen()
        assert f"decision {decision[:8]} " in hand.seen()
        assert "Enter opens" not in hand.seen()
        await hand.press("enter")
        await hand.until_seen("no thread that could be opened")
