"""Whether a checkpoint file also holds the tables of the lab."""

from __future__ import annotations

from ..files import Database

_OWN = "SELECT count(*) FROM pragma_table_info('tasks') WHERE name IN ('task_id', 'thread_id', 'agent')"


def has_lab(database: Database) -> bool:
    """Tell whether the lab keeps its tasks in this file; nothing is made in it."""
    with database.reading() as connection:
        return bool(connection.execute(_OWN).fetchone()[0] == 3)
