"""The questions of a thread, read from rows as LangGraph itself would tell them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from ..files import Database
from ..values.raw import Value, decode
from . import rows as checkpoints
from .due import PULL, START
from .rows import ERROR, INTERRUPT
from .steps import PLACEHOLDER, Asked, Step, Task, interrupt_id

_QUESTIONS_TRIED: Final = 32
"""How many questions of one task are looked for beyond the answers it has."""
_ROWS_TRIED: Final = 200
"""How many rows of one namespace are searched for an interrupt, newest first."""
_RESUMES_TRIED: Final = 5_000
"""How many rows at the end of the file are searched for earlier answers."""


@dataclass(frozen=True, slots=True)
class PendingInterrupt:
    """One question as the rows have it."""

    interrupt_id: str
    value: Value
    response_schema: Mapping[str, Any] | None
    path: tuple[str, ...]
    """Node names from the root graph down to the one that asks; raw foreign text."""
    task_id: str
    """The task of the root graph."""
    index: int | None
    """The how-manieth question of its task it is, from 0; None where its id does not tell."""
    stored_answers: tuple[Value, ...]
    """The answers stored for the asking task, in order."""
    is_answered: bool
    """Its own answer is stored, and the node has failed with it."""
    error: str | None
    """What the asking task has failed with, perhaps before it asked this."""
    plain_only: bool
    """It comes from a subgraph without checkpoints: only an answer without an id reaches it."""

    @property
    def stored_answer(self) -> Value:
        """The answer with which the node has failed; None without one."""
        if not self.is_answered:
            return None
        place = -1 if self.index is None else min(self.index, len(self.stored_answers) - 1)
        return self.stored_answers[place]


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a question was found."""

    path: tuple[str, ...]
    task: Task
    index: int | None
    is_sure: bool
    """Whether the id belongs to this very task by LangGraph's recipe, or the rows name it otherwise."""
    is_past: bool = False
    """Its subgraph has gone beyond it, though the outer rows still show it: an answer would be ignored."""


def pending(
    conn: sqlite3.Connection, db: Database, thread_id: str, checkpoint_id: str | None = None
) -> tuple[PendingInterrupt, ...]:
    """List the questions that wait at the head of a thread, or those recorded at one checkpoint.

    Args:
        conn: a reading connection.
        db: the file.
        thread_id: the thread.
        checkpoint_id: a checkpoint, to list what was asked there, answered or not; None for the head.
    """
    step = step_at(conn, db, thread_id, checkpoint_id)
    return () if step is None else questions_of(conn, db, step, is_live=checkpoint_id is None)


def next_nodes(
    conn: sqlite3.Connection, db: Database, thread_id: str, checkpoint_id: str | None = None
) -> tuple[str, ...]:
    """Name the nodes to run next, one for each task; at the head those that have not finished."""
    step = step_at(conn, db, thread_id, checkpoint_id)
    return () if step is None else step.names(is_live=checkpoint_id is None)


def errors(
    conn: sqlite3.Connection, db: Database, thread_id: str, checkpoint_id: str | None = None
) -> tuple[str, ...]:
    """List what tasks of the step have failed with, as text."""
    step = step_at(conn, db, thread_id, checkpoint_id)
    tasks = () if step is None else step.tasks
    return tuple(task.error for task in tasks if task.error is not None and not task.is_inside)


def step_at(
    conn: sqlite3.Connection, db: Database, thread_id: str, checkpoint_id: str | None = None
) -> Step | None:
    """Read the step after a checkpoint, or after the head; None where there is no such checkpoint."""
    if checkpoint_id is None:
        row = checkpoints.head(conn, thread_id)
    else:
        row = checkpoints.get(conn, thread_id, "", checkpoint_id)
    return None if row is None else Step(conn, db, thread_id, row)


