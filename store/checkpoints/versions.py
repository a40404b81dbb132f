"""Which channels a checkpoint rewrote, from the tails of two blobs, without reading the state in them."""

from __future__ import annotations

import sqlite3
from typing import Any, Final

from ..values import decode

TAIL: Final = 65_536
"""Bytes at the end of a blob in which the versions are looked for; the state stands before them."""

_MARK: Final = b"\xb0channel_versions"


def versions(
    connection: sqlite3.Connection, thread_id: str, checkpoint_id: str, ns: str = ""
) -> dict[str, Any]:
    """Return the version of every channel of a checkpoint; empty when there is no such checkpoint."""
    key = (thread_id, ns, checkpoint_id)
    row = connection.execute(
        "SELECT type, substr(checkpoint, -?) FROM checkpoints"
        " WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ?",
        (TAIL, *key),
    ).fetchone()
    found = _from_tail(row[1]) if row and row[0] == "msgpack" and isinstance(row[1], bytes) else None
    if row is None or found is not None:
        return found or {}
    row = connection.execute(
        "SELECT type, checkpoint FROM checkpoints"
        " WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ?",
        key,
    ).fetchone()
    body = decode(*row)
    whole = body.get("channel_versions") if isinstance(body, dict) else None
    return whole if isinstance(whole, dict) else {}


def rewritten(
    connection: sqlite3.Connection, thread_id: str, checkpoint_id: str, parent_id: str | None, ns: str = ""
) -> tuple[str, ...]:
    """Return the channels whose version a checkpoint does not share with its parent, sorted.

    A version ends in a random number, so equal ones mean that nothing was written.
    """
    mine = versions(connection, thread_id, checkpoint_id, ns)
    theirs = versions(connection, thread_id, parent_id, ns) if parent_id else {}
    return tuple(sorted(channel for channel in mine if mine[channel] != theirs.get(channel)))


def _from_tail(tail: bytes) -> dict[str, Any] | None:
    """Read the versions' map where it stands in a tail; None when it is not whole, or of another form."""
    start = tail.rfind(_MARK)
    if start < 0:
        return None
    try:
        return _read_map(tail, start + len(_MARK))
    except (IndexError, UnicodeDecodeError, ValueError):
        return None


def _read_map(data: bytes, at: int) -> dict[str, Any]:
    kind = data[at]
    if kind & 0xF0 == 0x80:
        count, at = kind & 0x0F, at + 1
    elif kind == 0xDE:
        count, at = int.from_bytes(data[at + 1 : at + 3], "big"), at + 3
    else:
        raise ValueError(f"no map begins with {kind:#x}")
    found = {}
    for _ in range(count):
        name, at = _read_text(data, at)
        found[name], at = _read_text(data, at)
    return found


def _read_text(data: bytes, at: int) -> tuple[str, int]:
    kind = data[at]
    if kind & 0xE0 == 0xA0:
        size, at = kind & 0x1F, at + 1
    elif kind == 0xD9:
        size, at = data[at + 1], at + 2
    else:
        raise ValueError(f"no text begins with {kind:#x}")
    if at + size > len(data):
        raise ValueError("the text is cut")
    return data[at : at + size].decode("utf-8"), at + size
