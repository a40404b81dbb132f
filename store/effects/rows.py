"""One row of the effects ledger, and the statements that move it."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Mapping
from dataclasses import astuple, dataclass
from typing import Any, Literal

from .. import cipher
from ..processes import ProcessMark, this_process
from ..tables import now

EffectState = Literal["started", "done", "unknown", "failed"]

TABLES = (
    """
CREATE TABLE IF NOT EXISTS effect(
  key TEXT PRIMARY KEY,
  operation TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('started', 'done', 'unknown', 'failed')),
  attempt INTEGER NOT NULL,
  result_json TEXT,
  note TEXT,
  host TEXT NOT NULL, pid INTEGER NOT NULL, born TEXT NOT NULL,
  started_at TEXT NOT NULL,
  changed_at TEXT NOT NULL
) STRICT""",
    """
CREATE TABLE IF NOT EXISTS effect_question(
  key TEXT NOT NULL, task TEXT NOT NULL, number INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  PRIMARY KEY (key, task, number)
) STRICT, WITHOUT ROWID""",
)

COLUMNS = (
    "key, operation, fingerprint, state, attempt, result_json, note, host, pid, born, started_at, changed_at"
)


@dataclass(frozen=True, slots=True)
class Effect:
    """One thing done to the outside world, or begun."""

    key: str
    operation: str
    fingerprint: str
    """SHA-256 of the arguments as canonical JSON."""
    state: EffectState
    """failed: known not to have been done. unknown: begun, and nobody can tell how it ended."""
    attempt: int
    result: Any
    """What JSON keeps of the result; None until done."""
    note: str | None
    """Why it failed or is unknown, or who took it as done."""
    doer: ProcessMark
    """The process that did it, or began to."""
    started_at: str
    """UTC, ISO 8601, seconds, Z; of the latest attempt."""
    changed_at: str


def fingerprint(arguments: Mapping[str, Any]) -> str:
    """Return a stable hash of arguments, whatever the order of their names."""
    text = json.dumps(arguments, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=repr)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def insert(connection: sqlite3.Connection, key: str, operation: str, arguments: str) -> Effect:
    """Write the first attempt under a new key, as this process's own."""
    at = now()
    connection.execute(
        f"INSERT INTO effect({COLUMNS}) VALUES (?, ?, ?, 'started', 1, NULL, NULL, ?, ?, ?, ?, ?)",  # noqa: S608
        (key, operation, arguments, *astuple(this_process()), at, at),
    )
    return need(connection, key)


def start(connection: sqlite3.Connection, effect: Effect, operation: str, arguments: str) -> Effect:
    """Write one more attempt, as this process's own."""
    at = now()
    connection.execute(
        "UPDATE effect SET state = 'started', attempt = attempt + 1, operation = ?, fingerprint = ?,"
        " host = ?, pid = ?, born = ?, started_at = ?, changed_at = ? WHERE key = ?",
        (operation, arguments, *astuple(this_process()), at, at, effect.key),
    )
    return need(connection, effect.key)


def change(
    connection: sqlite3.Connection,
    effect: Effect,
    state: EffectState,
    result: Any = None,
    note: str | None = None,
) -> Effect:
    """Write how the present attempt stands."""
    text = json.dumps(result, ensure_ascii=False, default=repr)
    connection.execute(
        "UPDATE effect SET state = ?, result_json = ?, note = ?, changed_at = ? WHERE key = ?",
        (state, protected(text), None if note is None else protected(note), now(), effect.key),
    )
    return need(connection, effect.key)


def one(connection: sqlite3.Connection, key: str, *, is_only_looked_at: bool = False) -> Effect | None:
    """Return the effect under a key, None when there is none."""
    query = f"SELECT {COLUMNS} FROM effect WHERE key = ?"  # noqa: S608 - a constant list of columns
    row = connection.execute(query, (key,)).fetchone()
    return None if row is None else effect_of(row, is_only_looked_at=is_only_looked_at)


def need(connection: sqlite3.Connection, key: str) -> Effect:
    """Return the effect under a key that must be there."""
    effect = one(connection, key)
    if effect is None:
        raise KeyError(f"The ledger has no effect under {key}.")
    return effect


def protected(text: str) -> str:
    """Return a text as the ledger may keep it: sealed where this process works with encrypted checkpoints.

    Raises:
        CannotDecrypt: There is a key, and nothing can be encrypted with it.
    """
    return cipher.seal(text) if cipher.has_key() else text


def effect_of(row: tuple[Any, ...], *, is_only_looked_at: bool = False) -> Effect:
    """Make a record of a row; to look at it, what is sealed and has no key here stays sealed.

    Raises:
        CannotDecrypt: It is sealed, the key is not here, and its result is wanted.
    """
    key, operation, arguments, state, attempt, result, note, host, pid, since, started_at, changed_at = row
    return Effect(
        key=key,
        operation=operation,
        fingerprint=arguments,
        state=state,
        attempt=attempt,
        result=_opened(result, is_only_looked_at, loads=True),
        note=_opened(note, is_only_looked_at),
        doer=ProcessMark(host, pid, since),
        started_at=started_at,
        changed_at=changed_at,
    )


def _opened(text: str | None, is_only_looked_at: bool, *, loads: bool = False) -> Any:
    if text is None:
        return None
    try:
        plain = cipher.unsealed(text)
    except cipher.CannotDecrypt:
        if not is_only_looked_at:
            raise
        return "sealed"
    return json.loads(plain) if loads else plain


def sentence_of_other_use(effect: Effect, operation: str) -> str:
    """Say for what a key was used before."""
    what = (
        f"for {effect.operation}, not for {operation}"
        if effect.operation != operation
        else f"for {operation} with other arguments"
    )
    return f"The key {effect.key} stands since {effect.started_at} {what} ({effect.state}); nothing was done."


def sentence_of_loss(effect: Effect) -> str:
    """Say what is known of an attempt that nobody carries on."""
    where = f"process {effect.doer.pid}"
    if not effect.doer.is_here:
        return f"Started at {effect.started_at} by {where} on {effect.doer.host}, out of our sight."
    return f"Started at {effect.started_at} by {where}, and nobody said how it went."
