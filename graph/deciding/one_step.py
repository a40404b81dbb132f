"""The nodes of the step that a thread stands before, also those that have run already."""

from __future__ import annotations

from agent_lab_tui.store.checkpoints import rows as checkpoints
from agent_lab_tui.store.checkpoints.steps import Step
from agent_lab_tui.store.files import Database

from ..reading.threads import Thread


def nodes_of_step(database: Database, thread: Thread) -> tuple[str, ...]:
    """Return the names of all nodes of a thread's step, each once.

    A thread's own `next` leaves out those that have stored a result, which an edit would drop as well.
    """
    with database.reading() as conn:
        row = checkpoints.get(conn, thread.thread_id, "", thread.checkpoint_id)
        names = Step(conn, database, thread.thread_id, row).names(is_live=False) if row is not None else ()
    return tuple(dict.fromkeys((*thread.next, *names)))
