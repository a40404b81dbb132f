"""Look for what others wrote into a journal, without reading it while nothing was written."""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from pathlib import Path

from ..checkpoints.watch import Changes
from .file import JournalError, JournalFile

Stamp = tuple[object, ...]


class JournalWatch:
    """Looks for new events of one journal, which need not exist; may be used from any thread, one at a time.

    The number that SQLite counts up for each connection tells whether anything was written. A desk that only
    looks may not keep a connection, which would leave files behind: for it the files' own marks tell.
    """

    def __init__(self, database_path: Path, *, is_readonly: bool = False) -> None:
        """Remember how the journal stands now; one that cannot be read is told at the first poll."""
        self._file = JournalFile.beside(database_path, is_readonly=is_readonly)
        self._conn: sqlite3.Connection | None = None
        self._place: tuple[int, int] | None = None
        self._stamp: Stamp = ()
        self._last = 0
        with suppress(JournalError):
            stamp = self._look()
            self._last = self._last_event()
            self._stamp = stamp

    def poll(self) -> Changes:
        """Tell which threads something was written about since the last look.

        Raises:
            JournalError: The file is not ours, or cannot be read.
        """
        place = self._place
        stamp = self._look()
        if stamp == self._stamp:
            return Changes()
        last = self._last_event()
        is_other = place is not None and self._place != place
        touched = self._after(self._last)
        self._stamp, before, self._last = stamp, self._last, last
        return Changes(is_other or last < before, touched)

    def close(self) -> None:
        """Close what is open."""
        if self._conn is not None:
            self._conn.close()
            self._conn = None

    def _look(self) -> Stamp:
        """Return what changes with every write."""
        place = _place(self._file.path)
        if place != self._place:
            self.close()
            self._place = place
        if place is None:
            return ()
        if self._file.is_readonly:
            return (place, *_marks(self._file.path))
        try:
            if self._conn is None:
                self._conn = self._file.kept()
            return (place, *self._conn.execute("PRAGMA data_version").fetchone())
        except sqlite3.OperationalError:  # locked for the moment: nothing new was seen yet
            return self._stamp
        except sqlite3.DatabaseError:  # no database: whoever reads it says so in a sentence
            return (place, None)

    def _last_event(self) -> int:
        with self._file.reading() as conn:
            row = conn and conn.execute("SELECT max(seq) FROM event").fetchone()
            return int(row[0] or 0) if row else 0

    def _after(self, last: int) -> frozenset[str]:
        with self._file.reading() as conn:
            query = "SELECT DISTINCT thread FROM event WHERE seq > ?"
            rows = conn.execute(query, (last,)).fetchall() if conn is not None else []
            return frozenset(thread for (thread,) in rows if thread)


def _place(path: Path) -> tuple[int, int] | None:
    """Give device and inode of the file; None while there is none, or nothing in it yet."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return (found.st_dev, found.st_ino) if found.st_size else None


def _marks(path: Path) -> Stamp:
    marks: list[object] = []
    for part in (str(path), f"{path}-wal"):
        with suppress(OSError):
            found = os.stat(part)
            marks.append((found.st_mtime_ns, found.st_size))
    return tuple(marks)
