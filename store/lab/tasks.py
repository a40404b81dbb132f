"""The lab's own record of its tasks and their steps: what was asked for, how far it is, what came of it.

It knows nothing of checkpoints: where the graph stands is LangGraph's to say, whether the report is there is
the file system's. Nothing here is ever deleted but by `forget`, and no step goes backwards: an asking node
runs again from its top for every answer, so it writes the same rows again.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from ..tables import now, reading, transaction
from .task_rows import SCHEMA, Step, Task, key_of, step_of, task_of

__all__ = ["BudgetSpent", "Step", "Task", "TaskExists", "Tasks", "key_of"]


class TaskExists(Exception):
    """There is a task of that id, or one on that thread, already; nothing was changed."""


class BudgetSpent(Exception):
    """The task may not take another step; it is failed now, and says so."""


class Tasks:
    """The tables `tasks` and `task_steps` of one file; safe from any thread and process."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def create(self, task_id: str, agent: str, thread_id: str, task_input: str, max_steps: int = 8) -> None:
        """Add a pending task.

        Raises:
            TaskExists: The id or the thread is taken.
        """
        at = now()
        try:
            with self._writing() as connection:
                connection.execute(
                    "INSERT INTO tasks(task_id, task_input, status, max_steps, created_at, updated_at,"
                    " thread_id, agent) VALUES (?, ?, 'pending', ?, ?, ?, ?, ?)",
                    (task_id, task_input, max_steps, at, at, thread_id, agent),
                )
        except sqlite3.IntegrityError as error:
            what = "thread_id" if "tasks.thread_id" in str(error) else "task_id"
            raise TaskExists(what) from error

    def find(self, task_id: str) -> Task | None:
        """Return one task, None when there is none."""
        with self._reading() as connection:
            row = connection.execute("SELECT * FROM tasks WHERE task_id = ?", (task_id,)).fetchone()
            return None if row is None else task_of(row)

    def on_thread(self, thread_id: str) -> Task | None:
        """Return the task of a thread, None when there is none."""
        with self._reading() as connection:
            row = connection.execute("SELECT * FROM tasks WHERE thread_id = ?", (thread_id,)).fetchone()
            return None if row is None else task_of(row)

    def ids(self, agent: str) -> tuple[str, ...]:
        """Return the ids of an agent's tasks, oldest first; no other part of their rows is read."""
        with self._reading() as connection:
            rows = connection.execute(
                "SELECT task_id FROM tasks WHERE agent = ? ORDER BY created_at, rowid", (agent,)
            )
            return tuple(task_id for (task_id,) in rows)

    def all(self) -> tuple[Task, ...]:
        """Return every task, oldest first."""
        with self._reading() as connection:
            rows = connection.execute("SELECT * FROM tasks ORDER BY created_at, rowid")
            return tuple(task_of(row) for row in rows)

    def steps(self, task_id: str) -> tuple[Step, ...]:
        """Return the steps of a task in order."""
        with self._reading() as connection:
            query = "SELECT * FROM task_steps WHERE task_id = ? ORDER BY step_no"
            return tuple(step_of(row) for row in connection.execute(query, (task_id,)))

    def begin_step(
        self,
        task_id: str,
        step_no: int,
        tool_name: str,
        arguments: Mapping[str, Any],
        *,
        is_waiting: bool = False,
    ) -> None:
        """Record that a step runs, or waits for a person; once recorded it is only carried on.

        A step that is completed stays so. A failed one runs again, and the task's error is cleared.

        Raises:
            BudgetSpent: The task may take fewer steps than that.
        """
        status = "waiting_confirmation" if is_waiting else "running"
        with self._writing() as connection:
            task = _need(connection, task_id)
            is_spent = step_no > task.max_steps
            if is_spent:
                _fail(connection, task_id, _budget(task))
            else:
                _put_step(connection, task, step_no, tool_name, arguments, status)
        if is_spent:
            raise BudgetSpent(_budget(task))

    def finish_step(self, task_id: str, step_no: int, result: Any) -> None:
        """Record what came of a step; the same result again changes nothing."""
        with self._writing() as connection:
            at, text = now(), json.dumps(result, ensure_ascii=False)
            changed = connection.execute(
                "UPDATE task_steps SET status = 'completed', result_json = ?, error = NULL, finished_at = ?"
                " WHERE idempotency_key = ? AND (status <> 'completed' OR result_json IS NOT ?)",
                (text, at, key_of(task_id, step_no), text),
            ).rowcount
            if changed:
                connection.execute("UPDATE tasks SET updated_at = ? WHERE task_id = ?", (at, task_id))

    def fail_step(self, task_id: str, step_no: int, error: str) -> None:
        """Record why a step failed, and the task with it; what is completed stays so."""
        with self._writing() as connection:
            connection.execute(
                "UPDATE task_steps SET status = 'failed', error = ?, finished_at = ?"
                " WHERE idempotency_key = ? AND status <> 'completed'",
                (error, now(), key_of(task_id, step_no)),
            )
            _fail(connection, task_id, error)

    def run(self, task_id: str) -> None:
        """Record that a pending or failed task runs, and clear its error."""
        with self._writing() as connection:
            connection.execute(
                "UPDATE tasks SET status = 'running', error = NULL, updated_at = ?"
                " WHERE task_id = ? AND status IN ('pending', 'failed')",
                (now(), task_id),
            )

    def allow(self, task_id: str, max_steps: int) -> bool:
        """Let a task take more steps than before; return whether these are more."""
        with self._writing() as connection:
            changed = connection.execute(
                "UPDATE tasks SET max_steps = ?, updated_at = ? WHERE task_id = ? AND max_steps < ?",
                (max_steps, now(), task_id, max_steps),
            )
            return changed.rowcount > 0

    def fail(self, task_id: str, error: str) -> None:
        """Record why a task failed; a completed one stays so."""
        with self._writing() as connection:
            _fail(connection, task_id, error)

    def complete(self, task_id: str, result: Mapping[str, Any]) -> None:
        """Record the result of a task whose report was seen; a completed one keeps its first result."""
        with self._writing() as connection:
            connection.execute(
                "UPDATE tasks SET status = 'completed', result_json = ?, error = NULL, updated_at = ?"
                " WHERE task_id = ? AND status <> 'completed'",
                (json.dumps(result, ensure_ascii=False), now(), task_id),
            )

    def forget(self, task_id: str) -> None:
        """Delete a task and its steps; for clean-up by order alone."""
        with self._writing() as connection:
            connection.execute("DELETE FROM task_steps WHERE task_id = ?", (task_id,))
            connection.execute("DELETE FROM tasks WHERE task_id = ?", (task_id,))

    def _writing(self) -> AbstractContextManager[sqlite3.Connection]:
        return transaction(self.path, SCHEMA)

    def _reading(self) -> AbstractContextManager[sqlite3.Connection]:
        return reading(self.path, SCHEMA)


