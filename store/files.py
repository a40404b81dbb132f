"""Checkpoint files: found, checked and opened for reading, never created, migrated or changed."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from .transactions import one_view

_MAGIC: Final = b"SQLite format 3\x00"
_BUSY_SECONDS: Final = 2.0
_CHECKPOINTS: Final = {
    "thread_id",
    "checkpoint_ns",
    "checkpoint_id",
    "parent_checkpoint_id",
    "type",
    "checkpoint",
    "metadata",
}
_WRITES: Final = {
    "thread_id",
    "checkpoint_ns",
    "checkpoint_id",
    "task_id",
    "idx",
    "channel",
    "type",
    "value",
}


Connection = sqlite3.Connection
"""A connection as `Database.reading` gives it, for those who pass one on."""
SqliteError = sqlite3.Error
"""Whatever goes wrong with a file in the middle of a statement, for those who can do without."""


class CannotOpen(Exception):
    """A checkpoint database cannot be opened; the message is one sentence that says what to do."""


@dataclass(frozen=True)
class Database:
    """A checkpoint file that was found good."""

    path: Path
    """The real path: symbolic links followed."""
    has_task_path: bool
    """False for files made before `writes.task_path` existed."""
    is_immutable: bool = False
    """It can be read only as a copy stands: live changes of other processes are not seen."""

    @property
    def journal_path(self) -> Path:
        """Where the desk's own record of this database lies."""
        return self.path.with_name(self.path.name + ".desk")

    @property
    def warning(self) -> str | None:
        """What an operator must know of how this file is read, in one sentence."""
        if not self.is_immutable:
            return None
        return (
            f"{self.path} is read as it stood when it was last closed, because its folder cannot be written:"
            " changes made by a running agent are not seen."
        )

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Open a read-only connection on one unchanging view of the file, for one short use in one thread.

        Raises:
            CannotOpen: the file has gone, is locked, or is damaged where it was read.
        """
        try:
            with (
                closing(_connect(self.path, is_immutable=self.is_immutable)) as connection,
                one_view(connection),
            ):
                yield connection
        except sqlite3.DatabaseError as error:
            raise CannotOpen(_sentence(self.path, error)) from error

    def watching(self) -> sqlite3.Connection:
        """Open a read-only connection to keep, for `PRAGMA data_version`; the caller closes it."""
        return _connect(self.path, is_immutable=self.is_immutable, is_shared=True)


def open_database(path_or_url: str) -> Database:
    """Check a checkpoint file by its content, without changing it.

    Args:
        path_or_url: a path, or `sqlite:///relative/path` or `sqlite:////absolute/path`.

    Raises:
        CannotOpen: with one sentence that says what to do.
    """
    path = _path_of(path_or_url)
    _check_file(path)
    path = path.resolve()
    try:
        return _inspect(path, is_immutable=False)
    except sqlite3.OperationalError as error:
        if not _needs_copy_view(path, error):
            raise CannotOpen(_sentence(path, error)) from error
    except sqlite3.DatabaseError as error:
        raise CannotOpen(_sentence(path, error)) from error
    try:
        return _inspect(path, is_immutable=True)
    except sqlite3.DatabaseError as error:
        raise CannotOpen(_sentence(path, error)) from error


def sqlite_version() -> str:
    """Give the version of the SQLite library in use."""
    return sqlite3.sqlite_version


def _path_of(path_or_url: str) -> Path:
    """Take the path out of what was typed."""
    scheme, separator, rest = path_or_url.partition("://")
    if not separator:
        if path_or_url in ("", ":memory:"):
            raise CannotOpen("Name the file that the agent's SqliteSaver writes: --db PATH.")
        return Path(path_or_url).expanduser()
    kind = scheme.partition("+")[0].lower()
    if kind == "sqlite" and rest.startswith("/") and len(rest) > 1:
        return Path(unquote(rest[1:].partition("?")[0])).expanduser()
    if kind == "sqlite":
        raise CannotOpen("Write sqlite:///relative/path.db or sqlite:////absolute/path.db.")
    if kind in ("postgres", "postgresql"):
        raise CannotOpen(
            "PostgreSQL databases are not supported yet; name a file that a SqliteSaver writes: --db PATH."
        )
    raise CannotOpen(f"{scheme}:// addresses are not supported; name a SQLite checkpoint file: --db PATH.")


def _check_file(path: Path) -> None:
    """Refuse what cannot be a checkpoint file, without opening it.

    A descriptor of our own, once closed, would drop the locks that SQLite holds on the file in this process:
    the next writer would then take itself for the only one, remove the write-ahead log, and leave our readers
    with the state of before.
    """
    try:
        if path.is_dir():
            raise CannotOpen(f"{path} is a folder; name the checkpoint file in it: --db {path}/FILE.")
        size = path.stat().st_size
        if not os.access(path, os.R_OK):
            raise PermissionError(path)
    except FileNotFoundError as error:
        raise CannotOpen(
            f"{path} does not exist; name the file that the agent's SqliteSaver writes: --db PATH."
        ) from error
    except PermissionError as error:
        raise CannotOpen(
            f"{path} may not be read by this account; ask its owner, or run the desk as the agent's account."
        ) from error
    except (OSError, ValueError) as error:
        raise CannotOpen(f"{path} cannot be opened ({error}); name a SQLite checkpoint file.") from error
    if not size:
        raise CannotOpen(f"{path} is empty; run the agent once with its SqliteSaver, then open it again.")


def _connect(path: Path, *, is_immutable: bool, is_shared: bool = False) -> sqlite3.Connection:
    mode = "mode=ro&immutable=1" if is_immutable else "mode=ro"
    return sqlite3.connect(
        f"{path.as_uri()}?{mode}",
        uri=True,
        timeout=_BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=not is_shared,
    )


def _inspect(path: Path, *, is_immutable: bool) -> Database:
    """Look at the tables of a file."""
    with closing(_connect(path, is_immutable=is_immutable)) as connection:
        checkpoints = {row[1] for row in connection.execute("PRAGMA table_info(checkpoints)")}
        writes = {row[1] for row in connection.execute("PRAGMA table_info(writes)")}
    if not checkpoints:
        raise CannotOpen(
            f"{path} holds no checkpoints (no table `checkpoints`);"
            " name the file that the agent's SqliteSaver writes."
        )
    if not checkpoints >= _CHECKPOINTS or not writes >= _WRITES:
        raise CannotOpen(
            f"{path} has tables of another layout than LangGraph's SqliteSaver 2 or 3;"
            " name a file that one of these wrote, or let a newer langgraph-checkpoint-sqlite open it first."
        )
    return Database(path, "task_path" in writes, is_immutable)


def _needs_copy_view(path: Path, error: sqlite3.OperationalError) -> bool:
    """Tell a write-ahead-log file whose folder cannot be written, which SQLite will not read in place."""
    text = str(error)
    if "readonly" not in text and "unable to open" not in text:
        return False
    with open(path, "rb") as file:
        is_wal = file.read(20)[18:20] == b"\x02\x02"
    return is_wal and not os.access(path.parent, os.W_OK)


def _sentence(path: Path, error: sqlite3.Error) -> str:
    text = str(error)
    if not path.exists():
        return f"{path} is gone; put it back, or open another database with --db PATH."
    if "locked" in text or "busy" in text:
        return f"{path} is locked by another process; wait until it is done, or stop it, and open it again."
    if "not a database" in text and not _begins_like_one(path):
        return f"{path} is not a SQLite database; name the file that the agent's SqliteSaver writes."
    if "not a database" in text or "malformed" in text:
        return f"{path} is damaged or encrypted ({text}); restore it from a backup."
    if "disk I/O" in text or "full" in text:
        return f"{path} cannot be read ({text}); see whether its disk is full, or failing."
    return f"{path} cannot be read ({text}); check the rights of the file and of its folder."


def _begins_like_one(path: Path) -> bool:
    """Tell by its first bytes whether a file that SQLite refuses was one of its own."""
    with open(path, "rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC
