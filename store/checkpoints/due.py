"""Which nodes a checkpoint says are to run next, read from its channels without the graph."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import chain, combinations
from typing import Any, Final

import xxhash

from ..values.raw import Ext, Value

SENDS: Final = "__pregel_tasks"
START: Final = "__start__"
PULL: Final = "__pregel_pull"
PUSH: Final = "__pregel_push"
_TRIGGERS_TRIED: Final = 6
"""A node with more known triggers than this is looked for with all of them, or with one."""


@dataclass(frozen=True, slots=True)
class Due:
    """One task that the checkpoint calls for."""

    node: str
    path: str
    """How its writes name it: the beginning of their `task_path`."""
    task_ids: frozenset[str]
    """The ids it can have, for files that keep no `task_path`."""


def section(body: Value, name: str) -> dict[Any, Value]:
    """Give one part of a decoded checkpoint, such as `channel_values`; empty where it cannot be read."""
    found = body.get(name) if isinstance(body, dict) else None
    return found if isinstance(found, dict) else {}


def sends(body: Value) -> list[tuple[str, Value]]:
    """List the Sends that wait in a checkpoint: node and argument; old files keep them apart."""
    found = section(body, "channel_values").get(SENDS)
    if not found and isinstance(body, dict):
        found = body.get("pending_sends")
    if not isinstance(found, list):
        return []
    return [
        (str(send.fields[0]), send.fields[1])
        for send in found
        if isinstance(send, Ext) and isinstance(send.fields, list) and len(send.fields) >= 2
    ]


def due_tasks(
    body: Value, checkpoint_id: str, ns: str, step: int, *, has_paths: bool = False
) -> tuple[Due, ...]:
    """List the tasks of the step after a checkpoint, finished or not.

    Args:
        body: the decoded checkpoint.
        checkpoint_id: its id.
        ns: its namespace, "" for the graph itself.
        step: the step that follows, one more than the checkpoint's own.
        has_paths: the file names each task's path, so that ids need not be made.
    """
    pushed = [(node, f"~{PUSH}, {place:010d}") for place, (node, _) in enumerate(sends(body))]
    pulled = [(node, f"~{PULL}, {node}") for node in dict.fromkeys(_triggered(body))]
    if has_paths:
        return tuple(Due(node, path, frozenset()) for node, path in (*pushed, *pulled))
    make_id = _TaskIds(body, checkpoint_id, ns, step)
    triggers = _known_triggers(body)
    found = [
        Due(node, path, frozenset({make_id(node, PUSH, str(place))}))
        for place, (node, path) in enumerate(pushed)
    ]
    for node, path in pulled:
        known = {*triggers.get(node, []), *([f"branch:to:{node}"] if node != START else [])}
        found.append(Due(node, path, frozenset(make_id(node, PULL, *some) for some in _choices(known))))
    return tuple(found)


def unnamed(body: Value) -> tuple[str, ...]:
    """List the nodes that have run last in a file of LangGraph before 0.4, which names no successor."""
    if not isinstance(body, dict) or not isinstance(body.get("v"), int) or body["v"] >= 3:
        return ()
    nodes = section(body, "versions_seen")
    return tuple(name for name in section(body, "channel_values") if name in nodes and name != START)


def target(channel: str) -> str | None:
    """Name the node that a channel triggers; None for a channel of the state."""
    kind, _, rest = channel.partition(":")
    if kind in ("branch", "start", "join") and rest:
        return rest.rpartition(":")[2] if kind != "start" else rest
    return START if channel == START else None


def _triggered(body: Value) -> Iterator[str]:
    """Name the nodes whose trigger is set and newer than what the node has seen."""
    versions, seen = section(body, "channel_versions"), section(body, "versions_seen")
    for channel, value in section(body, "channel_values").items():
        node = target(channel) if isinstance(channel, str) else None
        if node is None or not _is_available(channel, value):
            continue
        before = seen.get(node)
        if not isinstance(before, dict) or _is_newer(versions.get(channel), before.get(channel)):
            yield node


def _is_available(channel: str, value: Value) -> bool:
    """Whether a trigger is complete: a join has all its nodes, a deferred node the end of the others."""
    if isinstance(value, list) and len(value) == 2 and isinstance(value[1], bool):
        value, is_finished = value
        if not is_finished:
            return False
    if not channel.startswith("join:"):
        return True
    names = value.fields if isinstance(value, Ext) else value
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return False
    wanted = channel[len("join:") :].rpartition(":")[0]
    return sorted(wanted.split("+")) == sorted("+".join(names).split("+"))


def _is_newer(version: Value, seen: Value) -> bool:
    if version is None or seen is None:
        return version is not None
    try:
        return bool(version > seen)
    except TypeError:
        return True


def _known_triggers(body: Value) -> dict[str, list[str]]:
    """List the channels that are known to trigger each node."""
    found: dict[str, list[str]] = {}
    for channel in section(body, "channel_versions"):
        node = target(channel) if isinstance(channel, str) else None
        if node is not None:
            found.setdefault(node, []).append(channel)
    return found


def _choices(triggers: Collection[str]) -> Iterator[tuple[str, ...]]:
    """Choose what a task's id may have been made from: a graph can have triggers that were never used."""
    if len(triggers) > _TRIGGERS_TRIED:
        yield tuple(sorted(triggers))
        yield from ((one,) for one in triggers)
        return
    some = sorted(triggers)
    yield from chain.from_iterable(combinations(some, size) for size in range(1, len(some) + 1))


class _TaskIds:
    """LangGraph's recipe of a task id."""

    def __init__(self, body: Value, checkpoint_id: str, ns: str, step: int) -> None:
        version = body.get("v") if isinstance(body, dict) else None
        self._is_sha = version == 1
        try:
            self._seed = bytes.fromhex(checkpoint_id.replace("-", ""))
        except ValueError:
            self._seed = b""
        self._ns = ns
        self._step = str(step)

    def __call__(self, node: str, kind: str, *triggers: str) -> str:
        """Make the id of a task of a node."""
        where = f"{self._ns}|{node}" if self._ns else node
        text = "".join((where, self._step, node, kind, *triggers)).encode("utf-8", "surrogatepass")
        if self._is_sha:
            digits = hashlib.sha1(self._seed + text, usedforsecurity=False).hexdigest()
        else:
            digits = xxhash.xxh3_128_hexdigest(self._seed + text)
        return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:32]}"
