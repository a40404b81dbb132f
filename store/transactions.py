"""One transaction on an open connection, for every file that we write to."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def writing(connection: sqlite3.Connection) -> Iterator[None]:
    """Take the file for writing at once; everything done in it is on the disk at the end, or nothing is."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    finally:
        # A full disk makes SQLite roll back by itself; rolling back once more would hide its error.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
