"""The journal's file: made safely beside its database, opened, recognised, refused."""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
import stat
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from ..transactions import one_view, writing
from .schema import APPLICATION_ID, MIGRATIONS, migrate

BUSY_SECONDS = 30.0

GUESTS = ("effect", "effect_question")
"""Tables of the effects ledger, which may be put into the same file, even before the first decision."""

_creation = threading.Lock()
"""Closing any descriptor of a file drops this process's SQLite locks on it, so nobody may be in it yet."""


class JournalError(Exception):
    """The journal cannot be used; the message says why and what to do, in one sentence."""


class JournalFile:
    """One `.desk` file, which need not exist.

    Connections are short: made for one transaction, in whatever thread needs it, and closed.
    """

    def __init__(self, path: Path, *, is_readonly: bool = False, like: Path | None = None) -> None:
        self.path = path
        self.is_readonly = is_readonly
        self._like = like

    @classmethod
    def beside(cls, database_path: Path, *, is_readonly: bool = False) -> JournalFile:
        """Return the journal's file of a database: its real path and `.desk`."""
        return cls(Path(os.path.realpath(database_path) + ".desk"), is_readonly=is_readonly)

    @property
    def database_path(self) -> Path:
        """The database that the journal belongs to."""
        return Path(str(self.path).removesuffix(".desk"))

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection | None]:
        """Open it for reading, on one unchanging view; None while there is no journal, and none is made.

        Raises:
            JournalError: The file is not ours, or cannot be opened.
        """
        if not self._is_there():
            yield None
            return
        with (
            contextlib.closing(self._connect(self._reading_mode())) as conn,
            _explained(self.path),
            one_view(conn),
        ):
            yield conn if self._version(conn) else None

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Open it for one write transaction, made first where it is missing; durable on leaving.

        Raises:
            JournalError: The desk is read-only, the file is not ours, or it cannot be made or written.
        """
        if self.is_readonly:
            raise JournalError("The desk is read-only: nothing is recorded. Start it without --readonly.")
        is_new = self._make()
        with contextlib.closing(self._connect("rw")) as conn, _explained(self.path):
            self._prepare(conn)
            with writing(conn):
                yield conn
        if is_new:
            _sync_folder(self.path.parent)

    def kept(self) -> sqlite3.Connection:
        """Open a connection to keep, for `PRAGMA data_version`; the caller closes it.

        Raises:
            JournalError: The file cannot be opened.
        """
        return self._connect(self._reading_mode())

    def _is_there(self) -> bool:
        try:
            found = os.lstat(self.path)
        except FileNotFoundError:
            return False
        if not stat.S_ISREG(found.st_mode):
            raise JournalError(f"{self.path} is no regular file: move it away, the journal is kept there.")
        return found.st_size > 0

    def _reading_mode(self) -> str:
        """A read-only connection would leave its -wal and -shm behind; without a -wal it needs neither."""
        if not self.is_readonly:
            return "rw"
        has_log = os.path.exists(f"{self.path}-wal")
        return "ro" if has_log else "ro&immutable=1"

    def _connect(self, mode: str) -> sqlite3.Connection:
        try:
            return sqlite3.connect(
                f"file:{quote(str(self.path))}?mode={mode}",
                uri=True,
                timeout=BUSY_SECONDS,
                isolation_level=None,
                check_same_thread=False,
            )
        except sqlite3.Error as error:
            raise JournalError(f"The journal {self.path} cannot be opened: {error}.") from error

    def _version(self, conn: sqlite3.Connection) -> int:
        with one_view(conn):  # another process may be making the file right now
            (application_id,) = conn.execute("PRAGMA application_id").fetchone()
            (version,) = conn.execute("PRAGMA user_version").fetchone()
            (tables,) = conn.execute("SELECT group_concat(tbl_name) FROM sqlite_master").fetchone()
        is_foreign = application_id or version or set((tables or "").split(",")) - {"", *GUESTS}
        if application_id != APPLICATION_ID and is_foreign:
            raise JournalError(f"{self.path} is not a journal of agent-lab-tui: move it away, or rename it.")
        if version > len(MIGRATIONS):
            raise JournalError(
                f"The journal {self.path} was written by a newer agent-lab-tui: update this one."
            )
        return int(version)

    def _prepare(self, conn: sqlite3.Connection) -> None:
        if self._version(conn) < len(MIGRATIONS):
            with writing(conn):
                if self._version(conn) < len(MIGRATIONS):
                    migrate(conn)
        if conn.execute("PRAGMA journal_mode").fetchone() != ("wal",):
            # Refused while another process reads; a later writer will find a quiet moment.
            with contextlib.suppress(sqlite3.OperationalError):
                conn.execute("PRAGMA journal_mode = WAL")
        conn.execute("PRAGMA synchronous = FULL")

    def _make(self) -> bool:
        with _creation:
            if os.path.lexists(self.path):
                self._is_there()
                return False
            try:
                self._create_like(os.stat(self._like or self.database_path))
            except FileExistsError:
                return False
            except OSError as error:
                raise JournalError(
                    f"The journal {self.path} cannot be made ({os.strerror(error.errno or errno.EIO)}):"
                    " give the folder back its write permission, or look only, with --readonly."
                ) from error
            return True

    def _create_like(self, database: os.stat_result) -> None:
        """Create the empty file with mode and group of the database, never readable by more people."""
        flags = os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_RDWR
        descriptor = os.open(self.path, flags, 0o600)
        try:
            mode = stat.S_IMODE(database.st_mode) & 0o666 | 0o600
            owner = database.st_uid if os.geteuid() == 0 else -1
            try:
                os.fchown(descriptor, owner, database.st_gid)
            except PermissionError:
                mode &= ~0o070
            os.fchmod(descriptor, mode)
        finally:
            os.close(descriptor)


@contextlib.contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn SQLite's errors at opening and committing into sentences."""
    try:
        yield
    except sqlite3.Error as error:
        text = str(error)
        if "not a database" in text:
            reason = "it is not a journal of agent-lab-tui; move it away, or rename it"
        elif "locked" in text or "busy" in text:
            reason = f"another process has held it for {BUSY_SECONDS:.0f} s; try again, or end that process"
        elif "readonly" in text:
            reason = "it is write-protected; give it back its write permission, or look only, with --readonly"
        else:
            reason = text
        raise JournalError(f"The journal {path} cannot be used: {reason}.") from error


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
