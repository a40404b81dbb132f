"""Two tables for one example: reports with a number, and reports under the key of their operation."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from ..tables import reading, transaction

_SCHEMA = """
CREATE TABLE IF NOT EXISTS numbered_report (report_id INTEGER PRIMARY KEY, content TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS keyed_report (operation_id TEXT PRIMARY KEY, content TEXT NOT NULL) STRICT;
"""


class TwinReports:
    """The business database of the example."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def insert_numbered(self, content: str) -> Literal["inserted"]:
        """Insert a report under the next number: whoever repeats this has two."""
        with transaction(self._path, _SCHEMA) as connection:
            connection.execute("INSERT INTO numbered_report(content) VALUES (?)", (content,))
        return "inserted"

    def insert_keyed(self, operation_id: str, content: str) -> Literal["inserted", "already_exists"]:
        """Insert a report under its operation's key: whoever repeats this changes nothing."""
        with transaction(self._path, _SCHEMA) as connection:
            added = connection.execute(
                "INSERT OR IGNORE INTO keyed_report(operation_id, content) VALUES (?, ?)",
                (operation_id, content),
            ).rowcount
        return "inserted" if added else "already_exists"

    def counts(self) -> tuple[int, int]:
        """Return how many numbered and how many keyed reports there are."""
        with reading(self._path, _SCHEMA) as connection:
            (numbered,) = connection.execute("SELECT count(*) FROM numbered_report").fetchone()
            (keyed,) = connection.execute("SELECT count(*) FROM keyed_report").fetchone()
        return numbered, keyed
