"""The journal as it is read: decisions, events, whether the chain is whole."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

from .. import cipher
from . import chain
from .chain import Verdict
from .decisions import INTO, Decision, Event, Order
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
            return tuple(told(conn, where, (thread_id,)).values())

    def decisions(self) -> tuple[Decision, ...]:
        """Return every decision, oldest first."""
        with self._file.reading() as conn:
            return () if conn is None else tuple(told(conn).values())

    def of_thread(self, thread_id: str) -> tuple[Decision, ...]:
        """Return every decision about a thread, oldest first."""
        with self._file.reading() as conn:
            if conn is None:
                return ()
            return tuple(told(conn, "WHERE thread = ?", (thread_id,)).values())

    def broken_off(self) -> dict[str, tuple[Decision, ...]]:
        """Return every decision about the threads of which a run ever broke off, by the thread that ran."""
        with self._file.reading() as conn:
            if conn is None:
                return {}
            where = "WHERE thread IN (SELECT DISTINCT thread FROM event WHERE kind = ?)"
            found: dict[str, tuple[Decision, ...]] = {}
            for one in told(conn, where, (chain.BROKE_OFF,)).values():
                found[one.order.runs] = (*found.get(one.order.runs, ()), one)
            return found

    def sealed(self) -> tuple[Decision, ...]:
        """Return the decisions that cannot be read without a key that is not here, oldest first."""
        with self._file.reading() as conn:
            if conn is None:
                return ()
            where = "WHERE kind = 'recorded' AND substr(body, 1, ?) = ?"
            found = told(conn, where, (len(cipher.SEAL), cipher.SEAL)).values()
            return tuple(one for one in found if one.is_sealed)

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
            verdict = chain.check(chain.read(conn), head)
            if not verdict.is_whole:
                return verdict
            claims = {(thread, question): decision for thread, question, decision in _claims(conn)}
            made = chain.fold(chain.read(conn)).values()
            if any(one.is_sealed for one in made):
                return verdict  # what claims follow from is sealed; the chain is whole all the same
            if claims != chain.claims_of(made):
                reason = "the events are whole, but the claims do not follow from them"
                return Verdict(False, verdict.events, verdict.head, None, reason)
            return verdict


def find_decision(conn: sqlite3.Connection, decision_id: str) -> Decision | None:
    """Return one decision, inside a transaction."""
    return told(conn, "WHERE decision = ?", (decision_id,)).get(decision_id)


def told(conn: sqlite3.Connection, where: str = "", values: tuple[object, ...] = ()) -> dict[str, Decision]:
    """Return the decisions that some events speak of; what a sealed one holds is known by its claims."""
    found = chain.fold(chain.read(conn, where, values))
    for one in [one for one in found.values() if one.is_sealed]:
        found[one.decision_id] = replace(one, order=_held(conn, one))
    return found


def demand_unsealed(decision: Decision) -> Decision:
    """Return a decision that something is about to follow.

    Raises:
        CannotDecrypt: It is sealed: whoever cannot read it must not go on with it.
    """
    if decision.is_sealed:
        raise cipher.CannotDecrypt(
            f"Decision {decision.decision_id[:8]} is sealed with the key of its encrypted thread,"
            f" which is not here: {cipher.REMEDY}."
        )
    return decision


def _held(conn: sqlite3.Connection, sealed: Decision) -> Order:
    query = "SELECT question FROM claim WHERE decision = ? ORDER BY question"
    claims = [claim for (claim,) in conn.execute(query, (sealed.decision_id,))]
    into = [claim.removeprefix(INTO) for claim in claims if claim.startswith(INTO)]
    questions = tuple(claim for claim in claims if claim and not claim.startswith(INTO))
    return replace(sealed.order, questions=questions, options={"into": into[0]} if into else {})


def _claims(conn: sqlite3.Connection) -> list[tuple[str, str, str]]:
    return conn.execute("SELECT thread, question, decision FROM claim").fetchall()
