"""The tables of the journal, as an ordered list of steps that are never edited after a release."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

APPLICATION_ID = 0x4445534B
"""Spells DESK in the file's header: how we know our own files."""


def _first_tables(conn: sqlite3.Connection) -> None:
    """Make the chain of events, the claims that follow from it, and the leases.

    Without STRICT, which SQLite knows from 3.37 on only; systems that we run on still bring 3.34.
    """
    conn.execute(
        """CREATE TABLE event(
          seq INTEGER PRIMARY KEY, decision TEXT NOT NULL, kind TEXT NOT NULL, thread TEXT NOT NULL,
          at REAL NOT NULL, by TEXT NOT NULL, body TEXT NOT NULL, previous TEXT NOT NULL,
          digest TEXT NOT NULL UNIQUE)"""
    )
    conn.execute("CREATE INDEX event_of_decision ON event(decision, seq)")
    conn.execute("CREATE INDEX event_of_thread ON event(thread, kind, seq)")
    conn.execute("CREATE UNIQUE INDEX recorded_once ON event(decision) WHERE kind = 'recorded'")
    conn.execute("CREATE UNIQUE INDEX started_once ON event(decision) WHERE kind = 'running'")
    conn.execute(
        """CREATE TABLE claim(
          thread TEXT NOT NULL, question TEXT NOT NULL, decision TEXT NOT NULL,
          PRIMARY KEY(thread, question)) WITHOUT ROWID"""
    )
    conn.execute(
        """CREATE TABLE lease(
          thread TEXT PRIMARY KEY, token INTEGER NOT NULL, host TEXT NOT NULL, pid INTEGER NOT NULL,
          born TEXT NOT NULL, beat REAL NOT NULL) WITHOUT ROWID"""
    )
    guard(conn)


def guard(conn: sqlite3.Connection) -> None:
    """Make the triggers that keep the chain append-only.

    REPLACE walks past DELETE triggers, so an insert must also carry the next number.
    """
    conn.execute(
        """CREATE TRIGGER no_update BEFORE UPDATE ON event
        BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END"""
    )
    conn.execute(
        """CREATE TRIGGER no_delete BEFORE DELETE ON event
        BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END"""
    )
    conn.execute(
        """CREATE TRIGGER only_next BEFORE INSERT ON event
        WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM event)
        BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END"""
    )


def unguard(conn: sqlite3.Connection) -> None:
    """Take the triggers away, inside a transaction that makes them again: for archiving alone."""
    for name in ("no_update", "no_delete", "only_next"):
        conn.execute(f"DROP TRIGGER IF EXISTS {name}")


MIGRATIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (_first_tables,)


def migrate(conn: sqlite3.Connection) -> None:
    """Bring an open file to the newest form; the caller holds a write transaction."""
    (version,) = conn.execute("PRAGMA user_version").fetchone()
    for number, step in enumerate(MIGRATIONS[version:], start=version + 1):
        step(conn)
        conn.execute(f"PRAGMA user_version = {number}")
    conn.execute(f"PRAGMA application_id = {APPLICATION_ID}")
