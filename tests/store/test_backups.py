"""A copy of a database is whole, also while somebody writes."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

from agent_lab_tui.store.backups import back_up


def test_a_copy_under_a_writer_holds_whole_transactions(tmp_path: Path) -> None:
    source, is_over, has_begun = tmp_path / "a.db", threading.Event(), threading.Event()
    with closing(sqlite3.connect(source)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE pair(number INTEGER)")

    def write() -> None:
        with closing(sqlite3.connect(source, timeout=30)) as connection:
            while not is_over.is_set():
                with connection:
                    connection.executemany("INSERT INTO pair VALUES (?)", [(1,), (2,)])
                has_begun.set()

    writer = threading.Thread(target=write)
    writer.start()
    has_begun.wait()
    try:
        for number in range(10):
            target = tmp_path / f"copy-{number}.db"
            back_up(source, target)
            with closing(sqlite3.connect(target)) as connection:
                (count,) = connection.execute("SELECT count(*) FROM pair").fetchone()
                assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            assert count >= 2
            assert count % 2 == 0
            assert not Path(f"{target}-wal").exists()
    finally:
        is_over.set()
        writer.join()
