"""Which node a task belongs to, from its path or its id; a state is decoded only when both leave it open."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from typing import Final

from xxhash import xxh3_128_hexdigest

from ..values import Ext, Value, decode
from .ids import step_of
from .versions import versions

_PULL: Final = "~__pregel_pull, "
_PUSH: Final = "~__pregel_push, "
_NULL: Final = "00000000-0000-0000-0000-000000000000"
_SENDS: Final = 64
"""Without a path, a task is tried as one of so many `Send`s of its step."""


class TaskNames:
    """Names the tasks of one namespace of a thread, remembering the nodes it met.

    A `Send` keeps only its position in its path. LangGraph hashes the node's name
    into the task's id, though, so a name that was met elsewhere can be tried.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        thread_id: str,
        ns: str = "",
        steps: Mapping[str, int] | None = None,
    ) -> None:
        """Begin with no names.

        Args:
            steps: By checkpoint id, its step where it is known; else the id tells it modulo 16,384.
        """
        self._connection = connection
        self._key = (thread_id, ns)
        self._steps = steps or {}
        self._known: set[str] = {"__start__"}
        self._read: set[str] = set()
        """The checkpoints whose nodes are among the known ones already."""

    def node(self, checkpoint_id: str, task_id: str, path: str) -> str | None:
        """Name the node of a task; `?` when nothing tells, None for what is no task of a node.

        No tasks of a node are: input given beside the step, calls inside a
        functional entrypoint, and a node's own error handler.
        """
        if task_id == _NULL or path.startswith(_PUSH + "~") or ", node_error_handler" in path:
            return None
        if path.startswith(_PULL):
            name = path[len(_PULL) :]
            self._known.add(name)
            return name
        if path.startswith("~__interrupt__"):
            return self._by_id(checkpoint_id, task_id) or ""
        sends = (
            range(int(path[len(_PUSH) :].split(",")[0]), -1, -1) if path.startswith(_PUSH) else range(_SENDS)
        )
        return self._by_id(checkpoint_id, task_id, sends) or "?"

    def _by_id(self, checkpoint_id: str, task_id: str, sends: range = range(0)) -> str | None:
        found = self._try(checkpoint_id, task_id, sends)
        if found is None and checkpoint_id not in self._read:
            self._read.add(checkpoint_id)
            self._known.update(self._nodes_of(checkpoint_id))
            found = self._try(checkpoint_id, task_id, sends)
        return found

    def _try(self, checkpoint_id: str, task_id: str, sends: range) -> str | None:
        for name in self._known:
            for guess in self._ids(checkpoint_id, name, sends):
                if guess == task_id.replace("-", ""):
                    return name
        return None

    def _ids(self, checkpoint_id: str, name: str, sends: range) -> Iterator[str]:
        """Yield the ids that tasks of a node have in a checkpoint's step: pulled by its edge, or sent."""
        step, ns = self._steps.get(checkpoint_id, step_of(checkpoint_id)), self._key[1]
        if step is None:
            return
        place = f"{ns}|{name}" if ns else name
        start = bytes.fromhex(checkpoint_id.replace("-", "")) + f"{place}{step + 1}{name}".encode()
        trigger = name if name == "__start__" else f"branch:to:{name}"
        yield xxh3_128_hexdigest(start + f"__pregel_pull{trigger}".encode())
        for position in sends:
            yield xxh3_128_hexdigest(start + f"__pregel_push{position}".encode())

    def _nodes_of(self, checkpoint_id: str) -> Iterator[str]:
        """Yield the nodes that a checkpoint's own body names: by its versions, and by its sends."""
        thread_id, ns = self._key
        for channel in versions(self._connection, thread_id, checkpoint_id, ns):
            if channel.startswith("branch:to:"):
                yield channel.removeprefix("branch:to:")
        row = self._connection.execute(
            "SELECT type, checkpoint FROM checkpoints"
            " WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ?",
            (thread_id, ns, checkpoint_id),
        ).fetchone()
        body = decode(*row) if row else None
        values = body.get("channel_values") if isinstance(body, dict) else None
        sends = values.get("__pregel_tasks") if isinstance(values, dict) else None
        for send in sends if isinstance(sends, list) else ():
            name = _target(send)
            if name:
                yield name


def _target(send: Value) -> str | None:
    """Return the node that a `Send` goes to."""
    parts = send.fields if isinstance(send, Ext) else None
    return parts[0] if isinstance(parts, list) and parts and isinstance(parts[0], str) else None
