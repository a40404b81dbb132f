"""The step after a checkpoint: its tasks, as the writes that they have stored so far tell."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import xxhash

from ..files import Database
from ..values.jsonable import to_json
from ..values.raw import Ext, Value
from . import rows as checkpoints
from .due import PULL, PUSH, START, Due, due_tasks, sends
from .rows import CONTROL, ERROR, INTERRUPT, NULL_TASK, RESUME, CheckpointRow, WriteRow

PLACEHOLDER = "placeholder-id"
"""What LangGraph calls an interrupt that it cannot resume by id."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One interrupt as a task has stored it."""

    id: str
    value: Value
    response_schema: Value
    ns: tuple[str, ...]
    """Where it came from, in files of LangGraph before 0.6; empty in newer ones."""


@dataclass(frozen=True, slots=True)
class Task:
    """One task of a step, known by what it has stored."""

    id: str
    path: str
    writes: tuple[WriteRow, ...]

    @property
    def is_finished(self) -> bool:
        """LangGraph's own rule: it has stored an output."""
        return any(write.idx >= 0 and write.channel not in CONTROL for write in self.writes)

    @property
    def is_inside(self) -> bool:
        """A `@task` called by another task, which repeats its interrupt."""
        return self.path.startswith(f"~{PUSH}, ~")

    @property
    def is_handler(self) -> bool:
        """The error handler of a node that failed."""
        return ", node_error_handler" in self.path

    @property
    def output(self) -> tuple[WriteRow, ...]:
        """What it has stored for the state."""
        return tuple(write for write in self.writes if write.idx >= 0 and write.channel not in CONTROL)

    @property
    def error(self) -> str | None:
        """What it has failed with, as text; may be older than its last question."""
        found = next((write for write in self.writes if write.channel == ERROR), None)
        if found is None:
            return None
        value = found.decoded
        return value if isinstance(value, str) else str(to_json(value))

    @property
    def asked(self) -> tuple[Asked, ...]:
        """The interrupts that it raised last, answered or not."""
        found: Value = next((write.decoded for write in self.writes if write.channel == INTERRUPT), [])
        return tuple(_asked(one) for one in (found if isinstance(found, list) else [found]))

    @property
    def answers(self) -> tuple[Value, ...]:
        """The answers stored for it, in the order of its questions."""
        found: Value = next((write.decoded for write in self.writes if write.channel == RESUME), [])
        return tuple(found) if isinstance(found, list) else (found,)


