"""The effects ledger: what was done to the outside world, under which key, and what is not known of it.

The ledger is two tables in whatever SQLite file it is given: the journal beside a checkpoint database
or a file of the author's. It keeps a fingerprint of the arguments, never the arguments themselves;
results are kept, because a repeat has to return them, and sealed where checkpoints are encrypted.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ..journal.file import JournalFile
from ..tables import WAIT_SECONDS, can_write, connected_to_read, explained, transaction
from . import rows
from .rows import Effect, EffectState, fingerprint

__all__ = ["Begun", "Busy", "Conflict", "Effect", "EffectState", "Effects", "fingerprint"]

_in_hand: set[tuple[Path, str]] = set()
"""What threads of this process are doing right now, by file and key."""


class Conflict(Exception):
    """The key was used before for something else; nothing was done."""


class Busy(Exception):
    """Another run is doing this very thing right now; nothing was done."""


@dataclass(frozen=True, slots=True)
class Begun:
    """What `Effects.begin` found: go ahead, or how it stands."""

    effect: Effect
    is_ours: bool
    """The caller, and nobody else, may do it now."""


class Effects:
    """The ledger in one SQLite file; safe from any thread and process."""

    def __init__(self, path: Path | str, *, is_readonly: bool = False) -> None:
        self.path = Path(path).resolve()
        self.is_readonly = is_readonly

    def look(self, key: str, operation: str, arguments: Mapping[str, Any]) -> Effect | None:
        """Tell how a key stands for these arguments: never begun (None), done, failed or unknown.

        Raises:
            Conflict: The key stands for another operation or other arguments.
            Busy: A live process is in the middle of it.
        """
        with self._writing() as connection:
            return self._look(connection, key, (operation, fingerprint(arguments)))

    def begin(self, key: str, operation: str, arguments: Mapping[str, Any]) -> Begun:
        """Claim a key before the deed, or tell how it stands.

        Raises:
            Conflict: The key stands for another operation or other arguments; nothing may be done.
            Busy: A live process is in the middle of it.
            CannotDecrypt: Its result could not be kept, so it is better not begun.
        """
        wanted = (operation, fingerprint(arguments))
        rows.protected("")
        with self._writing() as connection:
            effect = self._look(connection, key, wanted)
            if effect is None:
                return self._ours(rows.insert(connection, key, *wanted))
            if effect.state == "failed":
                return self._ours(rows.start(connection, effect, *wanted))
            return Begun(effect, is_ours=False)

    def begin_again(self, effect: Effect) -> Begun:
        """Claim an effect once more whose end is unknown; not ours if somebody was faster."""
        with self._writing() as connection:
            current = rows.need(connection, effect.key)
            if current.state != "unknown" or current.attempt != effect.attempt:
                return Begun(current, is_ours=False)
            return Begun(
                rows.start(connection, current, current.operation, current.fingerprint), is_ours=True
            )

    def finish(self, effect: Effect, result: Any, note: str | None = None) -> Effect:
        """Record that an effect is done, with what it returned."""
        return self._end(effect, "done", result, note)

    def doubt(self, effect: Effect, note: str) -> Effect:
        """Record that nobody can tell whether it was done."""
        return self._end(effect, "unknown", None, note)

    def clear(self, effect: Effect, note: str) -> Effect:
        """Record that it is known not to have been done; the next `begin` may do it."""
        return self._end(effect, "failed", None, note)

    def find(self, key: str) -> Effect | None:
        """Return one effect, None when nothing was ever begun under the key."""
        with self._reading() as connection:
            return None if connection is None else rows.one(connection, key, is_only_looked_at=True)

    def all(self, prefix: str = "") -> tuple[Effect, ...]:
        """Return the effects whose key starts with the prefix, oldest first."""
        with self._reading() as connection:
            if connection is None:
                return ()
            query = f"SELECT {rows.COLUMNS} FROM effect WHERE substr(key, 1, ?) = ? ORDER BY rowid"  # noqa: S608
            found = connection.execute(query, (len(prefix), prefix))
            return tuple(rows.effect_of(row, is_only_looked_at=True) for row in found)

    def asked(self, key: str, task: str, number: int) -> int | None:
        """Return about which attempt a run of the task asked its n-th question; None if it never did."""
        with self._reading() as connection:
            if connection is None:
                return None
            query = "SELECT attempt FROM effect_question WHERE key = ? AND task = ? AND number = ?"
            row = connection.execute(query, (key, task, number)).fetchone()
            return None if row is None else int(row[0])

    def note_question(self, effect: Effect, task: str, number: int) -> None:
        """Record that a run of the task asks its n-th question about this attempt."""
        with self._writing() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO effect_question(key, task, number, attempt) VALUES (?, ?, ?, ?)",
                (effect.key, task, number, effect.attempt),
            )

    def _look(self, connection: sqlite3.Connection, key: str, wanted: tuple[str, str]) -> Effect | None:
        effect = rows.one(connection, key)
        if effect is None or effect.state == "failed":
            return effect
        if (effect.operation, effect.fingerprint) != wanted:
            raise Conflict(rows.sentence_of_other_use(effect, wanted[0]))
        if effect.state != "started":
            return effect
        if (self.path, key) in _in_hand if effect.doer.is_this else effect.doer.is_alive:
            pid, since = effect.doer.pid, effect.started_at
            raise Busy(f"{key} is being done since {since} by process {pid}: wait for its end.")
        return rows.change(connection, effect, "unknown", note=rows.sentence_of_loss(effect))

    def _ours(self, effect: Effect) -> Begun:
        _in_hand.add((self.path, effect.key))
        return Begun(effect, is_ours=True)

    def _end(self, effect: Effect, state: EffectState, result: Any, note: str | None) -> Effect:
        _in_hand.discard((self.path, effect.key))
        with self._writing() as connection:
            current = rows.need(connection, effect.key)
            if current.attempt != effect.attempt or current.state == "done":
                is_now = f"attempt {current.attempt}, {current.state}"
                raise Busy(f"{effect.key} was taken over meanwhile: it is {is_now} now.")
            return rows.change(connection, current, state, result, note)

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        # Beside its database a journal is made by its own rules: its rights are those of the database.
        # Before there is one, the ledger may come first; the journal knows its tables as guests.
        journal = JournalFile(self.path)
        is_journal = self.path.suffix == ".desk" and journal.database_path.exists()
        opened = journal.writing() if is_journal else transaction(self.path, "")
        with opened as connection:
            for statement in rows.TABLES:
                connection.execute(statement)
            yield connection

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection | None]:
        if not self.path.is_file():
            yield None
            return
        with explained(self.path), closing(self._connected()) as connection:
            query = "SELECT count(*) FROM sqlite_master WHERE name IN ('effect', 'effect_question')"
            has_tables = connection.execute(query).fetchone()[0] == len(rows.TABLES)
            yield connection if has_tables else None

    def _connected(self) -> sqlite3.Connection:
        if self.is_readonly or not can_write(self.path):
            return connected_to_read(self.path)
        uri = f"file:{quote(str(self.path))}?mode=rw"
        return sqlite3.connect(uri, uri=True, isolation_level=None, timeout=WAIT_SECONDS)
