"""The past of one thread, from ids, parents, metadata and marks; no state is decoded."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ..files import Database
from ..values import Value, decode
from .due import target
from .ids import step_of
from .rows import metadata_field, metadata_of
from .task_names import TaskNames
from .versions import rewritten

_CONTROL: Final = ("__interrupt__", "__resume__", "__error__", "__error_source_node__")


@dataclass(frozen=True, slots=True)
class TaskMark:
    """What the pending writes of a checkpoint tell of one task of its step."""

    task_id: str
    node: str
    """Its node; `?` when nothing in the file names it."""
    channels: tuple[str, ...]
    """The state keys it wrote, in the order of writing."""
    is_finished: bool
    has_asked: bool
    error: Value = None
    """What it raised: the text that LangGraph keeps, or None."""
    is_edit: bool = False
    """An edit of the state spoke in its name."""


@dataclass(frozen=True, slots=True)
class PastRow:
    """One checkpoint of a thread's past."""

    checkpoint_id: str
    parent_id: str | None
    step: int | None
    source: str
    metadata: Mapping[str, Any]
    tasks: tuple[TaskMark, ...]
    """Those of its own step: they lead to its children."""
    made_by: tuple[TaskMark, ...]
    """Those of its parent's step that finished; empty unless a run made it."""
    rewritten: tuple[str, ...]
    """The state keys that got a new version; read only where no task's writes tell."""


@dataclass(frozen=True, slots=True)
class Stem:
    """A checkpoint as nothing but a place in the tree."""

    checkpoint_id: str
    parent_id: str | None
    has_asked: bool = False
    has_error: bool = False


def stems(connection: sqlite3.Connection, thread_id: str, ns: str = "") -> list[Stem]:
    """Return every checkpoint of a thread, newest first; one index and one short read a row."""
    rows = connection.execute(
        "SELECT checkpoint_id, parent_checkpoint_id FROM checkpoints"
        " WHERE thread_id = ? AND checkpoint_ns = ? ORDER BY checkpoint_id DESC",
        (thread_id, ns),
    ).fetchall()
    marks = connection.execute(
        "SELECT DISTINCT checkpoint_id, idx FROM writes"
        " WHERE thread_id = ? AND checkpoint_ns = ? AND idx IN (-1, -3)",
        (thread_id, ns),
    ).fetchall()
    asked = {checkpoint_id for checkpoint_id, index in marks if index == -3}
    failed = {checkpoint_id for checkpoint_id, index in marks if index == -1}
    return [Stem(own, parent, own in asked, own in failed) for own, parent in rows]


def ids_before(
    connection: sqlite3.Connection, thread_id: str, limit: int, before: str | None = None, ns: str = ""
) -> list[str]:
    """Return a page of checkpoint ids, newest first.

    Args:
        limit: At most so many.
        before: Only ids older than this one.
    """
    rows = connection.execute(
        "SELECT checkpoint_id FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ?"
        " AND (? IS NULL OR checkpoint_id < ?) ORDER BY checkpoint_id DESC LIMIT ?",
        (thread_id, ns, before, before, limit),
    )
    return [checkpoint_id for (checkpoint_id,) in rows.fetchall()]


def head_id(connection: sqlite3.Connection, thread_id: str, ns: str = "") -> str | None:
    """Return the newest checkpoint of a thread, or None when it has none."""
    newest = ids_before(connection, thread_id, 1, None, ns)
    return newest[0] if newest else None


def asking_nodes(
    connection: sqlite3.Connection, db: Database, thread_id: str, limit: int = 200
) -> frozenset[str]:
    """Return the nodes of a thread's root graph that asked a question, by its newest questions."""
    rows = connection.execute(
        "SELECT DISTINCT checkpoint_id FROM writes WHERE thread_id = ? AND checkpoint_ns = '' AND idx = -3"
        " ORDER BY checkpoint_id DESC LIMIT ?",
        (thread_id, limit),
    ).fetchall()
    found = past(connection, db, thread_id, [checkpoint_id for (checkpoint_id,) in rows])
    return frozenset(task.node for row in found for task in row.tasks if task.has_asked)


def subgraphs(
    connection: sqlite3.Connection,
    thread_id: str,
    checkpoint_id: str,
    tasks: Iterable[tuple[str, str]],
    ns: str = "",
) -> tuple[tuple[str, str], ...]:
    """Return (node, namespace) of the subgraphs that kept checkpoints while the tasks of a step ran.

    A subgraph's namespace ends in its task's id; one that keeps a single history
    for the whole thread has the bare name of its node.

    Args:
        tasks: (node, task id), also of tasks that stored nothing.
    """
    found: list[tuple[str, str]] = []
    for node, task_id in tasks:
        place = f"{ns}|{node}" if ns else node
        query = "SELECT 1 FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ?"
        own = connection.execute(f"{query} LIMIT 1", (thread_id, f"{place}:{task_id}")).fetchone()
        shared = connection.execute(
            f"{query} AND {metadata_field('metadata', '?')} = ? LIMIT 1",
            (thread_id, place, f'$.parents."{ns}"', checkpoint_id),
        ).fetchone()
        found += [(node, f"{place}:{task_id}")] if own else [(node, place)] if shared else []
    return tuple(dict.fromkeys(found))


