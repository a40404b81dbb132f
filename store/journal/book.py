"""The journal of decisions beside a database: recorded before anything runs, and never rewritten."""

from __future__ import annotations

import sqlite3
import uuid
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..cipher import is_encrypted
from . import chain
from .archive import Archived, archive
from .chain import Verdict
from .decisions import BreakOff, Decision, Event, Order, State, holds, order_to_json
from .file import JournalError
from .leases import is_current
from .reading import Record, demand_unsealed, find_decision, told

__all__ = [
    "Archived",
    "BreakOff",
    "Decision",
    "Event",
    "Journal",
    "JournalError",
    "Order",
    "OutOfTurn",
    "QuestionTaken",
    "State",
    "Verdict",
]


class QuestionTaken(Exception):
    """Somebody has decided this already; `decision` is theirs."""

    def __init__(self, decision: Decision, sentence: str = "") -> None:
        super().__init__(
            sentence or f"{decision.order.by or 'somebody'} has decided this already; it is {decision.state}"
        )
        self.decision = decision


class OutOfTurn(Exception):
    """The decision does not stand where this step could follow, or the lease has passed to another."""


_MAY_FOLLOW: Mapping[str, frozenset[str]] = {
    "running": frozenset({"recorded"}),
    "applied": frozenset({"running", "unknown", "failed"}),
    "failed": frozenset({"recorded", "running", "unknown"}),
    "unknown": frozenset({"running"}),
    "stale": frozenset({"recorded", "running", "unknown", "failed"}),
    "refused": frozenset({"recorded", "running"}),
    "withdrawn": frozenset({"recorded", "unknown", "failed"}),
}
"""By state, the states it may follow."""


