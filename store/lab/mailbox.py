"""The mailbox of the simulated mail service: what has really gone out."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from ..tables import now, reading, transaction

_SCHEMA = """
CREATE TABLE IF NOT EXISTS mail (
  mail_id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('keyed', 'askable', 'plain')),
  key TEXT,
  recipient TEXT NOT NULL,
  subject TEXT NOT NULL,
  body TEXT NOT NULL,
  received_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS mail_once_per_key ON mail(key) WHERE kind = 'keyed';
"""


class Kind(StrEnum):
    """What a service lets its client find out after a lost reply."""

    KEYED = "keyed"
    """It honours `Idempotency-Key`: a repeat gets the first result."""
    ASKABLE = "askable"
    """It repeats what it is told to repeat, but can be asked whether a key has come in."""
    PLAIN = "plain"
    """Neither: whether a request arrived is known to nobody but the recipient."""


@dataclass(frozen=True, slots=True)
class Mail:
    """What is to be sent."""

    recipient: str
    subject: str
    body: str


@dataclass(frozen=True, slots=True)
class Accepted:
    """What the service says to a request."""

    mail_id: int
    is_repeat: bool
    """The key was known: nothing was sent, this is the first result."""


@dataclass(frozen=True, slots=True)
class SentMail:
    """One mail that has gone out."""

    mail_id: int
    kind: Kind
    key: str | None
    mail: Mail
    received_at: str


class KeyTaken(Exception):
    """The key came in before with another mail; nothing was sent."""


class Mailbox:
    """All mails a service has sent, in a file that belongs to the service."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def accept(self, kind: Kind, mail: Mail, key: str | None) -> Accepted:
        """Send a mail, or return the first result where the kind honours a key that is known.

        Raises:
            KeyTaken: The key is known with another mail.
        """
        kept = key if kind is not Kind.PLAIN else None
        with transaction(self._path, _SCHEMA) as connection:
            if kind is Kind.KEYED and kept is not None:
                first = connection.execute(
                    "SELECT mail_id, recipient, subject, body FROM mail WHERE kind = 'keyed' AND key = ?",
                    (kept,),
                ).fetchone()
                if first is not None:
                    if Mail(*first[1:]) != mail:
                        raise KeyTaken(f"The key {kept} came in before with another mail.")
                    return Accepted(first["mail_id"], is_repeat=True)
            row = connection.execute(
                "INSERT INTO mail(kind, key, recipient, subject, body, received_at)"
                " VALUES (?, ?, ?, ?, ?, ?) RETURNING mail_id",
                (kind, kept, mail.recipient, mail.subject, mail.body, now()),
            ).fetchone()
        return Accepted(row["mail_id"], is_repeat=False)

    def with_key(self, kind: Kind, key: str) -> tuple[int, ...]:
        """Return the numbers of the mails that came in under a key, oldest first."""
        with reading(self._path, _SCHEMA) as connection:
            rows = connection.execute(
                "SELECT mail_id FROM mail WHERE kind = ? AND key = ? ORDER BY mail_id", (kind, key)
            ).fetchall()
        return tuple(row["mail_id"] for row in rows)

    def sent(self) -> tuple[SentMail, ...]:
        """Return every mail that has gone out, oldest first."""
        with reading(self._path, _SCHEMA) as connection:
            rows = connection.execute("SELECT * FROM mail ORDER BY mail_id").fetchall()
        return tuple(
            SentMail(
                row["mail_id"],
                Kind(row["kind"]),
                row["key"],
                Mail(row["recipient"], row["subject"], row["body"]),
                row["received_at"],
            )
            for row in rows
        )