def questions_of(
    conn: sqlite3.Connection, db: Database, step: Step, *, is_live: bool
) -> tuple[PendingInterrupt, ...]:
    """List the questions of one step of the root graph, each once.

    At the head a question is left out that its subgraph has answered and gone beyond. After a kill the outer
    rows still show it, and LangGraph too; it takes an answer, ignores it and acts on the earlier one.
    """
    found: dict[tuple[str, str], PendingInterrupt] = {}
    for task in step.tasks:
        if step.is_call(task) or (is_live and task.is_finished):
            continue
        for asked in task.asked:
            key = (asked.id, task.id if asked.id == PLACEHOLDER else "")
            if key in found:
                continue
            place = _place(conn, db, step, task, asked, is_live=is_live)
            if not (is_live and place.is_past):
                found[key] = _question(place, task, asked)
    return tuple(found.values())


def answers_given(conn: sqlite3.Connection, db: Database, node: str, limit: int) -> tuple[Value, ...]:
    """List what was answered before at a node, in any thread, newest first.

    Looks at the newest rows only; empty for files that do not keep which node a task ran. An answer with
    which the node failed is left out: it is nothing to give again.
    """
    if not db.has_task_path:
        return ()
    rows = conn.execute(
        "SELECT w.type, w.value FROM ("
        "  SELECT rowid AS place, idx, task_path FROM writes NOT INDEXED ORDER BY rowid DESC LIMIT ?"
        ") t CROSS JOIN writes w ON w.rowid = t.place"
        " WHERE t.idx = -4 AND t.task_path = ? AND NOT EXISTS ("
        "  SELECT 1 FROM writes e WHERE e.thread_id = w.thread_id AND e.checkpoint_ns = w.checkpoint_ns"
        "  AND e.checkpoint_id = w.checkpoint_id AND e.task_id = w.task_id AND e.channel = ?"
        ") ORDER BY t.place DESC LIMIT ?",
        (_RESUMES_TRIED, f"~{PULL}, {node}", ERROR, limit),
    )
    given: list[Value] = []
    for type_, value in rows:
        answers = decode(type_, value)
        given += reversed(answers) if isinstance(answers, list) else [answers]
    return tuple(given[:limit])


def was_asked(conn: sqlite3.Connection, db: Database, thread_id: str, interrupt_id: str) -> bool:
    """Tell whether a thread has ever asked under an id; true as well where what it asked tells no id.

    A node's second question overwrites its first one, but the ids of both follow from its task.
    """
    for ns in {"", *checkpoints.namespaces(conn, thread_id)}:
        for checkpoint_id in _asking(conn, thread_id, ns, is_live=False):
            row = checkpoints.get(conn, thread_id, ns, checkpoint_id)
            if row is None:
                continue
            step = Step(conn, db, thread_id, row)
            for task in (one for one in step.tasks if one.asked):
                node = step.node_of(task)
                if node is None or _has(task, PLACEHOLDER) or _has(task, interrupt_id):
                    return True
                if _index(ns, node, task, interrupt_id) is not None:
                    return True
    return False


def _question(place: _Place, root: Task, asked: Asked) -> PendingInterrupt:
    answers = place.task.answers
    error = place.task.error
    is_stored = place.index is not None and place.index < len(answers)
    schema = asked.response_schema
    return PendingInterrupt(
        interrupt_id=asked.id,
        value=asked.value,
        response_schema=schema if isinstance(schema, dict) else None,
        path=place.path,
        task_id=root.id,
        index=place.index,
        stored_answers=answers,
        is_answered=error is not None and (is_stored or (place.index is None and bool(answers))),
        error=error,
        plain_only=not place.is_sure and asked.id != PLACEHOLDER,
    )