class Journal(Record):
    """The decisions about one database and what became of them.

    The file is made at the first record, never before. Every method is one transaction in a connection
    of its own, so any thread and any number of processes may use it.
    """

    def record(
        self, order: Order, *, instead_of: Sequence[str] = (), knowing: Collection[str] | None = None
    ) -> Decision:
        """Write an order down, durably, before anything runs.

        Args:
            order: What is to be done.
            instead_of: Failed or unknown decisions on the same questions that this one replaces.
            knowing: Decisions about its questions that the operator knows of, although they were carried
                out; any other one was made this very moment. None lets all pass.

        Raises:
            QuestionTaken: Another open decision holds one of its questions, or the thread; or one that
                the operator does not know of was carried out.
            OutOfTurn: A decision in `instead_of` does not stand where it could be replaced.
            JournalError: The journal cannot be made or written.
        """
        with self._file.writing() as conn:
            for replaced in instead_of:
                self._move(conn, replaced, "withdrawn", order.by, {"detail": "replaced by a new decision"})
            for question in order.claims:
                if (holder := self._holder(conn, order.thread_id, question)) is not None:
                    raise QuestionTaken(holder)
            if knowing is not None:
                about = told(conn, "WHERE thread = ?", (order.thread_id,)).values()
                for made in about:
                    demand_unsealed(made)
                    is_news = made.state == "applied" and made.decision_id not in knowing
                    if is_news and set(made.order.questions) & set(order.questions):
                        raise QuestionTaken(made)
            return self._record(conn, order)

    def refuse(self, order: Order, detail: str) -> Decision:
        """Write down an order that a rule forbids; it never runs and holds nothing."""
        with self._file.writing() as conn:
            decision = self._record(conn, order)
            return self._move(conn, decision.decision_id, "refused", order.by, {"detail": detail})

    def start(self, decision_ids: Sequence[str], token: int) -> None:
        """Note that decisions start to run now, under a lease; each can start once only.

        Raises:
            OutOfTurn: One of them was withdrawn or has started, or the lease has passed to another.
        """
        with self._file.writing() as conn:
            for decision_id in decision_ids:
                self._move(conn, decision_id, "running", "", {"token": token}, token)

    def end(
        self,
        decision_ids: Sequence[str],
        state: State,
        token: int,
        detail: str = "",
        error: str | None = None,
    ) -> None:
        """Note what became of decisions: applied, failed, stale, refused or unknown.

        Raises:
            OutOfTurn: The lease has passed to another since, so this outcome does not count.
        """
        body = {"detail": detail, "error": error, "token": token}
        with self._file.writing() as conn:
            for decision_id in decision_ids:
                self._move(conn, decision_id, state, "", body, token)

    def settle(self, decision_id: str, state: State, by: str, detail: str) -> Decision:
        """Note what the evidence says of a decision that nobody is running any more.

        Args:
            decision_id: The decision.
            state: What became of it.
            by: Who looked; empty for whoever decided.
            detail: The evidence, in one sentence.

        Raises:
            OutOfTurn: It is running in a live process, or does not stand where this could follow.
        """
        with self._file.writing() as conn:
            decision = self._of(conn, decision_id)
            if decision.state == "running" and self.leases.is_alive_in(conn, decision.order.thread_id):
                raise OutOfTurn("it is still running")
            if decision.state == "running" and state != "unknown":
                self._move(conn, decision_id, "unknown", by, {"detail": "its process ended without a word"})
            return self._move(conn, decision_id, state, by, {"detail": detail, "error": decision.error})

    def note_break_off(self, decision_id: str, seen: BreakOff) -> bool:
        """Note how the run of a decision broke off; False when it did not run, or this is known already."""
        with self._file.writing() as conn:
            decision = demand_unsealed(self._of(conn, decision_id))
            is_running = self.leases.is_alive_in(conn, decision.order.thread_id)
            known = decision.break_off
            is_news = (
                decision.state in ("running", "unknown") if known is None else not known.how and seen.how
            )
            if (is_running and decision.state == "running") or not is_news:
                return False
            body = {
                "how": seen.how,
                "begun": list(seen.begun),
                "checkpoint_id": seen.checkpoint_id,
                "pid": seen.pid,
            }
            chain.append(
                conn, decision_id, chain.BROKE_OFF, decision.order.thread_id, decision.order.by, body
            )
            return True

    def withdraw(self, decision_id: str, by: str, detail: str = "") -> bool:
        """Take a decision back that has not started; False when it has, or was withdrawn already."""
        with self._file.writing() as conn:
            if self._of(conn, decision_id).state != "recorded":
                return False
            self._move(conn, decision_id, "withdrawn", by, {"detail": detail})
            return True

    def archive(self, target: Path, before: float, by: str) -> Archived | None:
        """Move the events before a moment into a new file; None when none can go.

        Raises:
            JournalError: The chain is broken, or the target exists or cannot be made.
        """
        return archive(self._file, target, before, by)

    # Inside a transaction

    def _record(self, conn: sqlite3.Connection, order: Order) -> Decision:
        decision_id = uuid.uuid4().hex
        body = {**order_to_json(order), "database": str(self._file.database_path)}
        is_secret = is_encrypted(self._file.database_path, order.thread_id)
        event = chain.append(
            conn, decision_id, "recorded", order.thread_id, order.by, body, is_secret=is_secret
        )
        decision = Decision(decision_id, order, event.at, "recorded", event.at)
        for question in order.claims:
            conn.execute(
                "INSERT OR IGNORE INTO claim VALUES (?, ?, ?)", (order.thread_id, question, decision_id)
            )
        return decision

    def _move(
        self,
        conn: sqlite3.Connection,
        decision_id: str,
        state: State,
        by: str,
        body: Mapping[str, Any],
        token: int | None = None,
    ) -> Decision:
        before = demand_unsealed(self._of(conn, decision_id))
        thread_id = before.order.thread_id
        if before.state not in _MAY_FOLLOW[state]:
            raise OutOfTurn(f"it is {before.state}, so it cannot become {state}")
        if token is not None and not is_current(conn, thread_id, token):
            raise OutOfTurn("another process has taken the thread over")
        chain.append(conn, decision_id, state, thread_id, by or before.order.by, body)
        if not holds(before.order, state):
            conn.execute("DELETE FROM claim WHERE decision = ?", (decision_id,))
        return self._of(conn, decision_id)

    def _holder(self, conn: sqlite3.Connection, thread_id: str, question: str) -> Decision | None:
        row = conn.execute(
            "SELECT decision FROM claim WHERE thread = ? AND question = ?", (thread_id, question)
        ).fetchone()
        return self._of(conn, row[0]) if row else None

    def _of(self, conn: sqlite3.Connection, decision_id: str) -> Decision:
        decision = find_decision(conn, decision_id)
        if decision is None:
            raise OutOfTurn(f"there is no decision {decision_id}")
        return decision
