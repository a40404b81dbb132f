"""A run does not start while another process holds the database, and does not wait for ever."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from typing import Any

import pytest

from agent_lab_tui.graph.run import savers
from agent_lab_tui.store.files import open_database

AGENT = """
from typing import TypedDict
from langgraph.graph import START, StateGraph

class State(TypedDict, total=False):
    said: str

graph = StateGraph(State)
graph.add_node("say", lambda _: {"said": "yes"})
graph.add_edge(START, "say")
"""


def test_a_run_gives_up_before_it_starts_where_the_database_stays_locked(
    make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(savers, "TURN_SECONDS", 0.8)
    path = make(AGENT, "t1")
    told: list[str] = []
    files = savers.Savers(open_database(str(path)))
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(savers.CannotWrite, match=r"locked by another process; nothing was sent"):
            asyncio.run(files.wait_for_turn(told.append))
        other.execute("ROLLBACK")
    assert told == [f"{path} is locked by another process; waiting."]
    asyncio.run(files.wait_for_turn(told.append))
