"""Copy the past of a thread into a new thread, row by row as it stands; nothing is decoded."""

from __future__ import annotations

import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from ..files import Database
from ..transactions import writing
from .rows import metadata_field

_BUSY_SECONDS: Final = 5.0

_CHAIN: Final = """
CREATE TEMP TABLE chain AS
WITH RECURSIVE chain(id) AS (
  SELECT :tip
  UNION
  SELECT c.parent_checkpoint_id FROM chain JOIN {origin}.checkpoints c
    ON c.thread_id = :source AND c.checkpoint_ns = '' AND c.checkpoint_id = chain.id
  WHERE c.parent_checkpoint_id IS NOT NULL AND {whole}
)
SELECT '' AS ns, id FROM chain"""

_SCHEMAS: Final = (
    "SELECT sql FROM origin.sqlite_master WHERE type = 'table' AND name IN ('checkpoints', 'writes')"
)

_COUNTERS: Final = "'$.counters_since_delta_snapshot'"
_PARENT: Final = metadata_field("c.metadata", """'$.parents.""'""")

_SUBGRAPHS: Final = f"""
INSERT INTO temp.chain SELECT c.checkpoint_ns, c.checkpoint_id FROM main.checkpoints c
WHERE c.thread_id = :source AND c.checkpoint_ns <> ''
  AND {_PARENT} IN (SELECT id FROM temp.chain WHERE ns = '')
  AND (NOT :is_fresh OR {_PARENT} <> :tip)"""  # noqa: S608 - constants alone


class CannotCopy(Exception):
    """The thread cannot be copied; the message is one sentence that says what to do."""


def copy_thread(db: Database, source: str, tip: str, target: str, *, is_fresh: bool) -> int:
    """Copy a checkpoint with all its ancestors and their subgraphs into a new thread, or nothing at all.

    The copied ids are the same, so the questions of the copy have the ids of the
    original's; the thread is what tells them apart.

    Args:
        tip: The checkpoint that becomes the head of the new thread.
        is_fresh: Leave out what already happened in the tip's own step, so that
            its nodes run again and ask again. Otherwise its questions and
            answers come along as they stand.

    Returns:
        The number of checkpoints copied.

    Raises:
        CannotCopy: The target exists already, the source has no such checkpoint,
            or the database cannot be written.
    """
    if db.is_immutable:
        raise CannotCopy(f"{db.path} can only be read; a new thread needs a database that can be written.")
    given = {"source": source, "tip": tip, "target": target, "is_fresh": is_fresh}
    try:
        with _writing(db.path) as connection:
            _refuse(connection, given)
            connection.execute(_CHAIN.format(origin="main", whole=True), given)
            connection.execute(_SUBGRAPHS, given)
            copied = _copy(connection, "checkpoints", given)
            _copy(connection, "writes", given, "AND NOT (:is_fresh AND t.checkpoint_id = :tip)")
            return copied
    except sqlite3.OperationalError as error:
        raise CannotCopy(f"The thread was not copied, nothing was written: {error}.") from error


@contextmanager
def copy_in_memory(db: Database, thread_id: str, checkpoint_id: str) -> Iterator[str]:
    """Keep one checkpoint of a thread in a database in memory, to try something out on it.

    Its ancestors come along only where it needs them for its values. Subgraphs do not.

    Yields:
        The URI of the copy, for other connections of this process, until the end of the block.

    Raises:
        CannotCopy: There is no such checkpoint, or it cannot be read.
    """
    uri = f"file:trial-{uuid.uuid4().hex}?mode=memory&cache=shared"
    given = {"source": thread_id, "tip": checkpoint_id, "target": thread_id, "is_fresh": False}
    view = "mode=ro&immutable=1" if db.is_immutable else "mode=ro"
    with closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as connection:
        try:
            connection.execute("ATTACH ? AS origin", (f"{db.path.as_uri()}?{view}",))
            _refuse_unknown(connection, "origin", given)
            for (schema,) in connection.execute(_SCHEMAS).fetchall():
                connection.execute(schema)
            connection.execute(
                _CHAIN.format(origin="origin", whole=_needs_ancestors(connection, given)), given
            )
            for table in ("checkpoints", "writes"):
                _copy(connection, table, given, origin="origin")
            connection.execute("DETACH origin")
        except sqlite3.Error as error:
            raise CannotCopy(f"The checkpoint cannot be copied: {error}.") from error
        yield uri


def _needs_ancestors(connection: sqlite3.Connection, given: dict[str, object]) -> bool:
    """Tell whether a checkpoint keeps only what changed since an ancestor."""
    (found,) = connection.execute(
        f"SELECT {metadata_field('metadata', _COUNTERS)} IS NOT NULL"  # noqa: S608 - constants alone
        " FROM origin.checkpoints WHERE thread_id = :source AND checkpoint_ns = '' AND checkpoint_id = :tip",
        given,
    ).fetchone()
    return bool(found)


@contextmanager
def _writing(path: Path) -> Iterator[sqlite3.Connection]:
    """Open one transaction for writing; it is undone when anything is raised."""
    uri = f"{path.as_uri()}?mode=rw"
    opened = sqlite3.connect(uri, uri=True, timeout=_BUSY_SECONDS, isolation_level=None)
    with closing(opened) as connection, writing(connection):
        yield connection


def _refuse(connection: sqlite3.Connection, given: dict[str, object]) -> None:
    if not given["target"]:
        raise CannotCopy("A new thread needs an id that is not empty.")
    for table in ("checkpoints", "writes"):
        query = f"SELECT 1 FROM {table} WHERE thread_id = :target LIMIT 1"  # noqa: S608 - one of two constants
        if connection.execute(query, given).fetchone():
            raise CannotCopy(f"There is a thread {given['target']} already; name one that does not exist.")
    _refuse_unknown(connection, "main", given)


def _refuse_unknown(connection: sqlite3.Connection, origin: str, given: dict[str, object]) -> None:
    query = (
        f"SELECT 1 FROM {origin}.checkpoints"  # noqa: S608 - one of two constants
        " WHERE thread_id = :source AND checkpoint_ns = '' AND checkpoint_id = :tip"
    )
    if not connection.execute(query, given).fetchone():
        raise CannotCopy(f"Thread {given['source']} has no checkpoint {given['tip']}.")


def _copy(
    connection: sqlite3.Connection,
    table: str,
    given: dict[str, object],
    condition: str = "",
    origin: str = "main",
) -> int:
    """Copy the rows of the chain, whatever columns the table has, in the order in which they were written."""
    names = [name for _, name, *_ in connection.execute(f"PRAGMA {origin}.table_info({table})")]
    columns = ", ".join(f'"{name}"' for name in names if name != "thread_id")
    taken = ", ".join(f't."{name}"' for name in names if name != "thread_id")
    cursor = connection.execute(
        f"INSERT INTO main.{table} (thread_id, {columns})"  # noqa: S608 - names from the file's own schema
        f" SELECT :target, {taken} FROM {origin}.{table} t JOIN temp.chain ON t.checkpoint_ns = temp.chain.ns"
        f" AND t.checkpoint_id = temp.chain.id WHERE t.thread_id = :source {condition} ORDER BY t.rowid",
        given,
    )
    return cursor.rowcount
