"""Copy a SQLite file while others write to it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from .tables import WAIT_SECONDS, can_write, connected_to_read, explained


def back_up(source: Path, target: Path) -> None:
    """Copy a database as it stands at one moment, its -wal included, into a file that is there and empty.

    Writers go on meanwhile; what they commit after the copy began is in it whole or not at all.

    Raises:
        CannotOpen: The source is damaged, or no database.
    """
    with (
        explained(source),
        closing(_source(source.resolve())) as read,
        closing(sqlite3.connect(target, timeout=WAIT_SECONDS)) as write,
    ):
        # All pages in one step: a copy in pieces starts anew whenever somebody writes in between.
        read.backup(write, pages=-1)
        # The copy must stand alone, without a -wal beside it.
        write.execute("PRAGMA journal_mode = DELETE")


def _source(path: Path) -> sqlite3.Connection:
    if not can_write(path):
        return connected_to_read(path)
    return sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True, timeout=WAIT_SECONDS)
