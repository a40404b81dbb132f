"""The thread index: every thread once, at its head, with its questions counted, in any file."""

from __future__ import annotations

import json
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from langgraph.types import Command

from agent_lab_tui.store.checkpoints import threads
from agent_lab_tui.store.files import Database, open_database
from agent_lab_tui.store.values.raw import encode


def listed(path: Path) -> dict[str, threads.ThreadRow]:
    """All threads of a file by id."""
    db = open_database(str(path))
    with db.reading() as conn:
        return {row.thread_id: row for row in threads.every(conn, db)}


def test_the_zoo_is_counted_as_langgraph_counts_it(zoo_db: Path, zoo_expected: dict[str, Any]) -> None:
    """Questions and errors of all 33 threads; subgraphs and tasks inside tasks count once."""
    found = listed(zoo_db)
    assert {key: (row.questions, row.has_error) for key, row in found.items()} == {
        key: (len(thread["interrupts"]), bool(thread["errors"])) for key, thread in zoo_expected.items()
    }


def test_every_way_of_listing_gives_the_same_rows(zoo_db: Path) -> None:
    db = open_database(str(zoo_db))
    with db.reading() as conn:
        rows = threads.every(conn, db)
        assert threads.newest(conn, db, 100) == rows
        assert threads.newest(conn, db, 5) == rows[:5]
        assert [threads.one(conn, db, row.thread_id) for row in rows] == rows
        paged: list[threads.ThreadRow] = []
        while page := threads.page(conn, db, paged[-1].thread_id if paged else None, 7):
            assert len(page) <= 7
            paged += page
    assert paged == sorted(rows, key=lambda row: row.thread_id)
    assert rows == sorted(rows, key=lambda row: row.checkpoint_id, reverse=True)


@pytest.mark.parametrize(
    "thread_id", ["", "7", "007", "a\nb", "x" * 300, "esc\x1b[31m-2\r", "受注-２０２６", "[/]", "O'Brien; --"]
)
def test_a_thread_of_any_id_is_found_under_that_very_id(agent: Any, thread_id: str) -> None:
    agent.run("before")
    agent.run(thread_id)
    assert set(listed(agent.path)) == {"before", thread_id}
    db = open_database(str(agent.path))
    with db.reading() as conn:
        row = threads.one(conn, db, thread_id)
    assert row is not None
    assert row.questions == 1


def test_numbers_that_look_alike_are_different_threads(agent: Any) -> None:
    agent.run("7")
    agent.run("007")
    agent.graph.update_state({"configurable": {"thread_id": 7}}, {"n": 5})
    found = listed(agent.path)
    assert (found["7"].questions, found["007"].questions) == (0, 1)


def test_a_file_without_threads_lists_nothing(agent: Any) -> None:
    agent.saver.setup()
    db = open_database(str(agent.path))
    with db.reading() as conn:
        assert threads.every(conn, db) == []
        assert threads.newest(conn, db) == []
        assert threads.page(conn, db, None, 10) == []
        assert threads.one(conn, db, "t") is None


def test_an_answered_question_is_not_counted_and_a_failed_answer_is(agent: Any) -> None:
    agent.run("answered")
    agent.run("answered", Command(resume="yes"))
    agent.run("failed")
    with pytest.raises(ValueError, match="boom"):
        agent.run("failed", Command(resume="boom"))
    found = listed(agent.path)
    assert (found["answered"].questions, found["answered"].has_error) == (0, False)
    assert (found["failed"].questions, found["failed"].has_error) == (1, True)


def test_threads_with_many_checkpoints_do_not_hide_the_others(
    agent: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The end of the table may belong to one busy thread; the newest others must still be found."""
    monkeypatch.setattr(threads, "_FIRST_TAILS", (4, 8))
    for name in "abcde":
        agent.run(name)
    for n in range(60):
        agent.graph.update_state({"configurable": {"thread_id": "busy"}}, {"n": n}, as_node="ask")
    db = open_database(str(agent.path))
    with db.reading() as conn:
        assert [row.thread_id for row in threads.newest(conn, db, 3)] == ["busy", "e", "d"]


@pytest.mark.parametrize("length", [1, 2, 15, 16, 200])
def test_interrupts_of_one_task_are_counted_without_decoding_them(agent: Any, length: int) -> None:
    """A node that runs subgraphs side by side stores several questions in one row."""
    agent.run("t")
    with closing(sqlite3.connect(agent.path)) as conn:
        conn.execute("UPDATE writes SET value = ? WHERE idx = -3", (encode(["q"] * length),))
        conn.commit()
    row = listed(agent.path)["t"]
    assert (row.pending_tasks, row.questions) == (1, length)


def test_ids_of_another_make_still_list(agent: Any) -> None:
    agent.run("t")
    with closing(sqlite3.connect(agent.path)) as conn:
        conn.execute("UPDATE checkpoints SET checkpoint_id = 'x' || rowid")
        conn.commit()
    row = listed(agent.path)["t"]
    assert (row.step, row.updated_at) == (None, None)


@pytest.mark.slow
def test_generated_threads_of_every_kind_are_counted_right(shared: Path, tmp_path: Path) -> None:
    sys.path.insert(0, str(shared / "bench"))
    try:
        from make_checkpoints import PENDING_COUNT, generate
    finally:
        sys.path.remove(str(shared / "bench"))
    path = tmp_path / "many.db"
    manifest = tmp_path / "kinds.json"
    generate(str(path), threads=400, pending_ratio=0.5, verify=0, manifest=str(manifest))
    kinds = json.loads(manifest.read_text())["kinds"]
    found = listed(path)
    assert len(found) == 400
    for thread_id, kind in kinds.items():
        assert found[thread_id].questions == PENDING_COUNT.get(kind, 0), kind
        assert found[thread_id].has_error == (kind == "error"), kind


def test_the_first_page_reads_no_state(zoo_db: Path) -> None:
    """The columns with the states are never named: a page costs the same however big they are."""
    db: Database = open_database(str(zoo_db))
    seen: list[str] = []
    with db.reading() as conn:
        conn.set_trace_callback(seen.append)
        threads.newest(conn, db)
        threads.every(conn, db)
    assert seen
    assert not any("metadata" in sql or "c.checkpoint " in sql or ".checkpoint," in sql for sql in seen)
