"""Open a file of our own tables: made for its owner alone, safe under several processes and threads."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from .transactions import writing

WAIT_SECONDS = 30.0
"""How long a writer waits for another one before it gives up."""

_creation = threading.Lock()
"""Closing any descriptor of a file drops this process's SQLite locks on it, so nobody may be in it yet."""


def now() -> str:
    """Return the present time in UTC, to the second, with a Z."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


@contextmanager
def transaction(path: Path, schema: str) -> Iterator[sqlite3.Connection]:
    """Open a file for one transaction; everything in it is on the disk at the end, or nothing is.

    One connection serves one transaction, so nodes may run in any thread of a pool.
    """
    connection = _opened(path, schema)
    try:
        with writing(connection):
            yield connection
    finally:
        connection.close()


@contextmanager
def reading(path: Path, schema: str) -> Iterator[sqlite3.Connection]:
    """Open a file to read it; a missing one reads as empty and is not made."""
    if path.exists():
        connection = _opened(path, schema)
    else:
        connection = sqlite3.connect(":memory:")
        connection.row_factory = sqlite3.Row
        connection.executescript(schema)
    try:
        yield connection
    finally:
        connection.close()


def _opened(path: Path, schema: str) -> sqlite3.Connection:
    make_file(path)
    connection = sqlite3.connect(path, timeout=WAIT_SECONDS, isolation_level=None)
    try:
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA foreign_keys=ON")
        connection.executescript(schema)
    except BaseException:
        connection.close()
        raise
    return connection


def make_file(path: Path) -> None:
    """Make a missing file, and its folder, for their owner alone; SQLite would take the umask's rights."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with _creation, contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_RDWR, 0o600))
