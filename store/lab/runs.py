"""The builder's runs and every execution of a tool call: the evidence of what ran how often."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ..tables import now, reading, transaction

_SCHEMA = """
CREATE TABLE IF NOT EXISTS run (
  run_id TEXT PRIMARY KEY,
  project TEXT NOT NULL,
  options_json TEXT NOT NULL,
  status TEXT NOT NULL CHECK
    (status IN ('running', 'waiting_confirmation', 'completed', 'failed', 'budget_exceeded')),
  error TEXT,
  result_json TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS run_call (
  call_id INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES run(run_id),
  key TEXT NOT NULL,
  step INTEGER NOT NULL,
  tool TEXT NOT NULL,
  arguments_json TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('started', 'ready', 'failed')),
  outcome_json TEXT,
  started_at TEXT NOT NULL,
  finished_at TEXT
) STRICT;
CREATE INDEX IF NOT EXISTS run_call_by_key ON run_call(run_id, key);
"""

RunStatus = Literal["running", "waiting_confirmation", "completed", "failed", "budget_exceeded"]
CallState = Literal["started", "ready", "failed"]


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run of the builder; its id is the thread's id too."""

    run_id: str
    project: str
    options: Mapping[str, Any]
    """With what it was started: model, limits."""
    status: RunStatus
    error: str | None
    result: Any
    created_at: str
    updated_at: str


@dataclass(frozen=True, slots=True)
class CallRow:
    """One execution of one tool call; a call that ran twice has two rows."""

    call_id: int
    run_id: str
    key: str
    step: int
    tool: str
    arguments: Mapping[str, Any]
    state: CallState
    """started: it ran or runs, and its outcome is not known here. ready: its outcome is kept."""
    outcome: Any
    started_at: str
    finished_at: str | None


class RunExists(Exception):
    """There is a run of that id already; nothing was changed."""


class Runs:
    """The runs in the lab's business database; safe from any thread and process."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def create(self, run_id: str, project: str, options: Mapping[str, Any]) -> None:
        """Write a new run.

        Raises:
            RunExists: The id is taken.
        """
        moment = now()
        with transaction(self._path, _SCHEMA) as connection:
            try:
                connection.execute(
                    "INSERT INTO run(run_id, project, options_json, status, created_at, updated_at)"
                    " VALUES (?, ?, ?, 'running', ?, ?)",
                    (run_id, project, _json(options), moment, moment),
                )
            except sqlite3.IntegrityError as error:
                raise RunExists(f"{run_id} exists already.") from error

    def change(self, run_id: str, status: RunStatus, error: str | None = None, result: Any = None) -> None:
        """Write how a run stands; its error is cleared when it goes on."""
        with transaction(self._path, _SCHEMA) as connection:
            connection.execute(
                "UPDATE run SET status = ?, error = ?, result_json = ?, updated_at = ? WHERE run_id = ?"
                " AND (status, error, result_json) IS NOT (?, ?, ?)",
                (status, error, _json(result), now(), run_id, status, error, _json(result)),
            )

    def run(self, run_id: str) -> RunRow | None:
        """Return one run."""
        with reading(self._path, _SCHEMA) as connection:
            row = connection.execute("SELECT * FROM run WHERE run_id = ?", (run_id,)).fetchone()
            return None if row is None else _run(row)

    def ids(self) -> tuple[str, ...]:
        """Return the ids of every run, oldest first; no other part of their rows is read."""
        with reading(self._path, _SCHEMA) as connection:
            return tuple(run_id for (run_id,) in connection.execute("SELECT run_id FROM run ORDER BY rowid"))

    def runs(self) -> tuple[RunRow, ...]:
        """Return every run, oldest first."""
        with reading(self._path, _SCHEMA) as connection:
            return tuple(_run(row) for row in connection.execute("SELECT * FROM run ORDER BY rowid"))

    def forget(self, run_id: str) -> None:
        """Delete a run and its calls; for clean-up by order alone."""
        with transaction(self._path, _SCHEMA) as connection:
            connection.execute("DELETE FROM run_call WHERE run_id = ?", (run_id,))
            connection.execute("DELETE FROM run WHERE run_id = ?", (run_id,))

    def begin_call(self, run_id: str, key: str, step: int, tool: str, arguments: Mapping[str, Any]) -> int:
        """Write that a call is about to run, and return the number of this execution."""
        with transaction(self._path, _SCHEMA) as connection:
            row = connection.execute(
                "INSERT INTO run_call(run_id, key, step, tool, arguments_json, state, started_at)"
                " VALUES (?, ?, ?, ?, ?, 'started', ?) RETURNING call_id",
                (run_id, key, step, tool, _json(arguments), now()),
            ).fetchone()
        return int(row["call_id"])

    def end_call(self, call_id: int, state: CallState, outcome: Any) -> None:
        """Keep the outcome of an execution, before it is told to anybody."""
        with transaction(self._path, _SCHEMA) as connection:
            connection.execute(
                "UPDATE run_call SET state = ?, outcome_json = ?, finished_at = ? WHERE call_id = ?",
                (state, _json(outcome), now(), call_id),
            )

    def calls(self, run_id: str, key: str | None = None) -> tuple[CallRow, ...]:
        """Return the executions of a run, or those under one key, in the order they began."""
        with reading(self._path, _SCHEMA) as connection:
            rows = connection.execute(
                "SELECT * FROM run_call WHERE run_id = ? AND (? IS NULL OR key = ?) ORDER BY call_id",
                (run_id, key, key),
            )
            return tuple(_call(row) for row in rows)


def _json(value: Any) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False, sort_keys=True)


def _run(row: sqlite3.Row) -> RunRow:
    return RunRow(
        row["run_id"],
        row["project"],
        json.loads(row["options_json"]),
        row["status"],
        row["error"],
        None if row["result_json"] is None else json.loads(row["result_json"]),
        row["created_at"],
        row["updated_at"],
    )


def _call(row: sqlite3.Row) -> CallRow:
    return CallRow(
        row["call_id"],
        row["run_id"],
        row["key"],
        row["step"],
        row["tool"],
        json.loads(row["arguments_json"]),
        row["state"],
        None if row["outcome_json"] is None else json.loads(row["outcome_json"]),
        row["started_at"],
        row["finished_at"],
    )
