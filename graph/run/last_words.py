"""The last words of a host whose step does not end though its desk is gone."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from agent_lab_tui.store.files import Database
from agent_lab_tui.store.journal.book import Journal, JournalError, OutOfTurn

from ..hosting.events import Outcome, Progress
from ..hosting.under_way import UnderWay


class LastWords:
    """Knows what is in hand, and writes it down as unknown when nobody waits for its end any more.

    A node that never ends would keep its host for ever, and with it the right to run the thread.
    """

    def __init__(self, journal: Journal, database: Database, grace: float) -> None:
        """Take where to write, and for how many seconds the step in hand may go on without a desk."""
        self._journal = journal
        self._under_way = UnderWay(database)
        self._grace = grace
        self._in_hand: list[str] = []

    def hear(self, event: Progress | Outcome) -> None:
        """Take in that a run started or ended, or a node of it."""
        self._under_way.hear(event)

    @contextmanager
    def holding(self, thread_id: str) -> Iterator[None]:
        """Note a thread as in hand for a while."""
        self._in_hand.append(thread_id)
        try:
            yield
        finally:
            self._in_hand.remove(thread_id)

    def count_down(self) -> None:
        """End the process when the time is over, unless it ends before."""
        timer = threading.Timer(self._grace, self._end)
        timer.daemon = True
        timer.start()

    def _end(self) -> None:
        how = f"the host ended itself, for the step in hand went on for {self._grace:.0f} s without a desk"
        try:
            for thread_id in tuple(self._in_hand):
                with suppress(JournalError, OutOfTurn):
                    self._write(thread_id, how)
        finally:
            os._exit(1)

    def _write(self, thread_id: str, how: str) -> None:
        for decision in self._journal.open(thread_id):
            if decision.state == "running" and decision.token is not None:
                self._journal.end([decision.decision_id], "unknown", decision.token, how)
        self._under_way.write_down([thread_id], how, os.getpid())
