"""What other processes changed in a checkpoint file, told by its counters; an unchanged look reads no row."""

from __future__ import annotations

import os
import sqlite3
from dataclasses import dataclass, replace
from typing import NamedTuple

from ..files import Database
from ..transactions import one_view


@dataclass(frozen=True, slots=True)
class Changes:
    """What changed between two looks."""

    is_reload: bool = False
    """Rows are gone or the file was replaced: read the whole list again."""
    thread_ids: frozenset[str] = frozenset()
    """Threads that have new rows."""

    def __bool__(self) -> bool:
        """Whether anything changed."""
        return self.is_reload or bool(self.thread_ids)


@dataclass(frozen=True, slots=True)
class _Mark:
    """How far a file had been written."""

    version: int
    last_checkpoint: int
    last_write: int
    checkpoints: int | None
    """How many there are; None before they were counted, which takes a look at every one of them."""
    newest: tuple[str, str] | None
    """Thread and id of the checkpoint in the last row: a restored backup may have as many rows."""


class _File(NamedTuple):
    """One file under the path."""

    identity: tuple[int, int]
    """Device and inode."""
    written: tuple[int, int]
    """When it was last written, and its size."""


class Watch:
    """Looks for changes of one file; may be used from any thread, one at a time."""

    def __init__(self, db: Database) -> None:
        """Remember how the file stands now; its rows are counted at the first poll, not while it is opened.

        Args:
            db: the file to watch.
        """
        self._db = db
        self._conn = db.watching()
        self._file = _file(db)
        self._mark = self._look(is_counting=False)

    def poll(self) -> Changes:
        """Tell what changed since the last look; a file that is locked for the moment has not changed yet."""
        file = _file(self._db)
        if file is None:
            return Changes()
        try:
            if self._file is None or file.identity != self._file.identity:
                self._open_again()
                return Changes(is_reload=True)
            (version,) = self._conn.execute("PRAGMA data_version").fetchone()
            if version != self._mark.version:
                return self._changes(self._mark)
            if file.written != self._file.written:
                return self._compared()
            if self._mark.checkpoints is None:
                self._mark = replace(self._mark, checkpoints=self._count())
            return Changes()
        except sqlite3.OperationalError:
            return Changes()

    def close(self) -> None:
        """Close the connection to the file."""
        self._conn.close()

    def _changes(self, before: _Mark) -> Changes:
        """Read the tails of both tables on one unchanging view."""
        with one_view(self._conn):
            now = self._look()
            new_checkpoints = self._tail("checkpoints", before.last_checkpoint)
            touched = new_checkpoints + self._tail("writes", before.last_write)
            newest = self._checkpoint(before.last_checkpoint)
        is_reload = (
            now.last_checkpoint < before.last_checkpoint
            or now.last_write < before.last_write
            or before.checkpoints is None
            or now.checkpoints != before.checkpoints + len(new_checkpoints)
            or newest != before.newest
        )
        self._mark = now
        self._file = _file(self._db)
        return Changes(is_reload, frozenset(touched))

    def _look(self, *, is_counting: bool = True) -> _Mark:
        (version,) = self._conn.execute("PRAGMA data_version").fetchone()
        checkpoint, write = self._conn.execute(
            "SELECT (SELECT max(rowid) FROM checkpoints), (SELECT max(rowid) FROM writes)"
        ).fetchone()
        count = self._count() if is_counting else None
        return _Mark(version, checkpoint or 0, write or 0, count, self._checkpoint(checkpoint or 0))

    def _count(self) -> int:
        (count,) = self._conn.execute("SELECT count(*) FROM checkpoints").fetchone()
        return int(count)

    def _checkpoint(self, row: int) -> tuple[str, str] | None:
        """Give thread and id of the checkpoint in a row; None where there is none."""
        sql = "SELECT thread_id, checkpoint_id FROM checkpoints WHERE rowid = ?"
        found: tuple[str, str] | None = self._conn.execute(sql, (row,)).fetchone()
        return found

    def _compared(self) -> Changes:
        """Look at a file that was written past SQLite's own count, with another connection.

        SQLite itself does so when it folds the write-ahead log in, and a backup that was copied over the
        file does.
        """
        before = self._mark
        self._open_again()
        now = replace(self._mark, version=before.version)
        if before.checkpoints is None:
            now = replace(now, checkpoints=None)
        return Changes(is_reload=now != before)

    def _tail(self, table: str, last: int) -> list[str]:
        """Give the thread of each later row; without `NOT INDEXED` the planner would read the whole index."""
        sql = f"SELECT thread_id FROM {table} NOT INDEXED WHERE rowid > ?"  # noqa: S608 - one of two names
        return [thread_id for (thread_id,) in self._conn.execute(sql, (last,))]

    def _open_again(self) -> None:
        """Follow the path to the file that took the place of the old one."""
        conn = self._db.watching()
        self._conn.close()
        self._conn = conn
        self._file = _file(self._db)
        self._mark = self._look()


def _file(db: Database) -> _File | None:
    """Look at the file itself; None while there is none."""
    try:
        found = os.stat(db.path)
    except OSError:
        return None
    return _File((found.st_dev, found.st_ino), (found.st_mtime_ns, found.st_size))
