"""Copy a SQLite file while others write to it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote


def back_up(source: Path, target: Path) -> None:
    """Copy a database as it stands at one moment, its -wal included, into a file that is there and empty.

    Writers go on meanwhile; what they commit after the copy began is in it whole or not at all.
    """
    uri = f"file:{quote(str(source.resolve()))}?mode=ro"
    with (
        closing(sqlite3.connect(uri, uri=True, timeout=30)) as read,
        closing(sqlite3.connect(target, timeout=30)) as write,
    ):
        # All pages in one step: a copy in pieces starts anew whenever somebody writes in between.
        read.backup(write, pages=-1)
        # The copy must stand alone, without a -wal beside it.
        write.execute("PRAGMA journal_mode = DELETE")
