"""What a host was in the middle of: nodes that began and have not ended, kept in case that it dies."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterable

from agent_lab_tui.store.checkpoints import rows as checkpoints
from agent_lab_tui.store.files import CannotOpen, Database, SqliteError
from agent_lab_tui.store.journal.book import BreakOff, Journal, JournalError, OutOfTurn

from .events import Outcome, Progress


class UnderWay:
    """The runs of one host, by what it tells of them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._begun: dict[str, list[str]] = {}

    def hear(self, event: Progress | Outcome) -> None:
        """Take in that a run started or ended, or a node of it."""
        if isinstance(event, Outcome) or event.kind == "start":
            self._begun[event.thread_id] = []
            return
        begun = self._begun.setdefault(event.thread_id, [])
        if event.kind == "node":
            begun.append(event.node)
        elif event.kind in ("node-done", "asks") and event.node in begun:
            begun.remove(event.node)

    def write_down(self, thread_ids: Iterable[str], how: str, pid: int) -> None:
        """Write into the journal how the runs of a dead host broke off, and in which nodes.

        Args:
            thread_ids: The threads that it was to run; some may be in other hands.
            how: How it ended, in words without a full stop.
            pid: Its process id.
        """
        for thread_id in thread_ids:
            try:
                self._write_down(thread_id, how, pid)
            except (JournalError, CannotOpen, SqliteError):  # whoever settles it next knows less, no more
                logging.getLogger(__name__).exception("how a run broke off could not be written down")

    def _write_down(self, thread_id: str, how: str, pid: int) -> None:
        journal = Journal(self._database.path)
        holder = journal.leases.holder(thread_id)
        if holder is not None and holder.process.pid != pid:
            return
        begun = tuple(self._begun.get(thread_id, ()))
        about = [*journal.open(thread_id), *journal.broken_off().get(thread_id, ())]
        for decision in about:
            with self._database.reading() as conn:
                head = checkpoints.head(conn, decision.order.runs)
            if head is not None and decision.state != "recorded":
                seen = BreakOff(how, begun, head.checkpoint_id, pid)
                with contextlib.suppress(OutOfTurn):
                    journal.note_break_off(decision.decision_id, seen)
