"""The outbox: one row for each mail an agent was allowed to send, pending until its sending is known."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ..tables import now, reading, transaction
from .mailbox import Mail

_SCHEMA = """
CREATE TABLE IF NOT EXISTS outbox (
  idempotency_key TEXT PRIMARY KEY,
  recipient TEXT NOT NULL,
  subject TEXT NOT NULL,
  body TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'sent')),
  attempts INTEGER NOT NULL DEFAULT 0,
  may_have_gone INTEGER NOT NULL DEFAULT 0,
  mail_id INTEGER,
  error TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
"""

Status = Literal["pending", "sent"]


@dataclass(frozen=True, slots=True)
class OutboxRow:
    """One mail and what is known of it here; the truth is in the service's mailbox."""

    key: str
    mail: Mail
    status: Status
    attempts: int
    """How often it was handed to the service."""
    may_have_gone: bool
    """It was handed over and what became of it is not known here; False while pending: certainly not sent."""
    mail_id: int | None
    error: str | None
    created_at: str
    updated_at: str


class OtherMail(Exception):
    """The key stands in the outbox with another mail; nothing was written."""


class Outbox:
    """The mails of an agent, in the file of its business tables."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def add(self, key: str, mail: Mail) -> OutboxRow:
        """Write a mail down before it is sent, or return the row that stands under its key.

        Raises:
            OtherMail: The key stands there with another mail.
        """
        with transaction(self._path, _SCHEMA) as connection:
            moment = now()
            connection.execute(
                "INSERT OR IGNORE INTO outbox"
                "(idempotency_key, recipient, subject, body, status, created_at, updated_at)"
                " VALUES (?, ?, ?, ?, 'pending', ?, ?)",
                (key, mail.recipient, mail.subject, mail.body, moment, moment),
            )
        row = self.row(key)
        if row is None or row.mail != mail:
            raise OtherMail(f"The outbox holds another mail under {key}; neither is sent.")
        return row

    def attempt(self, key: str) -> None:
        """Note that a mail is about to be handed to the service: from now on it may have gone."""
        self._update(key, "attempts = attempts + 1, may_have_gone = 1")

    def lost(self, key: str, error: str) -> None:
        """Note that the reply to an attempt was lost; the mail may have gone."""
        self._update(key, "error = ?", error)

    def not_gone(self, key: str, error: str | None) -> None:
        """Note that the mail has certainly not gone out so far, and why where that is known."""
        self._update(key, "error = ?, may_have_gone = 0", error)

    def sent(self, key: str, mail_id: int | None) -> None:
        """Note that a mail has gone out, under the service's number where it is known."""
        self._update(key, "status = 'sent', may_have_gone = 1, error = NULL, mail_id = ?", mail_id)

    def row(self, key: str) -> OutboxRow | None:
        """Return the row of a key."""
        with reading(self._path, _SCHEMA) as connection:
            row = connection.execute("SELECT * FROM outbox WHERE idempotency_key = ?", (key,)).fetchone()
        return None if row is None else _row(row)

    def rows(self, status: Status | None = None) -> tuple[OutboxRow, ...]:
        """Return all rows, or those of one status, oldest first."""
        with reading(self._path, _SCHEMA) as connection:
            rows = connection.execute(
                "SELECT * FROM outbox WHERE ? IS NULL OR status = ? ORDER BY rowid", (status, status)
            ).fetchall()
        return tuple(_row(row) for row in rows)

    def _update(self, key: str, assignments: str, *values: str | int | None) -> None:
        statement = f"UPDATE outbox SET {assignments}, updated_at = ? WHERE idempotency_key = ?"  # noqa: S608 - ours
        with transaction(self._path, _SCHEMA) as connection:
            connection.execute(statement, (*values, now(), key))


def _row(row: sqlite3.Row) -> OutboxRow:
    return OutboxRow(
        row["idempotency_key"],
        Mail(row["recipient"], row["subject"], row["body"]),
        row["status"],
        row["attempts"],
        bool(row["may_have_gone"]),
        row["mail_id"],
        row["error"],
        row["created_at"],
        row["updated_at"],
    )
