"""Which file lies under the path of a database, told without opening it.

A descriptor of our own, once closed, would drop the locks that SQLite holds on the file in this process.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

Place = tuple[int, int]
"""Device and inode."""


class FileMark(NamedTuple):
    """A database and its write-ahead log; None for what is not there."""

    file: Place | None
    log: Place | None


def mark_of(path: Path) -> FileMark:
    """Return which files lie under a path now."""
    return FileMark(_place(path), _place(path.with_name(f"{path.name}-wal")))


def _place(path: Path) -> Place | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return (found.st_dev, found.st_ino)
