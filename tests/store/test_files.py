"""Checkpoint files: what is opened, what is refused and how, and that nothing of them ever changes."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from agent_lab_tui.store.checkpoints.rows import head
from agent_lab_tui.store.checkpoints.threads import every
from agent_lab_tui.store.files import CannotOpen, open_database


@contextmanager
def untouched(path: Path) -> Iterator[None]:
    """Assert that bytes and times of a file stay as they are."""
    before = (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns, path.stat().st_size)
    yield
    after = (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns, path.stat().st_size)
    assert after == before


def why_not(path_or_url: str) -> str:
    """The sentence with which a file is refused."""
    with pytest.raises(CannotOpen) as refused:
        open_database(path_or_url)
    text = str(refused.value)
    assert "\n" not in text
    assert text.endswith(".")
    return text


def test_a_file_of_a_saver_is_opened_and_read_without_a_trace(closed_db: Path) -> None:
    with untouched(closed_db):
        db = open_database(str(closed_db))
        with db.reading() as conn:
            assert [row.thread_id for row in every(conn, db)] == ["t"]
        watching = db.watching()
        watching.execute("PRAGMA data_version").fetchone()
        watching.close()
    assert db.has_task_path
    assert not db.is_immutable
    assert db.warning is None
    assert db.journal_path == Path(f"{closed_db}.desk")
    assert not db.journal_path.exists()


def test_a_file_in_rollback_mode_is_read_without_a_trace(closed_db: Path) -> None:
    with closing(sqlite3.connect(closed_db)) as conn:
        conn.execute("PRAGMA journal_mode=DELETE")
    with untouched(closed_db):
        db = open_database(str(closed_db))
        with db.reading() as conn:
            assert head(conn, "t") is not None
    assert os.listdir(closed_db.parent) == [closed_db.name]


def test_reading_never_writes(closed_db: Path) -> None:
    with pytest.raises(CannotOpen, match="readonly"), open_database(str(closed_db)).reading() as conn:
        conn.execute("DELETE FROM checkpoints")


def test_a_file_shared_with_an_applications_own_tables_is_opened(closed_db: Path) -> None:
    with closing(sqlite3.connect(closed_db)) as conn:
        conn.executescript(
            "CREATE TABLE orders (id INTEGER PRIMARY KEY, total REAL); INSERT INTO orders VALUES (1, 2)"
        )
    assert open_database(str(closed_db)).has_task_path


def test_a_file_from_before_task_path_is_opened_and_not_migrated(closed_db: Path) -> None:
    with closing(sqlite3.connect(closed_db)) as conn:
        conn.execute("ALTER TABLE writes DROP COLUMN task_path")
    with untouched(closed_db):
        db = open_database(str(closed_db))
        with db.reading() as conn:
            assert [row.questions for row in every(conn, db)] == [1]
    assert not db.has_task_path


@pytest.mark.parametrize("form", ["{}", "sqlite:///{}", "sqlite:///{}?mode=rwc", "sqlite+pysqlite:///{}"])
def test_paths_and_urls_name_the_same_file(closed_db: Path, form: str) -> None:
    assert open_database(form.format(closed_db)).path == closed_db.resolve()


def test_a_relative_url_is_relative(closed_db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(closed_db.parent)
    assert open_database("sqlite:///agent.db").path == closed_db.resolve()


@pytest.mark.parametrize("name", ["a b.db", "100%41.db", "q?mode=rwc.db", "h#.db", "日本.db", "new\nline.db"])
def test_any_file_name_is_that_file(closed_db: Path, name: str) -> None:
    other = closed_db.with_name(name)
    closed_db.rename(other)
    db = open_database(str(other))
    with db.reading() as conn:
        assert head(conn, "t") is not None
    assert [path.name for path in other.parent.iterdir() if ".db" not in path.name] == []


def test_a_symbolic_link_is_followed_so_that_all_desks_share_one_journal(closed_db: Path) -> None:
    link = closed_db.with_name("link.db")
    link.symlink_to(closed_db)
    assert open_database(str(link)).journal_path == Path(f"{closed_db.resolve()}.desk")


def test_a_missing_file_is_not_made(tmp_path: Path) -> None:
    assert "does not exist" in why_not(str(tmp_path / "none.db"))
    assert os.listdir(tmp_path) == []


def test_a_folder_is_refused(tmp_path: Path) -> None:
    assert "is a folder" in why_not(str(tmp_path))


def test_an_empty_file_is_refused_and_stays_empty(tmp_path: Path) -> None:
    path = tmp_path / "empty.db"
    path.touch()
    assert "is empty; run the agent once" in why_not(str(path))
    assert path.stat().st_size == 0


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("hello")
    assert "is not a SQLite database" in why_not(str(path))


def test_a_torn_file_is_refused(closed_db: Path) -> None:
    with closing(sqlite3.connect(closed_db)) as conn:
        conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with open(closed_db, "r+b") as file:
        file.seek(16)
        file.write(os.urandom(4000))
    assert "is damaged or encrypted" in why_not(str(closed_db))


def test_a_database_without_checkpoints_is_refused_and_gets_none(tmp_path: Path) -> None:
    path = tmp_path / "app.db"
    with closing(sqlite3.connect(path)) as conn:
        conn.execute("CREATE TABLE orders (id INTEGER)")
    with untouched(path):
        assert "holds no checkpoints" in why_not(str(path))


def test_tables_that_only_share_the_names_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "game.db"
    with closing(sqlite3.connect(path)) as conn:
        conn.executescript("CREATE TABLE checkpoints (level INTEGER); CREATE TABLE writes (x)")
    assert "another layout" in why_not(str(path))


def test_a_file_locked_exclusively_is_refused(closed_db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent_lab_tui.store.files._BUSY_SECONDS", 0.05)
    with closing(sqlite3.connect(closed_db, isolation_level=None)) as holder:
        holder.execute("PRAGMA journal_mode=DELETE")
        holder.execute("BEGIN EXCLUSIVE")
        assert "is locked by another process; wait until it is done" in why_not(str(closed_db))


def test_what_befalls_a_file_while_it_is_read_is_said_in_one_sentence(
    closed_db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Locked, damaged, gone: whoever reads gets a sentence, never an error of SQLite's."""
    monkeypatch.setattr("agent_lab_tui.store.files._BUSY_SECONDS", 0.05)
    db = open_database(str(closed_db))
    with closing(sqlite3.connect(closed_db, isolation_level=None)) as holder:
        holder.execute("PRAGMA journal_mode=DELETE")
        holder.execute("BEGIN EXCLUSIVE")
        with pytest.raises(CannotOpen, match="is locked by another process"), db.reading() as conn:
            head(conn, "t")
    size = closed_db.stat().st_size
    with open(closed_db, "r+b") as file:
        file.seek(4096)
        file.write(os.urandom(size - 4096))
    with pytest.raises(CannotOpen, match="is damaged or encrypted"), db.reading() as conn:
        every(conn, db)
    closed_db.unlink()
    with pytest.raises(CannotOpen, match="is gone"), db.reading() as conn:
        head(conn, "t")


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("postgresql://u:p@host/db", "PostgreSQL databases are not supported yet"),
        ("postgres://host/db", "PostgreSQL databases are not supported yet"),
        ("mysql://host/db", "mysql:// addresses are not supported"),
        ("sqlite://", "Write sqlite:///relative/path.db"),
        (":memory:", "Name the file"),
        ("", "Name the file"),
    ],
)
def test_other_addresses_are_refused_with_what_to_type(url: str, sentence: str) -> None:
    assert sentence in why_not(url)


