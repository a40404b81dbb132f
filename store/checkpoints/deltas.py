"""Values that a checkpoint does not hold because it keeps only what changed, put together from its ancestors.

LangGraph's `DeltaChannel` stores a snapshot now and then and the writes in between; the
channel's own reducer, which is code of the graph, makes the value of them. Without
the graph the usual meaning is taken: lists grow, messages replace by id, dicts merge.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ..files import Database
from ..values.raw import SNAPSHOT, Ext, Value
from .rows import WriteRow, ancestors, body, writes

FARTHEST = 10_000
"""Ancestors that are looked at; LangGraph makes a snapshot every 5,000 steps at the latest."""


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """A value put together from a snapshot and the writes after it."""

    value: Value
    writes: int
    """How many writes were added to the snapshot; with none the value is exact."""


def rebuilt(
    connection: sqlite3.Connection,
    db: Database,
    thread_id: str,
    checkpoint_id: str,
    ns: str = "",
    own: Value = None,
) -> dict[str, Rebuilt]:
    """Return the values of a checkpoint's delta channels, by channel; empty where there are none.

    Args:
        own: Its body, where that was decoded already.
    """
    chain = ancestors(connection, thread_id, checkpoint_id, 1, ns)
    own = body(connection, thread_id, ns, checkpoint_id) if own is None else own
    if not chain or not isinstance(own, dict):
        return {}
    held = _mapping(own.get("channel_values"))
    found = {
        name: Rebuilt(value.data, 0)
        for name, value in held.items()
        if isinstance(value, Ext) and value.code == SNAPSHOT
    }
    counters = _mapping(chain[0].metadata.get("counters_since_delta_snapshot"))
    missing = {
        name for name in counters if name not in held and name in _mapping(own.get("channel_versions"))
    }
    return found | (_walk(connection, db, thread_id, checkpoint_id, ns, missing) if missing else {})


def _walk(
    connection: sqlite3.Connection,
    db: Database,
    thread_id: str,
    checkpoint_id: str,
    ns: str,
    missing: set[str],
) -> dict[str, Rebuilt]:
    """Go up from a checkpoint to the nearest stored value of each channel, collecting the writes after it."""
    seeds: dict[str, Value] = {}
    later: dict[str, list[Value]] = {name: [] for name in missing}
    for ancestor in ancestors(connection, thread_id, checkpoint_id, FARTHEST, ns)[1:]:
        open_ = missing - seeds.keys()
        if not open_:
            break
        step = sorted(
            (
                write
                for write in writes(connection, db, thread_id, ns, ancestor.checkpoint_id)
                if write.channel in open_
            ),
            key=_in_order,
            reverse=True,
        )
        for write in step:
            later[write.channel].append(write.decoded)
        held = _mapping(
            _mapping(body(connection, thread_id, ns, ancestor.checkpoint_id)).get("channel_values")
        )
        seeds.update({name: held[name] for name in open_ if name in held})
    return {
        name: Rebuilt(_folded(_unwrapped(seeds.get(name)), reversed(later[name])), len(later[name]))
        for name in missing
    }


def _in_order(write: WriteRow) -> tuple[str, str, int]:
    return write.task_path, write.task_id, write.idx


def _mapping(value: Value) -> Mapping[str, Value]:
    return value if isinstance(value, dict) else {}


def _unwrapped(value: Value) -> Value:
    return value.data if isinstance(value, Ext) and value.code == SNAPSHOT else value


def _folded(base: Value, added: Iterable[Value]) -> Value:
    for write in added:
        if isinstance(write, Ext) and write.name == "Overwrite":
            base = next(iter(write.fields.values()), None) if isinstance(write.fields, dict) else write.fields
        elif isinstance(write, dict) and (base is None or isinstance(base, dict)):
            merged = {**(base or {}), **write}
            base = {key: value for key, value in merged.items() if value is not None or key not in write}
        elif base is None or isinstance(base, list):
            base = _appended(list(base or []), write if isinstance(write, list) else [write])
        else:
            base = write
    return base


def _appended(base: list[Value], added: list[Value]) -> list[Value]:
    """Append elements; one with the id of an element that is there takes its place, or removes it."""
    for element in added:
        own = _id(element)
        place = next((index for index, there in enumerate(base) if own and _id(there) == own), None)
        if isinstance(element, Ext) and element.name == "RemoveMessage":
            base = [there for there in base if _id(there) != own] if own != "__remove_all__" else []
        elif place is not None:
            base[place] = element
        else:
            base.append(element)
    return base


def _id(element: Value) -> str | None:
    fields = element.fields if isinstance(element, Ext) else element
    own = fields.get("id") if isinstance(fields, dict) else None
    return own if isinstance(own, str) else None
