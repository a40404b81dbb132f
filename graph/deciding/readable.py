"""Refuse to decide about a thread whose state cannot be read: the checks before sending would see nothing."""

from __future__ import annotations

from agent_lab_tui.store.checkpoints import rows as checkpoints
from agent_lab_tui.store.cipher import REMEDY
from agent_lab_tui.store.files import Database
from agent_lab_tui.store.values.raw import Unreadable

from ..questions import Refused


def demand_readable(database: Database, thread_id: str) -> None:
    """Look at the head of a thread.

    Raises:
        Refused: It cannot be read; the sentence says why, and what to do where it is encrypted.
    """
    with database.reading() as conn:
        head = checkpoints.head(conn, thread_id)
        body = None if head is None else checkpoints.body(conn, thread_id, head.ns, head.checkpoint_id)
    if not isinstance(body, Unreadable):
        return
    remedy = REMEDY if "encrypted" in body.reason else "see `doctor`"
    raise Refused(f"Nothing is decided about what cannot be read ({body.reason}): {remedy}.")