def _place(
    conn: sqlite3.Connection, db: Database, step: Step, task: Task, asked: Asked, *, is_live: bool
) -> _Place:
    """Find the task that asks: this one, one inside it, or one of its subgraphs."""
    node = step.node_of(task)
    index = None if node is None else _index(step.row.ns, node, task, asked.id)
    here = (node or "?",)
    if index is not None:
        return _Place(here, task, index, is_sure=True)
    inside = [other for other in step.tasks if _is_inside(other, task) and _has(other, asked.id)]
    if inside:
        # Without paths the two cannot be told apart; the entrypoint has the answers to its own questions too.
        leaf = inside[0] if task.path else min((task, *inside), key=lambda one: len(one.answers))
        return _Place(here, leaf, None, is_sure=True)
    namespaces = _below(conn, step, node, task)
    for below in namespaces:
        if (found := _deeper(conn, db, step.thread_id, below, asked.id, is_live=is_live)) is not None:
            return found
    for below in namespaces if is_live else ():
        if (found := _deeper(conn, db, step.thread_id, below, asked.id, is_live=False)) is not None:
            return replace(found, is_past=True)
    is_sure = node in (None, START) or task.is_handler or asked.id == PLACEHOLDER
    return _Place(here, task, None, is_sure)


def _index(ns: str, node: str, task: Task, asked: str) -> int | None:
    """Tell the how-manieth question of a task an id stands for; None if it is none of its own."""
    where = f"{ns}|{node}:{task.id}" if ns else f"{node}:{task.id}"
    for answered in range(len(task.answers) + _QUESTIONS_TRIED):
        if interrupt_id(where, answered) == asked:
            return answered
    return None


def _is_inside(other: Task, task: Task) -> bool:
    return other.id != task.id and (other.is_inside or not other.path)


def _has(task: Task, asked: str) -> bool:
    return any(one.id == asked for one in task.asked)


def _below(conn: sqlite3.Connection, step: Step, node: str | None, task: Task) -> list[str]:
    """List the namespaces of a task's subgraphs, the deepest first; some keep one for all tasks of a node."""
    own = [
        ns
        for ns in checkpoints.namespaces(conn, step.thread_id)
        if (first := ns.partition("|")[0]) and (first == node or first.endswith(f":{task.id}"))
    ]
    return sorted(own, key=lambda ns: ns.count("|"), reverse=True)


def _deeper(
    conn: sqlite3.Connection, db: Database, thread_id: str, ns: str, asked: str, *, is_live: bool
) -> _Place | None:
    """Find a question in one namespace; at the head only in its newest checkpoint."""
    for checkpoint_id in _asking(conn, thread_id, ns, is_live=is_live):
        row = checkpoints.get(conn, thread_id, ns, checkpoint_id)
        if row is None:
            continue
        step = Step(conn, db, thread_id, row)
        asking = [task for task in step.tasks if _has(task, asked)]
        asking.sort(key=lambda task: not task.is_inside)
        for task in asking:
            outer = next((one for one in asking if not one.is_inside), task)
            node = step.node_of(outer)
            index = None if node is None or task.is_inside else _index(ns, node, task, asked)
            return _Place((*_names(ns), node or "?"), task, index, is_sure=True, is_past=outer.is_finished)
    return None


def _asking(conn: sqlite3.Connection, thread_id: str, ns: str, *, is_live: bool) -> Iterator[str]:
    """Give the checkpoints of a namespace at which something was asked, newest first."""
    if is_live:
        found = checkpoints.head(conn, thread_id, ns)
        if found is not None:
            yield found.checkpoint_id
        return
    rows = conn.execute(
        "SELECT DISTINCT checkpoint_id FROM writes WHERE thread_id = ? AND checkpoint_ns = ? AND channel = ?"
        " ORDER BY checkpoint_id DESC LIMIT ?",
        (thread_id, ns, INTERRUPT, _ROWS_TRIED),
    ).fetchall()
    yield from (checkpoint_id for (checkpoint_id,) in rows)


def _names(ns: str) -> tuple[str, ...]:
    """Name the nodes of a namespace: `release:id|sign:id` is release, sign; bare numbers only count calls."""
    parts = (part.rpartition(":")[0] or part for part in ns.split("|"))
    return tuple(part for part in parts if not part.isdecimal())
