"""Archiving: old events move out, both files verify, nothing open and nothing young is moved."""

from __future__ import annotations

import json
import sqlite3
import stat
import time
from contextlib import closing
from pathlib import Path

import pytest

from agent_lab_tui.store.journal.book import Journal, JournalError, Order
from agent_lab_tui.store.journal.chain import check, fold, read

LATER = time.time() + 3600


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    database = tmp_path / "agent.db"
    database.touch(0o640)
    return Journal(database)


def ended(journal: Journal, thread: str) -> str:
    decision = journal.record(Order("answer", thread, "1ef", "d", ("q",), by="ann"))
    journal.withdraw(decision.decision_id, "ann")
    return decision.decision_id


def opened(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{path}?mode=ro", uri=True)


def test_ended_decisions_move_and_both_files_verify(journal: Journal, tmp_path: Path) -> None:
    for number in range(3):
        ended(journal, f"task-{number}")
    head = journal.head()
    archived = journal.archive(tmp_path / "old.desk", LATER, "ann")
    assert archived is not None
    assert (archived.events, archived.head) == (6, head)
    with closing(opened(archived.path)) as conn:
        assert check(read(conn), head).is_whole
        assert len(fold(read(conn))) == 3
    (left,) = journal.events()
    assert (left.seq, left.kind, json.loads(left.body)["digest"]) == (7, "archived", head)
    assert journal.verify().is_whole


def test_the_journal_goes_on_append_only_after_archiving(journal: Journal, tmp_path: Path) -> None:
    ended(journal, "task-1")
    journal.archive(tmp_path / "old.desk", LATER, "ann")
    ended(journal, "task-2")
    assert [event.seq for event in journal.events()] == [3, 4, 5]
    assert journal.verify().is_whole
    with closing(sqlite3.connect(journal.path)) as conn, pytest.raises(sqlite3.IntegrityError):
        conn.execute("DELETE FROM event")


def test_an_open_decision_and_all_after_it_stay(journal: Journal, tmp_path: Path) -> None:
    ended(journal, "task-1")
    held = journal.record(Order("answer", "task-2", "1ef", "d", ("q",), by="ann"))
    ended(journal, "task-3")
    archived = journal.archive(tmp_path / "old.desk", LATER, "ann")
    assert archived is not None
    assert archived.events == 2
    assert journal.open() == (held,)
    assert journal.verify().is_whole


def test_a_decision_that_reaches_across_the_cut_stays_whole(journal: Journal, tmp_path: Path) -> None:
    early = journal.record(Order("answer", "task-1", "1ef", "d", ("q",), by="ann"))
    ended(journal, "task-2")
    cut = journal.events()[-1].at + 1e-6
    journal.withdraw(early.decision_id, "ann")
    assert journal.archive(tmp_path / "old.desk", cut, "ann") is None
    assert not (tmp_path / "old.desk").exists()


def test_young_events_stay(journal: Journal, tmp_path: Path) -> None:
    ended(journal, "task-1")
    assert journal.archive(tmp_path / "old.desk", 0.0, "ann") is None


def test_archiving_twice_keeps_the_chain(journal: Journal, tmp_path: Path) -> None:
    for number in range(2):
        ended(journal, f"task-{number}")
        assert journal.archive(tmp_path / f"old-{number}.desk", LATER, "ann") is not None
    with closing(opened(tmp_path / "old-1.desk")) as conn:
        assert check(read(conn)).is_whole
    assert journal.verify().is_whole


def test_a_beginning_that_is_cut_off_without_an_archive_is_found(journal: Journal) -> None:
    ended(journal, "task-1")
    with closing(sqlite3.connect(journal.path)) as conn:
        conn.execute("DROP TRIGGER no_delete")
        conn.execute("DELETE FROM event WHERE seq = 1")
        conn.commit()
    verdict = journal.verify()
    assert not verdict.is_whole
    assert "no archive" in verdict.reason


def test_the_archive_never_overwrites_and_has_the_journals_rights(journal: Journal, tmp_path: Path) -> None:
    ended(journal, "task-1")
    target = tmp_path / "old.desk"
    target.write_text("mine", "utf-8")
    with pytest.raises(JournalError, match="exists already"):
        journal.archive(target, LATER, "ann")
    assert target.read_text("utf-8") == "mine"
    archived = journal.archive(tmp_path / "new.desk", LATER, "ann")
    assert archived is not None
    assert stat.S_IMODE(archived.path.stat().st_mode) == 0o640
