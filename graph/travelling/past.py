"""A thread's past from its rows: pages of the timeline, and single checkpoints opened."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from agent_lab_tui.store.checkpoints import history
from agent_lab_tui.store.checkpoints import rows as checkpoints
from agent_lab_tui.store.checkpoints.deltas import rebuilt
from agent_lab_tui.store.checkpoints.due import section
from agent_lab_tui.store.checkpoints.history import PastRow, Stem, TaskMark, written
from agent_lab_tui.store.checkpoints.ids import time_of
from agent_lab_tui.store.checkpoints.steps import Step
from agent_lab_tui.store.checkpoints.versions import rewritten
from agent_lab_tui.store.values import to_json

from ..questions import Value
from ..reading.state_values import is_state, state_values
from ..reading.threads import NoSuchCheckpoint, NoSuchThread
from .timeline import Asked, Checkpoint, Timeline

if TYPE_CHECKING:
    from agent_lab_tui.store.files import Connection, Database
    from agent_lab_tui.store.journal.book import Decision, Journal

PAGE = 50
"""Checkpoints read at once when nobody says how many."""


@dataclass(frozen=True)
class Opened:
    """One checkpoint with its state."""

    checkpoint: Checkpoint
    """With its next nodes and questions."""
    values: Value
    """The state by key, raw; one value for graphs whose state has no keys."""
    subgraphs: tuple[tuple[str, str], ...] = ()
    """(node, namespace) of the subgraphs that ran in its step and kept checkpoints of their own."""
    warnings: tuple[str, ...] = ()
    """What is odd about the values: unreadable, or put together without the graph's own reducer."""
    versions: Mapping[str, Value] = field(default_factory=dict)
    """The version of every channel; SQLite's end in a random number, so equal ones mean equal values."""


class Past:
    """Reads the past of the threads of one database; needs no graph."""

    def __init__(self, database: Database, journal: Journal | None = None) -> None:
        self._database = database
        self._journal = journal

    def page(
        self,
        thread_id: str,
        limit: int = PAGE,
        before: str | None = None,
        ns: str = "",
        *,
        is_exact: bool = False,
    ) -> Timeline:
        """Return the newest checkpoints of a thread, or those older than `before`.

        Args:
            limit: At most so many checkpoints.
            is_exact: Also read each body: next nodes, time stamps, the questions' values. Costs a decoded
                state for every checkpoint.

        Raises:
            NoSuchThread: The thread has no checkpoint at all.
        """
        with self._database.reading() as connection:
            ids = history.ids_before(connection, thread_id, limit + 1, before, ns)
            if not ids and history.head_id(connection, thread_id, ns) is None:
                raise NoSuchThread(f"There is no thread {thread_id!r} in {self._database.path}.")
            found = self._read(connection, thread_id, ids[:limit], ns, is_exact=is_exact)
        return Timeline(thread_id, tuple(found), ns, is_complete=len(ids) <= limit)

    def some(self, thread_id: str, ids: Sequence[str], ns: str = "") -> tuple[Checkpoint, ...]:
        """Return some checkpoints in the given order, without their bodies."""
        with self._database.reading() as connection:
            return tuple(self._read(connection, thread_id, ids, ns))

    def stems(self, thread_id: str, ns: str = "") -> tuple[Stem, ...]:
        """Return the whole tree of a thread, newest first, as nothing but places and marks."""
        with self._database.reading() as connection:
            return tuple(history.stems(connection, thread_id, ns))

    def inside(self, thread_id: str, word: str) -> str:
        """Return the namespace of the subgraph that a word names: itself, its node, or `outer > inner`.

        Of several runs of a node the newest is meant.

        Raises:
            NoSuchCheckpoint: No subgraph of the thread is called so.
        """
        with self._database.reading() as connection:
            found = [one for one in checkpoints.namespaces(connection, thread_id) if one]
            heads = {one: history.head_id(connection, thread_id, one) or "" for one in found}
        paths = {one: [part.partition(":")[0] for part in one.split("|")] for one in found}
        named = [one for one in found if word in (one, paths[one][-1], " > ".join(paths[one]))]
        if not named:
            inner = ", ".join(sorted({" > ".join(path) for path in paths.values()})) or "none"
            raise NoSuchCheckpoint(
                f"Thread {thread_id!r} has no subgraph {word!r} with checkpoints: {inner}."
            )
        return max(named, key=lambda one: heads[one])

    def head(self, thread_id: str) -> str | None:
        """Return the newest checkpoint of a thread; None when there is no such thread."""
        with self._database.reading() as connection:
            return history.head_id(connection, thread_id)

    def rewritten(self, thread_id: str, own: str, parent: str | None) -> tuple[str, ...]:
        """Return the state keys whose value an edit wrote, told by their versions."""
        with self._database.reading() as connection:
            changed = rewritten(connection, thread_id, own, parent)
        return tuple(key for key in changed if is_state(key))

    def with_decisions(self, thread_id: str, found: Iterable[Checkpoint]) -> tuple[Checkpoint, ...]:
        """Return checkpoints with what the journal says was decided on them."""
        decided = self._decided(thread_id)
        return tuple(
            replace(checkpoint, decisions=tuple(decided.get(checkpoint.checkpoint_id, ())))
            for checkpoint in found
        )

    def asking_nodes(self, thread_id: str) -> frozenset[str]:
        """Return the nodes of a thread that asked a question at any of its newest checkpoints."""
        with self._database.reading() as connection:
            return history.asking_nodes(connection, self._database, thread_id)

    def asked(self, thread_id: str, ids: Sequence[str]) -> tuple[Checkpoint, ...]:
        """Return some checkpoints in the given order, with next nodes and questions."""
        with self._database.reading() as connection:
            return tuple(self._read(connection, thread_id, ids, "", is_exact=True))

    def answers(self, thread_id: str, ids: Iterable[str]) -> dict[str, Value]:
        """Return by question id the raw answers that a thread keeps at some checkpoints."""
        found: dict[str, Value] = {}
        with self._database.reading() as connection:
            for checkpoint_id in ids:
                row = checkpoints.get(connection, thread_id, "", checkpoint_id)
                if row is not None:
                    found |= _answers(Step(connection, self._database, thread_id, row))
        return found

    def opened(self, thread_id: str, checkpoint_id: str, ns: str = "") -> Opened:
        """Return one checkpoint with its state.

        Raises:
            NoSuchCheckpoint: It is not there.
        """
        with self._database.reading() as connection:
            row = checkpoints.get(connection, thread_id, ns, checkpoint_id)
            if row is None:
                raise NoSuchCheckpoint(f"Thread {thread_id!r} has no checkpoint {checkpoint_id!r}.")
            step = Step(connection, self._database, thread_id, row)
            (found,) = self._read(connection, thread_id, [checkpoint_id], ns)
            found = _exact(found, step)
            deltas = rebuilt(connection, self._database, thread_id, checkpoint_id, ns, step.body)
            inner = history.subgraphs(connection, thread_id, checkpoint_id, _task_ids(step), ns)
        state = state_values(step.body, deltas)
        versions = section(step.body, "channel_versions")
        return Opened(found, state.values, inner, (*state.warnings, *state.notes), versions)

    def _read(
        self,
        connection: Connection,
        thread_id: str,
        ids: Sequence[str],
        ns: str,
        *,
        is_exact: bool = False,
    ) -> list[Checkpoint]:
        head = history.head_id(connection, thread_id, ns)
        rows = history.past(connection, self._database, thread_id, ids, ns)
        found = [_checkpoint(row, is_head=row.checkpoint_id == head) for row in rows]
        if is_exact:
            found = [self._opened(connection, thread_id, ns, one) for one in found]
        return found if ns else list(self.with_decisions(thread_id, found))

    def _opened(self, connection: Connection, thread_id: str, ns: str, checkpoint: Checkpoint) -> Checkpoint:
        row = checkpoints.get(connection, thread_id, ns, checkpoint.checkpoint_id)
        return _exact(checkpoint, Step(connection, self._database, thread_id, row)) if row else checkpoint

    def _decided(self, thread_id: str) -> Mapping[str, Sequence[Decision]]:
        """Gather by checkpoint what the journal says was decided there."""
        found: dict[str, list[Decision]] = {}
        for decision in self._journal.of_thread(thread_id) if self._journal else ():
            found.setdefault(decision.order.checkpoint_id, []).append(decision)
        return found


