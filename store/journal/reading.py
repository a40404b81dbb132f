"""The journal as it is read: decisions, events, whether the chain is whole."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from ..cipher import CannotDecrypt
from . import chain
from .chain import Verdict
from .decisions import Decision, Event
from .file import JournalFile
from .leases import Leases


class Record:
    """What is written about one database; looking at it never makes a file."""

    def __init__(self, database_path: Path, is_readonly: bool = False) -> None:
        self._file = JournalFile.beside(database_path, is_readonly=is_readonly)
        self.leases = Leases(self._file.path, is_readonly=is_readonly)

    @property
    def path(self) -> Path:
        """Where the journal lies, or would lie."""
        return self._file.path

    @property
    def is_readonly(self) -> bool:
        """Whether recording is refused."""
        return self._file.is_readonly

    def decision(self, decision_id: str) -> Decision | None:
        """Return one decision."""
        with self._file.reading() as conn:
            return None if conn is None else find_decision(conn, decision_id)

    def find(self, start: str) -> Decision | None:
        """Return the decision whose id is this or begins so; None where there is none, or several."""
        with self._file.reading() as conn:
            if conn is None:
                return None
            query = "SELECT DISTINCT decision FROM event WHERE substr(decision, 1, ?) = ? LIMIT 2"
            found = conn.execute(query, (len(start), start)).fetchall() if start else []
            return find_decision(conn, found[0][0]) if len(found) == 1 else None

    def open(self, thread_id: str | None = None) -> tuple[Decision, ...]:
        """Return the decisions that still hold something, oldest first."""
        with self._file.reading() as conn:
            if conn is None:
                return ()
            where = "WHERE decision IN (SELECT decision FROM claim WHERE ?1 IS NULL OR thread = ?1)"
            return tuple(chain.fold(chain.read(conn, where, (thread_id,))).values())

    def decisions(self) -> tuple[Decision, ...]:
        """Return every decision, oldest first."""
        with self._file.reading() as conn:
            return () if conn is None else tuple(chain.fold(chain.read(conn)).values())

    def of_thread(self, thread_id: str) -> tuple[Decision, ...]:
        """Return every decision about a thread, oldest first."""
        with self._file.reading() as conn:
            if conn is None:
                return ()
            return tuple(chain.fold(chain.read(conn, "WHERE thread = ?", (thread_id,))).values())

    def broken_off(self) -> dict[str, tuple[Decision, ...]]:
        """Return every decision about the threads of which a run ever broke off, by the thread that ran."""
        with self._file.reading() as conn:
            if conn is None:
                return {}
            where = "WHERE thread IN (SELECT DISTINCT thread FROM event WHERE kind = ?)"
            found: dict[str, tuple[Decision, ...]] = {}
            for one in chain.fold(chain.read(conn, where, (chain.BROKE_OFF,))).values():
                found[one.order.runs] = (*found.get(one.order.runs, ()), one)
            return found

    def last_for(self, thread_id: str, question: str) -> Decision | None:
        """Return the newest decision about a question."""
        about = [decision for decision in self.of_thread(thread_id) if question in decision.order.questions]
        return about[-1] if about else None

    def events(self) -> tuple[Event, ...]:
        """Return all events, oldest first."""
        with self._file.reading() as conn:
            return () if conn is None else tuple(chain.read(conn))

    def head(self) -> str:
        """Return the digest of the last event; empty while there is none."""
        with self._file.reading() as conn:
            row = conn and conn.execute("SELECT digest FROM event ORDER BY seq DESC LIMIT 1").fetchone()
            return row[0] if row else ""

    def verify(self, head: str | None = None) -> Verdict:
        """Follow the chain from end to end; with a digest noted earlier, find a tail that was cut off."""
        with self._file.reading() as conn:
            if conn is None:
                return chain.check((), head)
            conn.execute("BEGIN")
            verdict = chain.check(chain.read(conn), head)
            if not verdict.is_whole:
                return verdict
            claims = {(thread, question): decision for thread, question, decision in _claims(conn)}
            try:
                wanted = chain.claims_of(chain.fold(chain.read(conn)).values())
            except CannotDecrypt:  # what claims follow from is sealed; the chain is whole all the same
                return verdict
            if claims != wanted:
                reason = "the events are whole, but the claims do not follow from them"
                return Verdict(False, verdict.events, verdict.head, None, reason)
            return verdict


def find_decision(conn: sqlite3.Connection, decision_id: str) -> Decision | None:
    """Return one decision, inside a transaction."""
    return chain.fold(chain.read(conn, "WHERE decision = ?", (decision_id,))).get(decision_id)


def _claims(conn: sqlite3.Connection) -> list[tuple[str, str, str]]:
    return conn.execute("SELECT thread, question, decision FROM claim").fetchall()
