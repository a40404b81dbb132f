"""The business tables of the report agent: topics with a version, and reports under their operation's key."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ..tables import now, reading, transaction

_SCHEMA = """
CREATE TABLE IF NOT EXISTS topics (
  topic TEXT PRIMARY KEY,
  facts TEXT NOT NULL,
  version INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS reports (
  operation_id TEXT PRIMARY KEY,
  topic TEXT NOT NULL,
  content TEXT NOT NULL,
  content_hash TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
"""


class OtherContent(Exception):
    """A report with other content stands under the operation's key; nothing was written."""


@dataclass(frozen=True, slots=True)
class Topic:
    """What a report is made from."""

    topic: str
    facts: str
    version: int
    """Grows by one whenever the facts change."""


@dataclass(frozen=True, slots=True)
class Report:
    """One published report."""

    operation_id: str
    topic: str
    content: str
    content_hash: str
    created_at: str


class Reports:
    """The business database; any process may write to it at any time."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def topic(self, topic: str) -> Topic | None:
        """Return what is known of a topic."""
        with reading(self.path, _SCHEMA) as connection:
            row = connection.execute("SELECT * FROM topics WHERE topic = ?", (topic,)).fetchone()
            return None if row is None else Topic(*row)

    def put_topic(self, topic: str, facts: str) -> None:
        """Set what is known of a topic; its version grows when that is something new."""
        with transaction(self.path, _SCHEMA) as connection:
            connection.execute(
                "INSERT INTO topics(topic, facts, version) VALUES (?, ?, 1) ON CONFLICT(topic) DO UPDATE"
                " SET facts = excluded.facts, version = version + 1 WHERE facts <> excluded.facts",
                (topic, facts),
            )

    def find(self, operation_id: str) -> Report | None:
        """Return the report of an operation, None when there is none."""
        with reading(self.path, _SCHEMA) as connection:
            query = "SELECT * FROM reports WHERE operation_id = ?"
            row = connection.execute(query, (operation_id,)).fetchone()
            return None if row is None else Report(*row)

    def insert(self, operation_id: str, topic: str, content: str) -> Literal["inserted", "already_exists"]:
        """Write a report under its operation's key, unless the same one stands there.

        Raises:
            OtherContent: Another one stands there; it is left as it is.
        """
        digest = content_hash(topic, content)
        with transaction(self.path, _SCHEMA) as connection:
            added = connection.execute(
                "INSERT OR IGNORE INTO reports(operation_id, topic, content, content_hash, created_at)"
                " VALUES (?, ?, ?, ?, ?)",
                (operation_id, topic, content, digest, now()),
            ).rowcount
            if added:
                return "inserted"
            query = "SELECT topic, content FROM reports WHERE operation_id = ?"
            stands = connection.execute(query, (operation_id,)).fetchone()
        if content_hash(*stands) != digest:
            raise OtherContent(
                f"A report with other content stands under {operation_id}; nothing was written. Compare them,"
                " and remove the wrong one by hand."
            )
        return "already_exists"


def content_hash(topic: str, content: str) -> str:
    """Return the SHA-256 of a report, as kept beside it."""
    return hashlib.sha256(f"{topic}\n{content}".encode()).hexdigest()
