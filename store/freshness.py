"""Versions of the data a request was made from, and whether they have moved since.

A version is a plain dict that travels inside the request: a file with its hash, or one value of one row of
a SQLite file. Whoever is about to send an answer looks again. Nothing is opened but what the version names,
and only to read; relative paths are meant from the folder of the checkpoint database.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote


@dataclass(frozen=True, slots=True)
class Moved:
    """One thing that is not what the request was made from any more."""

    what: str
    """The thing, in words: a file, or a row."""
    seen: Any
    now: Any
    """None when it is gone."""

    def __str__(self) -> str:
        return f"{self.what} was {self.seen!r} and is {self.now!r} now"


def file_version(path: str, base: Path) -> dict[str, Any]:
    """Return the version of a file: its SHA-256; None for a file that is not there."""
    return {"file": path, "version": _hash(base / path)}


def row_version(database: str, base: Path, table: str, key: Mapping[str, Any], column: str) -> dict[str, Any]:
    """Return the version of a row: the value of one column that changes whenever the row does."""
    version = {"database": database, "table": table, "key": dict(key), "column": column}
    return {**version, "version": _value(version, base)}


def moved(versions: Iterable[Mapping[str, Any]], base: Path) -> tuple[Moved, ...]:
    """Return what has moved since; empty when all of it still is as it was.

    A version that names neither a file nor a row cannot be looked at and counts as not moved: an agent
    may keep versions of things that only itself can read.
    """
    found = []
    for version in versions:
        what = _name(version)
        if what is None:
            continue
        seen = version.get("version")
        current = _hash(base / str(version["file"])) if "file" in version else _value(version, base)
        if current != seen:
            found.append(Moved(what, seen, current))
    return tuple(found)


def _name(version: Mapping[str, Any]) -> str | None:
    if isinstance(version.get("file"), str):
        return f"The file {version['file']}"
    key = version.get("key")
    names = [version.get(name) for name in ("database", "table", "column")]
    if not all(isinstance(name, str) for name in names) or not isinstance(key, Mapping) or not key:
        return None
    where = ", ".join(f"{name} = {value!r}" for name, value in key.items())
    return f"The row {where} of {version['table']} in {version['database']} ({version['column']})"


def _hash(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None


def _value(version: Mapping[str, Any], base: Path) -> Any:
    path = (base / version["database"]).resolve()
    if not path.is_file():
        return None
    where = " AND ".join(f"{_quoted(name)} = ?" for name in version["key"])
    query = f"SELECT {_quoted(version['column'])} FROM {_quoted(version['table'])} WHERE {where}"  # noqa: S608
    # Whoever may write cleans its -wal up when it leaves; a reader without that right would leave one.
    mode = "rw" if os.access(path, os.W_OK) else "ro"
    uri = f"file:{quote(str(path))}?mode={mode}"
    try:
        with closing(sqlite3.connect(uri, uri=True, timeout=10)) as connection:
            row = connection.execute(query, tuple(version["key"].values())).fetchone()
    except sqlite3.Error as error:
        return f"not readable: {error}"
    return None if row is None else row[0]


def _quoted(name: str) -> str:
    return '"' + str(name).replace('"', '""') + '"'
