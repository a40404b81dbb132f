"""Let one process, or thread, at a time do something; a lock is given back whenever its holder dies."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .workspace import owner_only


@contextmanager
def alone_at(file: Path) -> Iterator[None]:
    """Hold a file that is there for nothing else; it is made when it is missing, and stays."""
    with open(file, "w", opener=owner_only) as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


@contextmanager
def alone_in(folder: Path, *, waits: bool = True) -> Iterator[None]:
    """Hold a folder itself, so nothing is left behind.

    Raises:
        BlockingIOError: Another holds it, and this one does not wait.
    """
    held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX if waits else fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(held)