def _need(connection: sqlite3.Connection, task_id: str) -> Task:
    row = connection.execute("SELECT * FROM tasks WHERE task_id = ?", (task_id,)).fetchone()
    if row is None:
        raise KeyError(f"There is no task {task_id}.")
    return task_of(row)


def _budget(task: Task) -> str:
    return f"budget: {task.max_steps} steps were allowed and are used; lab resume --max-steps allows more"


def _fail(connection: sqlite3.Connection, task_id: str, error: str) -> None:
    connection.execute(
        "UPDATE tasks SET status = 'failed', error = ?, updated_at = ?"
        " WHERE task_id = ? AND status <> 'completed'",
        (error, now(), task_id),
    )


def _put_step(
    connection: sqlite3.Connection,
    task: Task,
    step_no: int,
    tool_name: str,
    arguments: Mapping[str, Any],
    status: str,
) -> None:
    at, key = now(), key_of(task.task_id, step_no)
    added = connection.execute(
        "INSERT INTO task_steps(task_id, step_no, tool_name, arguments_json, status, idempotency_key,"
        " started_at) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT(idempotency_key) DO NOTHING",
        (task.task_id, step_no, tool_name, json.dumps(arguments, ensure_ascii=False), status, key, at),
    ).rowcount
    moved = added or _carry_on(connection, key, status)
    is_news = task.status != status or step_no > task.current_step or task.error is not None
    if task.status != "completed" and (moved or is_news):
        connection.execute(
            "UPDATE tasks SET status = ?, current_step = max(current_step, ?), error = NULL, updated_at = ?"
            " WHERE task_id = ?",
            (status, step_no, at, task.task_id),
        )


def _carry_on(connection: sqlite3.Connection, key: str, status: str) -> int:
    """Move a step that is there already: completed ones stay, the start of all others stays."""
    return connection.execute(
        "UPDATE task_steps SET status = ?, error = NULL, finished_at = NULL"
        " WHERE idempotency_key = ? AND status NOT IN ('completed', ?)",
        (status, key, status),
    ).rowcount