def past(
    connection: sqlite3.Connection, db: Database, thread_id: str, ids: Sequence[str], ns: str = ""
) -> list[PastRow]:
    """Return some checkpoints of a thread in the given order; ids that are not there are left out."""
    rows = {
        own: (parent, metadata_of(metadata))
        for own, parent, metadata in connection.execute(
            "SELECT c.checkpoint_id, c.parent_checkpoint_id, c.metadata FROM json_each(?) AS asked"
            " CROSS JOIN checkpoints c ON c.thread_id = ? AND c.checkpoint_ns = ?"
            " AND c.checkpoint_id = asked.value",
            (json.dumps(list(ids)), thread_id, ns),
        ).fetchall()
    }
    steps = {own: step for own, (_, found) in rows.items() if isinstance(step := found.get("step"), int)}
    parents = {parent: steps[own] - 1 for own, (parent, _) in rows.items() if parent and own in steps}
    names = TaskNames(connection, thread_id, ns, parents | steps)
    writes = _writes(
        connection, db, thread_id, {*rows, *(parent for parent, _ in rows.values() if parent)}, ns
    )
    marks = {own: _marks(own, found, names) for own, found in writes.items()}
    return [_row(connection, thread_id, ns, own, *rows[own], marks) for own in ids if own in rows]


def _row(
    connection: sqlite3.Connection,
    thread_id: str,
    ns: str,
    own: str,
    parent: str | None,
    metadata: Mapping[str, Any],
    marks: Mapping[str, tuple[TaskMark, ...]],
) -> PastRow:
    source = str(metadata.get("source") or "")
    finished = tuple(task for task in marks.get(parent or "", ()) if task.is_finished and not task.is_edit)
    made_by = finished if source == "loop" else ()
    is_told = source in ("fork", "input") or made_by
    changed = () if is_told else rewritten(connection, thread_id, own, parent, ns)
    step = metadata.get("step", step_of(own))
    return PastRow(
        own,
        parent,
        step if isinstance(step, int) else None,
        source,
        metadata,
        marks.get(own, ()),
        made_by,
        tuple(channel for channel in changed if is_state_key(channel)),
    )


def is_state_key(channel: str) -> bool:
    """Tell a channel of the graph's state from one that LangGraph steers with."""
    return not channel.startswith("__") and target(channel) is None


def written(tasks: Iterable[TaskMark]) -> tuple[str, ...]:
    """Return the state keys that some tasks wrote, sorted."""
    return tuple(sorted({channel for task in tasks for channel in task.channels}))


def _writes(
    connection: sqlite3.Connection, db: Database, thread_id: str, ids: Iterable[str], ns: str
) -> dict[str, list[tuple[Any, ...]]]:
    """Read the marks of some checkpoints; of the values, only what was raised."""
    path = "w.task_path" if db.has_task_path else "''"
    found: dict[str, list[tuple[Any, ...]]] = {}
    for own, *write in connection.execute(
        f"SELECT w.checkpoint_id, w.task_id, {path}, w.idx, w.channel,"  # noqa: S608 - one of two constants
        " CASE WHEN w.idx = -1 THEN w.type END, CASE WHEN w.idx = -1 THEN w.value END"
        " FROM json_each(?) AS asked CROSS JOIN writes w ON w.thread_id = ? AND w.checkpoint_ns = ?"
        " AND w.checkpoint_id = asked.value ORDER BY w.checkpoint_id, w.task_id, w.idx",
        (json.dumps(sorted(ids)), thread_id, ns),
    ).fetchall():
        found.setdefault(own, []).append(tuple(write))
    return found


def _marks(checkpoint_id: str, writes: Iterable[tuple[Any, ...]], names: TaskNames) -> tuple[TaskMark, ...]:
    """Gather the writes of a checkpoint by task; functional calls belong to their caller's task."""
    tasks: dict[str, list[tuple[Any, ...]]] = {}
    for task_id, *write in writes:
        tasks.setdefault(task_id, []).append(tuple(write))
    marks = [_mark(checkpoint_id, task_id, own, names) for task_id, own in tasks.items()]
    return tuple(sorted((mark for mark in marks if mark), key=lambda mark: (mark.node, mark.task_id)))


def _mark(
    checkpoint_id: str, task_id: str, writes: Sequence[tuple[Any, ...]], names: TaskNames
) -> TaskMark | None:
    node = names.node(checkpoint_id, task_id, writes[0][0])
    if node is None:
        return None
    output = [(path, channel) for path, _, channel, *_ in writes if channel not in _CONTROL]
    error = next((decode(kind, raw) for _, index, _, kind, raw in writes if index == -1), None)
    return TaskMark(
        task_id,
        node,
        tuple(dict.fromkeys(channel for _, channel in output if is_state_key(channel))),
        is_finished=bool(output),
        has_asked=any(channel == "__interrupt__" for _, _, channel, *_ in writes),
        error=error,
        is_edit=any(path.startswith("~__interrupt__") for path, _ in output),
    )
