"""The thread index: pages and counts by SQL alone, no state decoded."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from operator import attrgetter
from typing import Final, NamedTuple

from ..files import Database
from .ids import step_of, time_of
from .watch import Changes, Watch

__all__ = ["Changes", "ThreadRow", "Watch", "every", "few", "newest", "one", "page"]

_FIRST_TAILS: Final = (600, 6_000)
"""Rows looked at from the end of the table before every thread is asked for its newest checkpoint."""

_FINISHED = """EXISTS (
        SELECT 1 FROM writes o
        WHERE o.thread_id = w.thread_id AND o.checkpoint_ns = '' AND o.checkpoint_id = w.checkpoint_id
          AND o.task_id = w.task_id AND o.idx >= 0 AND o.channel <> '__error_source_node__')"""
"""LangGraph's own rule: a task is finished if and only if it has an output write."""

_HERE = "w.thread_id = h.thread_id AND w.checkpoint_ns = '' AND w.checkpoint_id = h.latest_id"

_NOT_INSIDE = "AND w.task_path NOT LIKE '~!_!_pregel!_push, ~%' ESCAPE '!'"
"""A `@task` of the functional API is left out: its entrypoint reports the same interrupt."""

_LENGTH = f"""CASE substr(w.value, 1, 1)
        WHEN x'dc' THEN instr(x'{bytes(range(256)).hex()}', substr(w.value, 3, 1)) - 1
        ELSE max(1, instr(x'{bytes(range(0x91, 0xA0)).hex()}', substr(w.value, 1, 1))) END"""
"""How many interrupts a row holds: the length of a msgpack array by its first bytes, modulo 256."""


class ThreadRow(NamedTuple):
    """One thread at its head, the newest root checkpoint; a tuple, because there may be 100,000 of them."""

    thread_id: str
    checkpoint_id: str
    pending_tasks: int
    """Tasks of the head that wait for an answer."""
    questions: int
    """Interrupts of those tasks; a task that runs subgraphs side by side can have several."""
    has_error: bool
    """A task of the head has failed and has not finished since."""

    @property
    def step(self) -> int | None:
        """LangGraph's step of the head, by its id."""
        return step_of(self.checkpoint_id)

    @property
    def updated_at(self) -> float | None:
        """When the head was made, in unix seconds."""
        return time_of(self.checkpoint_id)


def newest(conn: sqlite3.Connection, db: Database, limit: int = 100) -> list[ThreadRow]:
    """List the threads that changed last, newest first, at the same cost for a file of any size."""
    for size in _FIRST_TAILS:
        ids, is_all = _tail(conn, max(size, 6 * limit))
        if is_all or len(ids) >= limit:
            return _newest_first(few(conn, db, ids))[:limit]
    return _newest_first(few(conn, db, _newest_ids(conn, limit)))


def every(conn: sqlite3.Connection, db: Database) -> list[ThreadRow]:
    """List all threads, newest first."""
    return _newest_first(_rows(conn, db, _ALL.format(after="", limit=""), ()))


def page(conn: sqlite3.Connection, db: Database, after: str | None, limit: int) -> list[ThreadRow]:
    """List the threads that come after one by their id, in the order of ids; from the first for None."""
    where = "" if after is None else "WHERE thread_id > ?"
    parameters = (limit,) if after is None else (after, limit)
    return _rows(conn, db, _ALL.format(after=where, limit="LIMIT ?"), parameters)


def one(conn: sqlite3.Connection, db: Database, thread_id: str) -> ThreadRow | None:
    """Look one thread up; None if it has no root checkpoint."""
    return next(iter(few(conn, db, [thread_id])), None)


def few(conn: sqlite3.Connection, db: Database, thread_ids: Iterable[str]) -> list[ThreadRow]:
    """Look some threads up; those that are gone are left out."""
    ids = list(thread_ids)
    found: list[ThreadRow] = []
    for start in range(0, len(ids), 500):
        some = ids[start : start + 500]
        found += _rows(conn, db, _NAMED.format(", ".join("(?)" for _ in some)), some)
    return found


_ALL = """
WITH RECURSIVE t(id) AS (
  SELECT min(thread_id) FROM checkpoints {after}
  UNION ALL
  SELECT (SELECT min(thread_id) FROM checkpoints WHERE thread_id > t.id) FROM t WHERE t.id IS NOT NULL
  {limit}
),"""
"""A recursive query steps from thread to thread through the index, without reading their rows."""

_NAMED = "WITH t(id) AS (VALUES {}),"

_HEADS = """
head AS MATERIALIZED (
  SELECT t.id AS thread_id, (
      SELECT max(checkpoint_id) FROM checkpoints c WHERE c.thread_id = t.id AND c.checkpoint_ns = ''
    ) AS latest_id
  FROM t WHERE t.id IS NOT NULL
)"""


def _rows(conn: sqlite3.Connection, db: Database, threads: str, keys: Iterable[str | int]) -> list[ThreadRow]:
    """Give the heads of the threads that `t` names; each pending task adds 65,536 and its questions."""
    inside = _NOT_INSIDE if db.has_task_path else ""
    sql = f"""{threads}{_HEADS}
SELECT h.thread_id, h.latest_id,
  (SELECT total(65536 + {_LENGTH}) FROM writes w WHERE {_HERE} AND w.idx = -3 {inside} AND NOT {_FINISHED}),
  EXISTS (SELECT 1 FROM writes w WHERE {_HERE} AND w.idx = -1 AND NOT {_FINISHED})
FROM head h WHERE h.latest_id IS NOT NULL"""  # noqa: S608 - made of the constants above alone
    return [
        ThreadRow(thread_id, head, int(pending) >> 16, int(pending) & 0xFFFF, bool(has_error))
        for thread_id, head, pending, has_error in conn.execute(sql, tuple(keys))
    ]


def _newest_first(rows: list[ThreadRow]) -> list[ThreadRow]:
    return sorted(rows, key=attrgetter("checkpoint_id"), reverse=True)


def _tail(conn: sqlite3.Connection, size: int) -> tuple[list[str], bool]:
    """Give the threads of the last rows of the table, and whether that was the whole table."""
    rows = conn.execute(
        "SELECT thread_id, checkpoint_ns FROM checkpoints NOT INDEXED ORDER BY rowid DESC LIMIT ?", (size,)
    ).fetchall()
    return list(dict.fromkeys(thread_id for thread_id, ns in rows if ns == "")), len(rows) < size


def _newest_ids(conn: sqlite3.Connection, limit: int) -> list[str]:
    """Give the threads with the newest heads, found through the index alone."""
    sql = f"""{_ALL.format(after="", limit="")}{_HEADS}
SELECT thread_id FROM head WHERE latest_id IS NOT NULL ORDER BY latest_id DESC LIMIT ?"""  # noqa: S608 - made of the constants above alone
    return [thread_id for (thread_id,) in conn.execute(sql, (limit,))]