def _checkpoint(row: PastRow, *, is_head: bool) -> Checkpoint:
    given = [task for task in row.tasks if task.node == "__start__"] if row.source == "input" else []
    return Checkpoint(
        checkpoint_id=row.checkpoint_id,
        parent_id=row.parent_id,
        step=row.step,
        source=row.source,
        at=time_of(row.checkpoint_id),
        is_head=is_head,
        ran=tuple(sorted(task.node for task in row.made_by)),
        changed=written(given or row.made_by) or row.rewritten,
        asks=_nodes(task for task in row.tasks if task.has_asked),
        waits=_nodes(task for task in row.tasks if task.has_asked and not task.is_finished),
        errors=tuple(_error_text(task.error) for task in row.tasks if task.error is not None),
        metadata=row.metadata,
    )


def _exact(checkpoint: Checkpoint, step: Step) -> Checkpoint:
    """Add what only the body of a checkpoint tells."""
    stamp = step.body.get("ts") if isinstance(step.body, dict) else None
    asking = [task for task in step.tasks if not (task.is_inside or task.is_handler)]
    questions = [
        Asked(asked.id, step.node_of(task) or "?", asked.value, task.is_finished)
        for task in sorted(asking, key=lambda task: (step.node_of(task) or "?", task.id))
        for asked in task.asked
    ]
    return replace(
        checkpoint,
        created_at=stamp if isinstance(stamp, str) else None,
        next=tuple(sorted(step.names(is_live=False))),
        questions=tuple(questions),
    )


def _answers(step: Step) -> dict[str, Value]:
    """Return the last answer of every task, under the last question that it asked."""
    return {asked.id: task.answers[-1] for task in step.tasks if task.answers for asked in task.asked}


def _task_ids(step: Step) -> Iterator[tuple[str, str]]:
    """Yield the node and id of every task of a step, also of one killed before it stored anything."""
    for due in step.due:
        yield from ((due.node, task_id) for task_id in due.task_ids)
    for task in step.tasks:
        if (node := step.node_of(task)) is not None:
            yield node, task.id


def _nodes(tasks: Iterable[TaskMark]) -> tuple[str, ...]:
    return tuple(sorted(task.node for task in tasks))


def _error_text(error: Value) -> str:
    return error if isinstance(error, str) else str(to_json(error))
