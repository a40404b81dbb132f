"""One thread's rows: checkpoints, ancestors, writes, namespaces."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from langgraph.types import Command

from agent_lab_tui.store.checkpoints import rows as checkpoints
from agent_lab_tui.store.files import open_database
from agent_lab_tui.store.values.raw import Unreadable


def test_history_is_newest_first_and_pages(zoo_db: Path) -> None:
    db = open_database(str(zoo_db))
    with db.reading() as conn:
        rows = checkpoints.history(conn, "deep-history", 1000)
        first = checkpoints.history(conn, "deep-history", 10)
        second = checkpoints.history(conn, "deep-history", 10, before=first[-1].checkpoint_id)
    assert len(rows) == 302
    assert [*first, *second] == rows[:20]
    assert [row.step for row in rows] == list(range(300, -2, -1))
    assert rows[-1].source == "input"
    assert rows[-1].parent_id is None
    assert rows[0].parent_id == rows[1].checkpoint_id
    assert rows[0].created_at is not None


def test_ancestors_follow_the_branch_not_the_clock(zoo_db: Path) -> None:
    db = open_database(str(zoo_db))
    with db.reading() as conn:
        head = checkpoints.head(conn, "branched")
        assert head is not None
        chain = checkpoints.ancestors(conn, "branched", head.checkpoint_id, 100)
        everything = checkpoints.history(conn, "branched", 100)
    assert len(chain) < len(everything)
    assert [row.parent_id for row in chain[:-1]] == [row.checkpoint_id for row in chain[1:]]


def test_a_chain_that_bites_its_tail_ends(agent: Any) -> None:
    agent.run("t")
    with closing(sqlite3.connect(agent.path)) as conn:
        conn.execute(
            "UPDATE checkpoints SET parent_checkpoint_id = (SELECT max(checkpoint_id) FROM checkpoints)"
        )
        conn.commit()
    with open_database(str(agent.path)).reading() as conn:
        head = checkpoints.head(conn, "t")
        assert head is not None
        assert len(checkpoints.ancestors(conn, "t", head.checkpoint_id, 100)) == 1


def test_writes_tell_task_channel_and_value(agent: Any) -> None:
    agent.run("t")
    db = open_database(str(agent.path))
    with db.reading() as conn:
        head = checkpoints.head(conn, "t")
        assert head is not None
        (asked,) = checkpoints.writes(conn, db, "t", "", head.checkpoint_id)
    assert (asked.idx, asked.channel, asked.task_path) == (-3, "__interrupt__", "~__pregel_pull, ask")
    assert asked.decoded[0].fields["value"] == {"q": 1}


def test_what_is_not_there_is_none(agent: Any) -> None:
    agent.run("t")
    db = open_database(str(agent.path))
    with db.reading() as conn:
        assert checkpoints.head(conn, "other") is None
        assert checkpoints.get(conn, "t", "", "other") is None
        assert checkpoints.body(conn, "t", "", "other") is None
        assert checkpoints.history(conn, "other", 5) == []
        assert checkpoints.writes(conn, db, "t", "", "other") == []


def test_namespaces_name_the_subgraphs(zoo_db: Path) -> None:
    with open_database(str(zoo_db)).reading() as conn:
        found = checkpoints.namespaces(conn, "nested-subgraph")
    assert [ns.count("|") + bool(ns) for ns in found] == [0, 1, 2]


BROKEN = [b"", b"\xff", b"[1]", b"{", None, "text", 1, 1.5, b"[" * 100_000]


@pytest.mark.parametrize("stored", BROKEN, ids=lambda stored: repr(stored)[:12])
def test_broken_metadata_reads_as_empty(agent: Any, stored: Any) -> None:
    agent.run("t")
    with closing(sqlite3.connect(agent.path)) as conn:
        conn.execute("UPDATE checkpoints SET metadata = ?", (stored,))
        conn.commit()
    with open_database(str(agent.path)).reading() as conn:
        head = checkpoints.head(conn, "t")
    assert head is not None
    assert head.metadata == {}
    assert head.step == 0
    assert head.source is None


def test_an_encrypted_state_says_so(agent: Any) -> None:
    agent.run("t", Command(update={"n": 1}))
    with closing(sqlite3.connect(agent.path)) as conn:
        conn.execute("UPDATE checkpoints SET type = 'msgpack+aes', checkpoint = x'00'")
        conn.commit()
    with open_database(str(agent.path)).reading() as conn:
        head = checkpoints.head(conn, "t")
        assert head is not None
        assert checkpoints.body(conn, "t", "", head.checkpoint_id) == Unreadable("encrypted with aes", b"\0")
