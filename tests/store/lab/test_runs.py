"""The builder's runs and executions: one row a run, one row for every time a call really ran."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from agent_lab_tui.store.lab.runs import RunExists, Runs


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    runs = Runs(tmp_path / "agent.db")
    runs.create("run-1", "re2", {"model": "scripted"})
    return runs


def test_a_run_has_one_row_whatever_happens_to_it(runs: Runs) -> None:
    with pytest.raises(RunExists, match="run-1 exists already"):
        runs.create("run-1", "zlib", {})
    runs.change("run-1", "failed", "402 payment required")
    runs.change("run-1", "running")
    (row,) = runs.runs()
    assert (row.project, row.options, row.status, row.error) == (
        "re2",
        {"model": "scripted"},
        "running",
        None,
    )


def test_a_result_is_kept_with_its_types(runs: Runs) -> None:
    runs.change("run-1", "completed", result={"file": "dist/re2.pkg"})
    row = runs.run("run-1")
    assert row is not None
    assert row.result == {"file": "dist/re2.pkg"}


def test_writing_what_stands_there_already_changes_nothing(runs: Runs, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "agent.db")) as connection, connection:
        connection.execute("UPDATE run SET updated_at = 'long ago'")
    runs.change("run-1", "running")
    row = runs.run("run-1")
    assert row is not None
    assert row.updated_at == "long ago"


def test_a_word_that_is_no_status_is_refused(runs: Runs) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        runs.change("run-1", "happy")  # type: ignore[arg-type]


def test_every_execution_is_a_row_so_that_a_second_one_shows(runs: Runs) -> None:
    for _ in range(2):
        call = runs.begin_call("run-1", "run-1:step-1:call-1", 1, "build", {"part": "zlib"})
        runs.end_call(call, "ready", {"text": "built"})
    runs.begin_call("run-1", "run-1:step-1:call-2", 1, "build", {"part": "abseil"})
    assert [call.state for call in runs.calls("run-1", "run-1:step-1:call-1")] == ["ready", "ready"]
    (begun,) = runs.calls("run-1", "run-1:step-1:call-2")
    assert (begun.state, begun.outcome, begun.finished_at) == ("started", None, None)
    assert begun.arguments == {"part": "abseil"}


def test_a_call_of_a_run_that_is_not_there_is_refused(runs: Runs) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        runs.begin_call("run-2", "run-2:step-1:call-1", 1, "build", {})


def test_threads_of_a_pool_write_side_by_side(runs: Runs) -> None:
    def call(number: int) -> None:
        row = runs.begin_call("run-1", f"run-1:step-1:call-{number}", 1, "build", {})
        runs.end_call(row, "ready", {"text": str(number)})

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(call, range(24)))
    assert sorted(int(row.outcome["text"]) for row in runs.calls("run-1")) == list(range(24))


def test_text_that_looks_like_sql_is_only_text(runs: Runs) -> None:
    runs.create("'; drop table run;--", "re2", {})
    assert [row.run_id for row in runs.runs()] == ["run-1", "'; drop table run;--"]


def test_looking_makes_no_file(tmp_path: Path) -> None:
    assert Runs(tmp_path / "none.db").runs() == ()
    assert not (tmp_path / "none.db").exists()
