"""What a checkpoint is labelled with: the plain fields of its metadata, the id of a user for one."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping

from .rows import metadata_of

Labels = Mapping[str, str]
"""By name, the text of each plain value."""


def labels(conn: sqlite3.Connection, heads: Iterable[tuple[str, str]]) -> Iterator[tuple[str, Labels]]:
    """Yield checkpoint id and labels of root checkpoints; those that are gone are left out.

    Each costs a row of its own, so this is for the few that are shown, or for when somebody asks by one.

    Args:
        conn: A connection.
        heads: Thread ids and checkpoint ids.
    """
    sql = "SELECT metadata FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = '' AND checkpoint_id = ?"
    for thread_id, checkpoint_id in heads:
        row = conn.execute(sql, (thread_id, checkpoint_id)).fetchone()
        if row is not None:
            yield checkpoint_id, _plain(metadata_of(row[0]))


def _plain(metadata: Mapping[str, object]) -> Labels:
    return {name: _text(value) for name, value in metadata.items() if isinstance(value, str | int | float)}


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
