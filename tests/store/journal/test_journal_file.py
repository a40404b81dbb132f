"""The journal's file: rights, place, recognition, refusals, durability."""

from __future__ import annotations

import os
import sqlite3
import stat
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from threading import Barrier

import pytest

from agent_lab_tui.store.journal.book import Journal, JournalError, Order, QuestionTaken
from agent_lab_tui.store.journal.schema import APPLICATION_ID, MIGRATIONS

ORDER = Order(kind="go-on", thread_id="task-1", checkpoint_id="1ef", digest="d", by="ann")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "agent.db"
    path.touch()
    return path


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644, 0o660])
def test_the_journal_has_the_mode_and_group_of_its_database(database: Path, mode: int) -> None:
    database.chmod(mode)
    before = os.umask(0)
    try:
        Journal(database).record(ORDER)
    finally:
        os.umask(before)
    made, like = os.stat(f"{database}.desk"), os.stat(database)
    assert stat.S_IMODE(made.st_mode) == mode
    assert (made.st_uid, made.st_gid) == (like.st_uid, like.st_gid)


def test_a_linked_database_has_its_journal_beside_the_real_one(database: Path, tmp_path: Path) -> None:
    (tmp_path / "links").mkdir()
    link = tmp_path / "links" / "current.db"
    link.symlink_to(database)
    Journal(link).record(ORDER)
    assert os.listdir(tmp_path / "links") == ["current.db"]
    assert len(Journal(database).open()) == 1


def test_the_file_says_what_it_is(database: Path) -> None:
    journal = Journal(database)
    journal.record(ORDER)
    with closing(sqlite3.connect(journal.path)) as conn:
        assert conn.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
        assert conn.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
        assert conn.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_file_that_is_not_ours_is_refused_and_left_alone(database: Path) -> None:
    journal = Journal(database)
    with closing(sqlite3.connect(journal.path)) as conn:
        conn.execute("CREATE TABLE recipes(name TEXT)")
    before = journal.path.read_bytes()
    for act in (lambda: journal.record(ORDER), journal.open):
        with pytest.raises(JournalError, match="not a journal of agent-lab-tui"):
            act()
    assert journal.path.read_bytes() == before


def test_a_file_that_is_no_database_is_refused(database: Path) -> None:
    journal = Journal(database)
    journal.path.write_text("shopping list\n" * 100, "utf-8")
    with pytest.raises(JournalError, match="not a journal of agent-lab-tui"):
        journal.record(ORDER)
    with pytest.raises(JournalError, match="not a journal of agent-lab-tui"):
        journal.verify()


def test_a_link_in_the_journals_place_is_refused(database: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.touch()
    journal = Journal(database)
    journal.path.symlink_to(elsewhere)
    with pytest.raises(JournalError, match="no regular file"):
        journal.record(ORDER)
    assert elsewhere.read_bytes() == b""


def test_a_journal_of_a_newer_version_is_refused(database: Path) -> None:
    journal = Journal(database)
    journal.record(ORDER)
    with closing(sqlite3.connect(journal.path)) as conn:
        conn.execute("PRAGMA user_version = 99")
    with pytest.raises(JournalError, match="newer"):
        journal.open()


def test_an_empty_file_left_by_a_kill_is_taken_up(database: Path) -> None:
    journal = Journal(database)
    journal.path.touch()
    assert journal.open() == ()
    journal.record(ORDER)
    assert len(journal.open()) == 1


def test_an_effects_ledger_in_the_same_file_does_not_make_it_foreign(database: Path) -> None:
    journal = Journal(database)
    with closing(sqlite3.connect(journal.path)) as conn:
        conn.execute("CREATE TABLE effect(key TEXT PRIMARY KEY)")
        conn.execute("INSERT INTO effect VALUES ('task-1:mail')")
        conn.commit()
    assert journal.open() == ()
    journal.record(ORDER)
    with closing(sqlite3.connect(journal.path)) as conn:
        assert conn.execute("SELECT key FROM effect").fetchall() == [("task-1:mail",)]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_write_permission_is_said(database: Path) -> None:
    database.parent.chmod(0o500)
    try:
        with pytest.raises(JournalError, match="write permission"):
            Journal(database).record(ORDER)
    finally:
        database.parent.chmod(0o700)


def test_a_missing_database_gets_no_journal(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="cannot be made"):
        Journal(tmp_path / "gone.db").record(ORDER)
    assert os.listdir(tmp_path) == []


def test_no_other_files_stay_behind(database: Path) -> None:
    journal = Journal(database)
    journal.record(ORDER)
    journal.open()
    journal.verify()
    assert sorted(os.listdir(database.parent)) == ["agent.db", "agent.db.desk"]


def test_a_journal_that_another_is_making_is_not_taken_for_a_foreign_file(tmp_path: Path) -> None:
    def operator(rounds: list[Path], together: Barrier) -> None:
        try:
            for database in rounds:
                together.wait()
                with suppress(QuestionTaken):
                    Journal(database).record(ORDER)
        except BaseException:
            together.abort()
            raise

    databases = [tmp_path / f"{number}.db" for number in range(50)]
    for database in databases:
        database.touch()
    together = Barrier(4)
    with ThreadPoolExecutor(4) as pool:
        for one in [pool.submit(operator, databases, together) for _ in range(4)]:
            one.result()
    assert {len(Journal(database).decisions()) for database in databases} == {1}
