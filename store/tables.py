"""Open a file of our own tables: made for its owner alone, safe under several processes and threads."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

from .files import CannotOpen
from .transactions import writing

_RESTORE = "restore it from a backup"

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

    Raises:
        CannotOpen: The file is damaged, write-protected, held too long by others, or no database.
    """
    with explained(path), closing(_opened(path, schema)) as connection, writing(connection):
        yield connection


@contextmanager
def reading(path: Path, schema: str) -> Iterator[sqlite3.Connection]:
    """Open a file to read it; a missing one reads as empty and is not made, a write-protected one as it is.

    Raises:
        CannotOpen: The file is damaged, held too long by others, or no database.
    """
    with explained(path), closing(_opened_to_read(path, schema)) as connection:
        yield connection


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn what is wrong with a file, or a row of it, into a sentence; a broken rule stays SQLite's error.

    Raises:
        CannotOpen: The file is damaged, write-protected, held too long by others, or no database.
    """
    try:
        yield
    except sqlite3.DatabaseError as error:
        if type(error) not in (sqlite3.DatabaseError, sqlite3.OperationalError):
            raise
        raise CannotOpen(f"{path} cannot be used ({error}): {_way_on(str(error))}.") from error
    except (json.JSONDecodeError, UnicodeDecodeError, IndexError) as error:
        raise CannotOpen(f"{path} holds a row that cannot be read ({error}): {_RESTORE}.") from error
    except PermissionError as error:
        raise CannotOpen(f"{path} may not be used by this account: {_way_on('readonly')}.") from error


def is_without_checkpoints(path: Path) -> bool:
    """Tell whether a file is a good database, or empty, that no saver of LangGraph has written to yet.

    Raises:
        CannotOpen: It is damaged, or no database.
    """
    with reading(path, "") as connection:
        return "checkpoints" not in _tables(connection)


def can_write(path: Path) -> bool:
    """Tell whether SQLite may write to a file, and beside it."""
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def connected_to_read(path: Path) -> sqlite3.Connection:
    """Open a file that may not be written to.

    Without a -wal it is read as it stands, since SQLite could not make the -shm that it would like to have.
    """
    mode = "ro" if os.path.exists(f"{path}-wal") else "ro&immutable=1"
    uri = f"file:{quote(str(path))}?mode={mode}"
    return sqlite3.connect(uri, uri=True, isolation_level=None, timeout=WAIT_SECONDS)


def _way_on(error: str) -> str:
    if "locked" in error or "busy" in error:
        return "another process holds it; try again, or end that process"
    if "full" in error:
        return "make room on its disk, then go on"
    if "readonly" in error:
        return "give this account the right to write to it and to its folder"
    if "unable to open" in error:
        return "look what stands in its place, and whether this account may use it"
    return _RESTORE


def _opened_to_read(path: Path, schema: str) -> sqlite3.Connection:
    if can_write(path):
        return _opened(path, schema)
    empty = sqlite3.connect(":memory:")
    empty.row_factory = sqlite3.Row
    empty.executescript(schema)
    if not path.exists():
        return empty
    connection = connected_to_read(path)
    try:
        connection.row_factory = sqlite3.Row
        has_tables = _tables(connection) >= _tables(empty)
    except BaseException:  # nobody else could close it
        connection.close()
        raise
    (empty if has_tables else connection).close()
    return connection if has_tables else empty


def _tables(connection: sqlite3.Connection) -> set[str]:
    query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    return {row[0] for row in connection.execute(query)}


def _opened(path: Path, schema: str) -> sqlite3.Connection:
    make_file(path)
    connection = sqlite3.connect(path, timeout=WAIT_SECONDS, isolation_level=None)
    try:
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA foreign_keys=ON")
        connection.executescript(schema)
    except BaseException:  # nobody else could close it
        connection.close()
        raise
    return connection


def make_file(path: Path) -> None:
    """Make a missing file, and its folder, for their owner alone; SQLite would take the umask's rights."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with _creation, contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_RDWR, 0o600))
