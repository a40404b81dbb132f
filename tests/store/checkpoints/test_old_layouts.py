"""Files that older versions wrote: without task paths, with other channels, with other ids."""

from __future__ import annotations

import importlib.util
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver

from agent_lab_tui.store.checkpoints import interrupts, threads
from agent_lab_tui.store.files import open_database

OLD = Path(__file__).parent / "old"

Told = tuple[tuple[str, ...], tuple[str, ...], tuple[Any, ...], bool]
"""Next nodes, and of the first question path, stored answers, whether it is stuck."""

LINE: dict[str, Told] = {
    "ask": (("ask",), ("ask",), (), False),
    "ask-done": ((), (), (), False),
    "bad": (("bad",), ("bad",), (), False),
    "boom": (("boom",), (), (), False),
    "brk": (("brk",), (), (), False),
    "cond": (("ask",), ("ask",), (), False),
    # Without a path an entrypoint is known by its trigger alone, until its graph is loaded.
    "essay": (("__start__",), ("__start__",), (), False),
    "essay-2": (("__start__",), ("__start__",), (), False),
    "join": (("j",), ("j",), (), False),
    "sends": (("work",) * 3, ("work",), (), False),
    "sub": (("sub",), ("sub", "leaf"), (), False),
    "sub-done": ((), (), (), False),
    "two": (("two",), ("two",), (), False),
    "two-2": (("two",), ("two",), ("A",), False),
}
WITH_PATHS = ("1.1.10",)
"""Written by a saver that keeps task paths; the others were written by an older one."""
EXPECTED: dict[str, dict[str, Told]] = {
    # Channels of that time do not name the successor, and answers were stored without their task.
    "0.2.60": {
        **LINE,
        "boom": ((), (), (), False),
        "brk": ((), (), (), False),
        "essay": (("essay",), ("essay",), (), False),
        "essay-2": (("__start__",), ("__start__",), (), False),
        "bad-2": (("bad",), ("bad",), (), False),
        "sends-1": (("work",) * 3, ("work",), (), False),
    },
    "0.6.7": {
        **LINE,
        "bad-2": (("bad",), ("bad",), ("zz",), True),
        "sends-1": (("work",) * 2, ("work",), (), False),
    },
    "1.0.10": {
        **LINE,
        "bad-2": (("bad",), ("bad",), ("zz",), True),
        "sends-1": (("work",) * 2, ("work",), (), False),
    },
    "1.1.10": {
        **LINE,
        "bad-2": (("bad",), ("bad",), ("zz",), True),
        "essay": (("essay",), ("essay",), (), False),
        "essay-2": (("essay",), ("essay",), (), False),
        "sends-1": (("work",) * 2, ("work",), (), False),
    },
    "1.2.17": {
        "bad-2": (("bad",), ("bad",), ("zz",), True),
        "essay": LINE["essay"],
        "essay-2": LINE["essay-2"],
        "join": LINE["join"],
        "sends-1": (("work",) * 2, ("work",), (), False),
        "two": LINE["two"],
        "two-2": LINE["two-2"],
    },
}


@pytest.fixture
def old_db(tmp_path: Path, version: str) -> Path:
    """A file as an old version left it."""
    path = tmp_path / "old.db"
    with closing(sqlite3.connect(path)) as conn:
        conn.executescript((OLD / f"langgraph-{version}.sql").read_text("utf-8"))
    return path


@pytest.mark.parametrize("version", EXPECTED)
def test_questions_and_next_nodes_of_old_files_are_told(old_db: Path, version: str) -> None:
    db = open_database(str(old_db))
    assert db.has_task_path == (version in WITH_PATHS)
    found: dict[str, Told] = {}
    with db.reading() as conn:
        for row in threads.every(conn, db):
            asked = interrupts.pending(conn, db, row.thread_id)
            # The long list counts a task inside an entrypoint too, where no path tells them apart.
            is_counted_twice = row.thread_id == "essay-2" and not db.has_task_path
            assert row.questions == (2 if is_counted_twice else len(asked))
            assert not any(one.plain_only for one in asked)
            assert all("?" not in one.path for one in asked)
            first = asked[0] if asked else None
            found[row.thread_id] = (
                interrupts.next_nodes(conn, db, row.thread_id),
                first.path if first else (),
                first.stored_answers if first else (),
                first.is_answered if first else False,
            )
    assert found == EXPECTED[version]


@pytest.mark.parametrize("version", ["0.6.7", "1.0.10", "1.1.10", "1.2.17"])
def test_langgraph_of_today_tells_the_same_of_them(
    old_db: Path, version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Questions, next nodes and errors, on a copy: opening it with a saver changes the file."""
    make = _make(monkeypatch)
    db = open_database(str(old_db))
    copy = old_db.with_name("copy.db")
    copy.write_bytes(old_db.read_bytes())
    with closing(sqlite3.connect(copy, check_same_thread=False)) as theirs, db.reading() as conn:
        saver = SqliteSaver(theirs)
        for row in threads.every(conn, db):
            thread_id = row.thread_id
            state = make.compiled(thread_id, saver).get_state({"configurable": {"thread_id": thread_id}})
            asked = interrupts.pending(conn, db, thread_id)
            assert {one.interrupt_id: one.value for one in asked} == {
                one.id: one.value for one in state.interrupts
            }
            nodes = (
                "essay" if node == "__start__" else node
                for node in interrupts.next_nodes(conn, db, thread_id)
            )
            assert sorted(nodes) == sorted(state.next)
            assert interrupts.errors(conn, db, thread_id) == tuple(
                str(task.error) for task in state.tasks if task.error
            )


@pytest.mark.parametrize("version", ["1.2.17"])
def test_the_second_question_of_1_2_17_has_the_first_ones_id_and_can_be_answered(
    old_db: Path, version: str
) -> None:
    """One stored answer and index 0 mean stuck only where the task has failed."""
    db = open_database(str(old_db))
    with db.reading() as conn:
        (asked,) = interrupts.pending(conn, db, "two-2")
    assert (asked.index, asked.stored_answers, asked.is_answered) == (0, ("A",), False)
    assert asked.stored_answer is None


@pytest.mark.parametrize("version", ["0.6.7"])
def test_old_files_keep_no_node_with_their_answers(old_db: Path, version: str) -> None:
    db = open_database(str(old_db))
    with db.reading() as conn:
        assert interrupts.answers_given(conn, db, "ask", 5) == ()


def _make(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_old_files", OLD / "make.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    return module
