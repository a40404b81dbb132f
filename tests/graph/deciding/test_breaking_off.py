"""Of a run that broke off: what the ledger knows of just this run, and where the thread stands by it."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent_lab_tui.graph.deciding.breaking_off import broken_off, effects_of
from agent_lab_tui.store.effects import Effects
from agent_lab_tui.store.files import Database
from agent_lab_tui.store.journal.book import BreakOff, Decision, Order

ORDER = Order("answer", "task-1", "c1", "digest", questions=("q",), by="ann")
SEEN = BreakOff("the host was killed", ("pay", "pay/inner"), "c2", os.getpid(), at=200.0)
RAN = Decision("d" * 32, ORDER, 100.0, "applied", 150.0, token=3, break_off=SEEN)


@pytest.fixture
def ledger(tmp_path: Path) -> Effects:
    (tmp_path / "agent.db").touch()
    return Effects(tmp_path / "agent.db.desk")


def known(tmp_path: Path, decision: Decision) -> list[str]:
    return list(effects_of(Database(tmp_path / "agent.db", has_task_path=True), decision))


def by_another_process(tmp_path: Path, key: str) -> None:
    """Say that an effect was done by a process that is gone."""
    with closing(sqlite3.connect(tmp_path / "agent.db.desk")) as conn, conn:
        assert conn.execute("UPDATE effect SET pid = 4 WHERE key = ?", (key,)).rowcount == 1


def test_an_effect_of_the_process_that_ran_it_is_told_under_any_key(ledger: Effects, tmp_path: Path) -> None:
    ledger.begin("pay:42", "pay", {})
    (said,) = known(tmp_path, RAN)
    assert said.startswith("the ledger says of pay:42: begun and not ended at ")


def test_one_of_another_process_is_told_where_its_key_names_the_thread(
    ledger: Effects, tmp_path: Path
) -> None:
    ledger.finish(ledger.begin("pay:task-1:x", "pay", {}).effect, {"id": 7})
    ledger.begin("pay:task-10:x", "pay", {})
    for key in ("pay:task-1:x", "pay:task-10:x"):
        by_another_process(tmp_path, key)
    (said,) = known(tmp_path, RAN)
    assert said.startswith("the ledger says of pay:task-1:x: done at ")


def test_what_was_done_before_the_decision_is_not_of_its_run(ledger: Effects, tmp_path: Path) -> None:
    ledger.begin("pay:task-1", "pay", {})
    assert known(tmp_path, replace(RAN, at=4e9)) == []


def test_without_a_word_of_the_process_the_key_alone_tells(ledger: Effects, tmp_path: Path) -> None:
    ledger.begin("pay:task-1", "pay", {})
    ledger.begin("pay:42", "pay", {})
    (said,) = known(tmp_path, replace(RAN, break_off=None))
    assert "pay:task-1" in said


def test_a_thread_stands_where_its_last_run_broke_off() -> None:
    found = broken_off("task-1", "c2", ["pay", "log"], [RAN])
    assert found is not None
    assert found.words == (
        "its run broke off after ann answered this (decision dddddddd): the host was killed;"
        " pay, pay/inner had begun and may have had its effect; log was due and may have begun"
    )


@pytest.mark.parametrize(
    ("head", "due", "more"),
    [
        ("c3", ["pay"], {}),
        ("c2", [], {}),
        ("c2", ["pay"], {"state": "failed"}),
        ("c2", ["pay"], {"break_off": None}),
    ],
    ids=["moved on", "nothing due", "not applied", "ended"],
)
def test_it_does_not_where_it_moved_on_or_nothing_broke_off(head: str, due: list[str], more: Any) -> None:
    assert broken_off("task-1", head, due, [replace(RAN, **more)]) is None


def test_a_later_run_takes_the_matter_over() -> None:
    later = replace(RAN, decision_id="e" * 32, at=300.0, break_off=None, state="failed")
    assert broken_off("task-1", "c2", ["pay"], [RAN, later]) is None
    elsewhere = replace(later, order=replace(ORDER, thread_id="other"))
    assert broken_off("task-1", "c2", ["pay"], [RAN, elsewhere]) is not None
