"""One transaction on an open connection: for every write to a file, and for reads that must agree."""

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


@contextmanager
def one_view(connection: sqlite3.Connection) -> Iterator[None]:
    """Let all reads in it see the file at the same moment, whoever writes meanwhile."""
    if connection.in_transaction:
        yield
        return
    connection.execute("BEGIN")
    try:
        yield
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
