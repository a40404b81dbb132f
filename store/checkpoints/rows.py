"""One thread's checkpoints and their pending writes, as rows."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from ..files import Database
from ..values.raw import Value, decode
from .ids import step_of, time_of

NULL_TASK: Final = "00000000-0000-0000-0000-000000000000"
"""Stands for the caller: what was sent to the step from outside."""
ERROR: Final = "__error__"
INTERRUPT: Final = "__interrupt__"
RESUME: Final = "__resume__"
CONTROL: Final = frozenset({ERROR, "__error_source_node__", INTERRUPT, RESUME})
"""Channels that say what happened to a task rather than what it produced."""

_ROW: Final = "checkpoint_ns, checkpoint_id, parent_checkpoint_id, metadata"


@dataclass(frozen=True, slots=True)
class CheckpointRow:
    """One checkpoint without its state."""

    thread_id: str
    ns: str
    """"" for the graph itself, else the namespace of a subgraph."""
    checkpoint_id: str
    parent_id: str | None
    metadata: Mapping[str, Any]

    @property
    def step(self) -> int | None:
        """LangGraph's step: -1 for an input, 0 for the first nodes."""
        found = self.metadata.get("step")
        is_step = isinstance(found, int) and not isinstance(found, bool)
        return found if is_step else step_of(self.checkpoint_id)

    @property
    def source(self) -> str | None:
        """Where it comes from: input, loop, update or fork."""
        found = self.metadata.get("source")
        return found if isinstance(found, str) else None

    @property
    def created_at(self) -> float | None:
        """When it was made, in unix seconds."""
        return time_of(self.checkpoint_id)


@dataclass(frozen=True, slots=True)
class WriteRow:
    """One write of a task, kept until the step it belongs to is finished."""

    ns: str
    checkpoint_id: str
    task_id: str
    task_path: str
    """Empty in files of the old layout."""
    idx: int
    """Position among the task's writes; negative for control channels."""
    channel: str
    type: str | None
    value: bytes

    @property
    def decoded(self) -> Value:
        """The value, decoded anew at each use."""
        return decode(self.type, self.value)


def head(conn: sqlite3.Connection, thread_id: str, ns: str = "") -> CheckpointRow | None:
    """Give the newest checkpoint of a thread; None for a thread that has none."""
    return next(iter(history(conn, thread_id, 1, ns=ns)), None)


def get(conn: sqlite3.Connection, thread_id: str, ns: str, checkpoint_id: str) -> CheckpointRow | None:
    """Give one checkpoint by its id; None if there is none."""
    sql = f"SELECT {_ROW} FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ?"  # noqa: S608
    row = conn.execute(sql, (thread_id, ns, checkpoint_id)).fetchone()
    return None if row is None else _row(thread_id, row)


def history(
    conn: sqlite3.Connection, thread_id: str, limit: int, before: str | None = None, ns: str = ""
) -> list[CheckpointRow]:
    """List checkpoints of all branches, newest first.

    Args:
        conn: a reading connection.
        thread_id: the thread.
        limit: how many at most.
        before: list those older than this checkpoint only.
        ns: the namespace of a subgraph, or "" for the graph itself.
    """
    older, parameters = ("AND checkpoint_id < ?", (before,)) if before is not None else ("", ())
    sql = (
        f"SELECT {_ROW} FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ? {older}"  # noqa: S608
        " ORDER BY checkpoint_id DESC LIMIT ?"
    )
    return [_row(thread_id, row) for row in conn.execute(sql, (thread_id, ns, *parameters, limit))]


def ancestors(
    conn: sqlite3.Connection, thread_id: str, checkpoint_id: str, limit: int, ns: str = ""
) -> list[CheckpointRow]:
    """List a checkpoint and what it grew from, nearest first; a chain that bites its tail ends there."""
    chain: dict[str, CheckpointRow] = {}
    following: str | None = checkpoint_id
    while following is not None and following not in chain and len(chain) < limit:
        found = get(conn, thread_id, ns, following)
        if found is None:
            break
        chain[following] = found
        following = found.parent_id
    return list(chain.values())


def body(conn: sqlite3.Connection, thread_id: str, ns: str, checkpoint_id: str) -> Value:
    """Decode a checkpoint: a dict with channel_values, channel_versions, versions_seen and more.

    Comes back as `Unreadable` where it is encrypted or broken, and as None where there is no such row.
    """
    row = conn.execute(
        "SELECT type, checkpoint FROM checkpoints"
        " WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ?",
        (thread_id, ns, checkpoint_id),
    ).fetchone()
    return None if row is None else decode(row[0], row[1])


def writes(
    conn: sqlite3.Connection, db: Database, thread_id: str, ns: str, checkpoint_id: str
) -> list[WriteRow]:
    """List what the tasks of the step after a checkpoint have stored so far, task by task."""
    path = "task_path" if db.has_task_path else "''"
    rows = conn.execute(
        f"SELECT checkpoint_ns, checkpoint_id, task_id, {path}, idx, channel, type, value"  # noqa: S608
        " FROM writes WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ? ORDER BY task_id, idx",
        (thread_id, ns, checkpoint_id),
    )
    return [WriteRow(*row) for row in rows]


def namespaces(conn: sqlite3.Connection, thread_id: str) -> list[str]:
    """List the namespaces of a thread: "" and those of its subgraphs."""
    rows = conn.execute(
        "SELECT DISTINCT checkpoint_ns FROM checkpoints WHERE thread_id = ? ORDER BY 1", (thread_id,)
    )
    return [ns for (ns,) in rows]


def _row(thread_id: str, row: tuple[str, str, str | None, bytes | str | None]) -> CheckpointRow:
    ns, checkpoint_id, parent_id, metadata = row
    return CheckpointRow(thread_id, ns, checkpoint_id, parent_id or None, metadata_of(metadata))


def metadata_field(column: str, path: str) -> str:
    """Write the SQL for one part of the metadata; NULL where the metadata is broken."""
    text = f"CAST({column} AS TEXT)"
    return f"CASE WHEN json_valid({text}) THEN json_extract({text}, {path}) END"


def metadata_of(stored: object) -> dict[str, Any]:
    """Read the metadata, plain JSON in every file; what is broken, or no text at all, reads as empty."""
    if not isinstance(stored, bytes | str):
        return {}
    try:
        found = json.loads(stored or b"{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
