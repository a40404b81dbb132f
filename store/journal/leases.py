"""Who may run a thread: one process at a time, on one machine or several."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import time  # bound before a node may put something else in its place
from typing import Any

from ..processes import ProcessMark, this_process
from .file import JournalFile

BEAT_SECONDS = 5.0
"""How often a holder says that it is alive."""

SILENCE_SECONDS = 300.0
"""How long a holder on another machine may be silent before its thread is taken over."""

GIVEN_BACK = 0
"""Stands in the place of the process id once the holder gave the thread back."""


@dataclass(frozen=True, slots=True)
class Holder:
    """The process that may run a thread."""

    token: int
    process: ProcessMark
    beat: float
    """When it last said that it is alive, unix seconds."""

    @property
    def is_alive(self) -> bool:
        """Whether its thread must be left alone."""
        if self.process.pid == GIVEN_BACK:
            return False
        if self.process.is_here:
            return self.process.is_alive
        return time() - self.beat < SILENCE_SECONDS


class Leases:
    """The leases of one journal.

    A token grows by one with every taking, so whoever lost a thread cannot write its outcome any more.
    """

    def __init__(self, journal_path: Path, is_readonly: bool = False) -> None:
        self._file = JournalFile(journal_path, is_readonly=is_readonly)

    def take(self, thread_id: str) -> int | None:
        """Take the right to run a thread; None while a live process has it.

        Returns:
            The token to beat, release and write outcomes with.
        """
        process = this_process()
        with self._file.writing() as conn:
            row = _row(conn, thread_id)
            if row is not None and row.is_alive:
                return None
            token = row.token + 1 if row else 1
            conn.execute(
                "INSERT OR REPLACE INTO lease VALUES (?, ?, ?, ?, ?, ?)",
                (thread_id, token, process.host, process.pid, process.born, time()),
            )
            return token

    def beat(self, thread_id: str, token: int) -> bool:
        """Say that the holder is alive; False when another has taken the thread over."""
        with self._file.writing() as conn:
            return bool(
                conn.execute(
                    "UPDATE lease SET beat = ? WHERE thread = ? AND token = ? AND pid <> ?",
                    (time(), thread_id, token, GIVEN_BACK),
                ).rowcount
            )

    def release(self, thread_id: str, token: int) -> None:
        """Give the thread back; does nothing when another has taken it over."""
        with self._file.writing() as conn:
            conn.execute(
                "UPDATE lease SET pid = ? WHERE thread = ? AND token = ?", (GIVEN_BACK, thread_id, token)
            )

    def holder(self, thread_id: str) -> Holder | None:
        """Return who has the thread, alive or not; None when it was given back."""
        with self._file.reading() as conn:
            row = None if conn is None else _row(conn, thread_id)
            return row if row is not None and row.process.pid != GIVEN_BACK else None

    def alive(self, thread_id: str) -> bool:
        """Tell whether a live process has the thread."""
        holder = self.holder(thread_id)
        return holder is not None and holder.is_alive

    def all_alive(self) -> frozenset[str]:
        """Return every thread that a live process has."""
        with self._file.reading() as conn:
            if conn is None:
                return frozenset()
            query = "SELECT token, beat, host, pid, born, thread FROM lease WHERE pid <> ?"
            rows = conn.execute(query, (GIVEN_BACK,)).fetchall()
            return frozenset(thread for *fields, thread in rows if _holder(fields).is_alive)

    def is_alive_in(self, conn: sqlite3.Connection, thread_id: str) -> bool:
        """Tell, inside a transaction, whether a live process has the thread."""
        row = _row(conn, thread_id)
        return row is not None and row.is_alive


def is_current(conn: sqlite3.Connection, thread_id: str, token: int) -> bool:
    """Tell, inside a transaction, whether nobody has taken the thread since."""
    row = _row(conn, thread_id)
    return row is not None and row.token == token


def _row(conn: sqlite3.Connection, thread_id: str) -> Holder | None:
    query = "SELECT token, beat, host, pid, born FROM lease WHERE thread = ?"
    row = conn.execute(query, (thread_id,)).fetchone()
    return _holder(row) if row else None


def _holder(fields: Sequence[Any]) -> Holder:
    token, beat, *process = fields
    return Holder(token, ProcessMark(*process), beat)