class Step:
    """The step after one checkpoint."""

    def __init__(self, conn: sqlite3.Connection, db: Database, thread_id: str, row: CheckpointRow) -> None:
        """Read the writes of the step.

        Args:
            conn: a reading connection.
            db: the file.
            thread_id: the thread.
            row: the checkpoint before the step.
        """
        self._conn = conn
        self._has_paths = db.has_task_path
        self.row = row
        self.thread_id = thread_id
        by_task: dict[str, list[WriteRow]] = {}
        for write in checkpoints.writes(conn, db, thread_id, row.ns, row.checkpoint_id):
            by_task.setdefault(write.task_id, []).append(write)
        self.sent: tuple[WriteRow, ...] = tuple(by_task.pop(NULL_TASK, ()))
        """What the caller sent to the step without naming a question."""
        tasks = [Task(key, rows[0].task_path, tuple(rows)) for key, rows in by_task.items()]
        self.tasks: tuple[Task, ...] = tuple(sorted(tasks, key=lambda task: (task.path, task.id)))

    @cached_property
    def body(self) -> Value:
        """The checkpoint before the step, decoded."""
        return checkpoints.body(self._conn, self.thread_id, self.row.ns, self.row.checkpoint_id)

    @cached_property
    def due(self) -> tuple[Due, ...]:
        """The tasks that the checkpoint calls for."""
        step = -1 if self.row.step is None else self.row.step
        found = due_tasks(self.body, self.row.checkpoint_id, self.row.ns, step + 1, has_paths=self._has_paths)
        return tuple(self._entrypoint(due) if due.node == START else due for due in found)

    def _entrypoint(self, due: Due) -> Due:
        """Give the entrypoint of the functional API its own name, where what it stored tells it."""
        for task in self.tasks:
            node = self._own_node(task) if not task.is_handler and not self.is_call(task) else None
            if node is not None and not task.path.startswith(f"~{PUSH}"):
                return Due(node, task.path or due.path, frozenset({task.id}))
        return due

    @property
    def unfinished(self) -> tuple[str, ...]:
        """The nodes that have still to run in this step, one for each task: LangGraph's live `next`."""
        return self.names(is_live=True)

    def names(self, *, is_live: bool) -> tuple[str, ...]:
        """Name the nodes of the step, one for each task; live: of those that have not finished."""
        finished = [self._known[task.id] for task in self.tasks if is_live and task.is_finished]
        due = [one for one in self.due if not any(one is done for done in finished)]
        others = [
            node
            for task in self.tasks
            if self._known[task.id] is None
            and not (is_live and task.is_finished)
            and not (task.is_handler or self.is_call(task))
            and (node := self._own_node(task)) is not None
        ]
        return (*(one.node for one in due), *others)

    def node_of(self, task: Task) -> str | None:
        """Name the node that a task runs; None where the file does not tell."""
        known = self._known[task.id]
        return known.node if known is not None else self._own_node(task)

    def is_call(self, task: Task) -> bool:
        """Whether a task is a `@task` called by another, which repeats its interrupt."""
        if task.path or not any(asked.ns for asked in task.asked):
            return task.is_inside
        own = {asked.id for asked in task.asked if asked.ns and asked.ns[-1].endswith(f":{task.id}")}
        return any(own & {asked.id for asked in other.asked} for other in self.tasks if other is not task)

    @cached_property
    def _known(self) -> dict[str, Due | None]:
        """Which task of the checkpoint each stored task is; the surest signs first."""
        free = list(self.due)
        found: dict[str, Due | None] = dict.fromkeys(task.id for task in self.tasks)
        for is_same in (_is_of, self._has_name_of, self._is_only_one_left):
            for task in self.tasks:
                if found[task.id] is None and (
                    due := next((one for one in free if is_same(task, one)), None)
                ):
                    found[task.id] = due
                    free.remove(due)
        return found

    def _has_name_of(self, task: Task, due: Due) -> bool:
        return not task.path and self._own_node(task) == due.node

    def _is_only_one_left(self, task: Task, due: Due) -> bool:
        """Without a path or a fitting id: it waits or has failed, and one kind of node alone is due."""
        is_open = not task.is_finished and (bool(task.asked) or task.error is not None)
        return not task.path and is_open and {one.node for one in self.due} == {due.node}

    def _own_node(self, task: Task) -> str | None:
        """Name the node by what the task itself has stored."""
        if task.path.startswith(f"~{PULL}, "):
            return task.path[len(PULL) + 3 :].partition(", node_error_handler")[0]
        if task.path.startswith(f"~{PUSH}, ") and not task.is_inside:
            place = task.path[len(PUSH) + 3 :].partition(",")[0]
            waiting = sends(self.body)
            return waiting[int(place)][0] if place.isdecimal() and int(place) < len(waiting) else None
        depth = len([part for part in self.row.ns.split("|") if ":" in part])
        for asked in task.asked:
            node, _, task_id = asked.ns[depth].rpartition(":") if depth < len(asked.ns) else ("", "", "")
            if task_id == task.id:
                return node
        return None


def interrupt_id(ns: str, answered: int) -> str:
    """Make the id of a question as LangGraph does.

    Args:
        ns: the namespace of its task, `node:task id`, below those of the graphs around it.
        answered: how many questions of the same task had been answered before.
    """
    return xxhash.xxh3_128_hexdigest(
        (f"{ns}|{answered}" if answered else ns).encode("utf-8", "surrogatepass")
    )


def _asked(raw: Value) -> Asked:
    """Take an interrupt apart; ids of files before LangGraph 0.6 follow from where it came from."""
    fields = raw.fields if isinstance(raw, Ext) else None
    if not isinstance(fields, dict):
        return Asked(PLACEHOLDER, raw, None, ())
    ns = fields.get("ns")
    came_from: Sequence[Value] = ns if isinstance(ns, list) else ()
    path = tuple(part for part in came_from if isinstance(part, str))
    found = fields.get("id")
    if not isinstance(found, str):
        found = interrupt_id("|".join(path), 0) if path else PLACEHOLDER
    return Asked(found, fields.get("value"), fields.get("response_schema"), path)


def _is_of(task: Task, due: Due) -> bool:
    if not task.path:
        return task.id in due.task_ids
    if task.path.startswith(f"~{PUSH}, "):
        return task.path.startswith(due.path)
    return task.path == due.path
