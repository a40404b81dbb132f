"""A session as an append-only log: one JSON record a line, never rewritten, a tree by parent ids.

A kill can only tear the last line, which is skipped with a notice, so no temporary file is needed; the price
is a file that only grows and has to be read from its beginning.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from .workspace import owner_only

VERSION = 1
RecordType = Literal["message", "model_change", "compaction"]


@dataclass(frozen=True, slots=True)
class Record:
    """One line after the header."""

    id: str
    parent: str | None
    type: RecordType
    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Session:
    """A log as it was read."""

    header: Mapping[str, Any]
    records: Mapping[str, Record]
    """By id, in the order of the file."""
    notices: tuple[str, ...]

    @property
    def leaf(self) -> str | None:
        """The id of the newest record."""
        return next(reversed(tuple(self.records)), None)

    def path_to(self, leaf: str | None) -> tuple[Record, ...]:
        """Return the records from the beginning to a leaf: one branch of the tree."""
        path = []
        while leaf is not None:
            path.append(self.records[leaf])
            leaf = path[-1].parent
        return tuple(reversed(path))


class BrokenLog(Exception):
    """The log cannot be read; the message names the line, and the file is left as it is."""


class SessionLog:
    """The file of one session."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def begin(self, session_id: str, folder: Path) -> None:
        """Write the header of a new session.

        Raises:
            FileExistsError: There is a log already.
        """
        header = {"type": "session", "version": VERSION, "id": session_id, "folder": str(folder)}
        with open(self._path, "x", encoding="utf-8", opener=owner_only) as file:
            file.write(json.dumps(header) + "\n")

    def append(self, record: Record) -> None:
        """Add one record; it is on the disk when this returns."""
        line = {"id": record.id, "parent": record.parent, "type": record.type, **record.body}
        with open(self._path, "r+b") as file:
            end = file.seek(0, os.SEEK_END)
            file.seek(max(end - 1, 0))
            if file.read(1) != b"\n":
                # What was torn stays as it is; the mark tells later readers that it is no new damage.
                file.write(b'\n{"type": "torn"}\n')
            file.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def read(self) -> Session:
        """Read the whole log.

        Raises:
            BrokenLog: A line that is not the last one cannot be read, or the header is no session's.
        """
        lines = self._path.read_bytes().split(b"\n")
        header = _parsed(lines[0])
        if header is None or header.get("type") != "session" or header.get("version") != VERSION:
            raise BrokenLog(f"{self._path} does not begin with the header of a session, version {VERSION}.")
        records: dict[str, Record] = {}
        notices = []
        for number, line in enumerate(lines[1:], start=2):
            found = _parsed(line)
            if found is None and line:
                if number < len(lines) and not _is_torn_mark(lines[number]):
                    raise BrokenLog(f"{self._path}, line {number} cannot be read; nothing after it was used.")
                notices.append(f"line {number} was torn by a kill and is skipped")
            elif found is not None and found.get("type") != "torn":
                record = _record(found)
                records[record.id] = record
        return Session(header, records, tuple(notices))


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _is_torn_mark(line: bytes) -> bool:
    return _parsed(line) == {"type": "torn"}


def _record(line: dict[str, Any]) -> Record:
    return Record(line.pop("id"), line.pop("parent"), line.pop("type"), line)