def test_a_file_that_may_not_be_read_is_refused(closed_db: Path) -> None:
    closed_db.chmod(0)
    assert "may not be read by this account" in as_another_account(
        closed_db.parent, lambda: why_not(str(closed_db))
    )


def test_a_file_in_a_folder_that_may_not_be_written_is_read_as_it_stands(closed_db: Path) -> None:
    """SQLite wants to make files beside one in write-ahead mode; a backup on a read-only disk must open."""

    def look() -> str:
        db = open_database(str(closed_db))
        with db.reading() as conn:
            assert head(conn, "t") is not None
        return db.warning or "no warning"

    closed_db.chmod(0o444)
    closed_db.parent.chmod(0o555)
    try:
        with untouched(closed_db):
            assert "changes made by a running agent are not seen" in as_another_account(
                closed_db.parent, look
            )
    finally:
        closed_db.parent.chmod(0o755)


def as_another_account(folder: Path, look: Callable[[], Any]) -> str:
    """Run something under an account for which modes count: the superuser may read everything."""
    if os.geteuid() != 0:
        return str(look())
    opened = [path for path in (folder, *folder.parents) if not path.stat().st_mode & 0o001]
    modes = {path: path.stat().st_mode for path in opened}
    for path in opened:
        path.chmod(modes[path] | 0o011)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgid(65534)
            os.setuid(65534)
            text = str(look())
        except BaseException as error:  # noqa: BLE001 - the child's only way to tell
            text = repr(error)
        os.write(writing, text.encode())
        os._exit(0)
    os.close(writing)
    with open(reading, encoding="utf-8") as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    for path, mode in modes.items():
        path.chmod(mode)
    return text
