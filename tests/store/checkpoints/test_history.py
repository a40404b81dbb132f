"""The past is read from marks: names of sent tasks, rewritten keys, and only what is needed."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from agent_lab_tui.store.checkpoints import history, versions
from agent_lab_tui.store.checkpoints.deltas import rebuilt
from agent_lab_tui.store.checkpoints.rows import body
from agent_lab_tui.store.checkpoints.task_names import TaskNames
from agent_lab_tui.store.files import Database, open_database


@pytest.fixture
def db(zoo_db: Path) -> Database:
    return open_database(str(zoo_db))


def test_the_versions_in_a_tail_are_those_of_the_decoded_body(db: Database) -> None:
    with db.reading() as connection:
        for thread_id in ("branched", "parallel-send", "pydantic-state", "hitl-batched"):
            for own in history.ids_before(connection, thread_id, 100):
                whole = body(connection, thread_id, "", own)["channel_versions"]
                assert versions.versions(connection, thread_id, own) == whole


def test_versions_are_found_where_the_tail_does_not_reach(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(versions, "TAIL", 40)
    with db.reading() as connection:
        own = history.ids_before(connection, "branched", 1)[0]
        assert "plan" in versions.versions(connection, "branched", own)


def test_a_state_that_speaks_of_versions_does_not_mislead(zoo_db: Path) -> None:
    with closing(sqlite3.connect(zoo_db)) as connection:
        own = history.ids_before(connection, "branched", 1)[0]
        whole = versions.versions(connection, "branched", own)
        (blob,) = connection.execute(
            "SELECT checkpoint FROM checkpoints WHERE thread_id = 'branched' AND checkpoint_id = ?", [own]
        ).fetchone()
        misleading = blob.replace(b"\xa6plan B", b"\xb0channel_versions", 1)
        connection.execute(
            "UPDATE checkpoints SET checkpoint = ? WHERE thread_id = 'branched' AND checkpoint_id = ?",
            [misleading, own],
        )
        assert body(connection, "branched", "", own)["channel_values"]["plan"] == "channel_versions"
        assert versions.versions(connection, "branched", own) == whole


def test_a_sent_task_is_named_without_reading_a_state_once_its_node_was_met(db: Database) -> None:
    with db.reading() as connection:
        own = history.ids_before(connection, "parallel-send", 1)[0]
        tasks = connection.execute(
            "SELECT DISTINCT task_id, task_path FROM writes"
            " WHERE thread_id = 'parallel-send' AND checkpoint_id = ?",
            [own],
        ).fetchall()
        names = TaskNames(connection, "parallel-send")
        assert {names.node(own, task_id, path) for task_id, path in tasks} == {"review"}
        statements: list[str] = []
        connection.set_trace_callback(statements.append)
        assert {names.node(own, task_id, path) for task_id, path in tasks} == {"review"}
        assert statements == []


def test_a_task_that_nothing_names_is_a_question_mark(db: Database) -> None:
    with db.reading() as connection:
        own = history.ids_before(connection, "parallel-send", 1)[0]
        names = TaskNames(connection, "parallel-send")
        assert names.node(own, "00000000-0000-0000-0000-000000000001", "~__pregel_push, 0000000099, 0") == "?"
        assert names.node(own, "00000000-0000-0000-0000-000000000000", "") is None


def test_what_is_steered_with_is_no_state() -> None:
    keys = ["plan", "branch:to:ask", "__pregel_tasks", "join:a+b:c", "__start__", "branches"]
    assert [key for key in keys if history.is_state_key(key)] == ["plan", "branches"]


def test_a_rebuilt_value_is_the_snapshot_and_the_writes_after_it(db: Database) -> None:
    with db.reading() as connection:
        ids = history.ids_before(connection, "delta-channel", 100)
        found = [rebuilt(connection, db, "delta-channel", own).get("log") for own in ids]
    lengths = [(len(one.value), one.writes) if one else None for one in found]
    assert lengths == [(6, 2), (5, 1), (4, 0), (3, 3), (2, 2), (1, 1), None, None]


def test_a_thread_without_delta_channels_has_nothing_to_rebuild(db: Database) -> None:
    with db.reading() as connection:
        own = history.ids_before(connection, "branched", 1)[0]
        assert rebuilt(connection, db, "branched", own) == {}
        assert rebuilt(connection, db, "nobody", own) == {}
