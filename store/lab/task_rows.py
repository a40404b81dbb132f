"""The tables of the lab's tasks, and their rows as records."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from typing import Any, Literal

TaskStatus = Literal["pending", "running", "waiting_confirmation", "completed", "failed"]
StepStatus = Literal["running", "waiting_confirmation", "completed", "failed"]

SCHEMA = """
CREATE TABLE IF NOT EXISTS tasks (
  task_id TEXT PRIMARY KEY,
  task_input TEXT NOT NULL,
  status TEXT NOT NULL
    CHECK (status IN ('pending', 'running', 'waiting_confirmation', 'completed', 'failed')),
  current_step INTEGER NOT NULL DEFAULT 0,
  max_steps INTEGER NOT NULL DEFAULT 8,
  result_json TEXT,
  error TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  thread_id TEXT NOT NULL UNIQUE,
  agent TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS task_steps (
  step_id INTEGER PRIMARY KEY AUTOINCREMENT,
  task_id TEXT NOT NULL REFERENCES tasks(task_id),
  step_no INTEGER NOT NULL,
  tool_name TEXT NOT NULL,
  arguments_json TEXT NOT NULL,
  status TEXT NOT NULL
    CHECK (status IN ('running', 'waiting_confirmation', 'completed', 'failed')),
  result_json TEXT,
  error TEXT,
  idempotency_key TEXT UNIQUE,
  started_at TEXT,
  finished_at TEXT
);
"""


@dataclass(frozen=True, slots=True)
class Task:
    """One row of `tasks`. Times are UTC, ISO 8601, seconds, Z."""

    task_id: str
    task_input: str
    status: TaskStatus
    current_step: int
    max_steps: int
    result: Any
    """None until the task is completed."""
    error: str | None
    created_at: str
    updated_at: str
    thread_id: str
    """The LangGraph thread; kept here, so that it need not be guessed at resume."""
    agent: str


@dataclass(frozen=True, slots=True)
class Step:
    """One row of `task_steps`."""

    step_id: int
    task_id: str
    step_no: int
    tool_name: str
    arguments: Any
    status: StepStatus
    result: Any
    error: str | None
    key: str
    """`task:step:number`: the same however often its node runs."""
    started_at: str | None
    finished_at: str | None


def key_of(task_id: str, step_no: int) -> str:
    """Return the idempotency key of a step."""
    return f"{task_id}:step:{step_no}"


def task_of(row: sqlite3.Row) -> Task:
    """Make a record of a row of `tasks`."""
    return Task(
        row["task_id"],
        row["task_input"],
        row["status"],
        row["current_step"],
        row["max_steps"],
        _loaded(row["result_json"]),
        row["error"],
        row["created_at"],
        row["updated_at"],
        row["thread_id"],
        row["agent"],
    )


def step_of(row: sqlite3.Row) -> Step:
    """Make a record of a row of `task_steps`."""
    return Step(
        row["step_id"],
        row["task_id"],
        row["step_no"],
        row["tool_name"],
        _loaded(row["arguments_json"]),
        row["status"],
        _loaded(row["result_json"]),
        row["error"],
        row["idempotency_key"],
        row["started_at"],
        row["finished_at"],
    )


def _loaded(text: str | None) -> Any:
    return None if text is None else json.loads(text)
