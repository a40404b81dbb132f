"""A thread is found by what its run was given: a user's id is a field of it, never its name."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TypedDict

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph

from agent_lab_tui.graph.reading import labels as module
from agent_lab_tui.graph.reading.labels import Label, labelled, labels_of
from agent_lab_tui.graph.reading.reader import Reader, ThreadLine
from agent_lab_tui.graph.settings.file import Settings
from agent_lab_tui.store.files import Database, open_database


class State(TypedDict, total=False):
    n: int


GIVEN = {
    "job-1": {"user_id": "u1", "tries": 3, "is_test": True},
    "job-2": {"user_id": "u1"},
    "job-3": {"user_id": "u10", "roles": ["a"]},
    "u1": {},
}


@pytest.fixture
def database(tmp_path: Path) -> Database:
    builder = StateGraph(State)
    builder.add_node("step", lambda state: {"n": 1})
    builder.add_edge(START, "step")
    path = tmp_path / "agent.db"
    with closing(sqlite3.connect(path, check_same_thread=False)) as connection:
        graph = builder.compile(checkpointer=SqliteSaver(connection))
        for thread_id, given in GIVEN.items():
            graph.invoke({}, {"configurable": {"thread_id": thread_id, **given}})
    return open_database(str(path))


@pytest.fixture
def lines(database: Database) -> Sequence[ThreadLine]:
    return Reader(database, Settings()).lines()


def ids(lines: Sequence[ThreadLine]) -> list[str]:
    return sorted(line.thread_id for line in lines)


def test_two_jobs_of_one_user_are_two_threads_with_one_label(
    database: Database, lines: Sequence[ThreadLine]
) -> None:
    assert ids(labelled(database, lines, [Label("user_id", "u1")])) == ["job-1", "job-2"]


def test_all_labels_that_are_asked_for_must_be_there(database: Database, lines: Sequence[ThreadLine]) -> None:
    wanted = [Label("user_id", "u1"), Label("tries", "3"), Label("is_test", "true")]
    assert ids(labelled(database, lines, wanted)) == ["job-1"]
    assert labelled(database, lines, [Label("user_id", "nobody")]) == ()


def test_only_plain_values_are_labels_and_a_thread_that_is_gone_has_none(
    database: Database, lines: Sequence[ThreadLine], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "CHUNK", 2)
    gone = lines[0]._replace(thread_id="gone", checkpoint_id="gone")
    found = {head: one for part in labels_of(database, [*lines, gone]) for head, one in part.items()}
    by_thread = {line.thread_id: found[line.checkpoint_id] for line in lines}
    assert "roles" not in by_thread["job-3"]
    assert by_thread["job-3"]["user_id"] == "u10"
    assert by_thread["u1"]["source"] == "loop"
    assert found["gone"] == {}


@pytest.mark.parametrize(
    ("word", "label"),
    [
        ("user_id=u1", Label("user_id", "u1")),
        ("user_id:u1", Label("user_id", "u1")),
        ("a.b-c=d=e", Label("a.b-c", "d=e")),
        (":waiting", None),
        ("=x", None),
        ("name=", None),
        ("12:30", None),
        ("word", None),
    ],
)
def test_a_word_is_a_label_only_where_it_names_one(word: str, label: Label | None) -> None:
    assert Label.parse(word) == label
