"""Read the threads and the opened one, away from the screen; each result comes back as one message."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from textual.dom import DOMNode
from textual.worker import get_current_worker

from agent_lab_tui.graph.checking.doctor_threads import unsettled
from agent_lab_tui.graph.reading.labels import labels_of
from agent_lab_tui.graph.reading.reader import NotFound
from agent_lab_tui.graph.reading.situation import Situation

from ..news import GraphsLoaded, LabelsRead, LogRead, ThreadLost, ThreadRead, ThreadsRead, Trouble, Unsettled
from ..threads import Threads, label_text
from .lab import ledger_of
from .preview import preview

if TYPE_CHECKING:
    from agent_lab_tui.graph.desk import Desk
    from agent_lab_tui.graph.reading.reader import ThreadLine

POLL = 1.0
"""Seconds between two looks at what others changed."""
FIRST = 100
"""Threads that are read and shown before all others."""
LOG_TAIL = 400_000
"""Characters of the run log that are shown, from its end."""


class Reading:
    """The reading side of the desk screen: owns the threads as read, and the workers that read them."""

    def __init__(self, node: DOMNode, desk: Desk, threads: Threads) -> None:
        self._node = node
        self._desk = desk
        self._lock = threading.Lock()
        self._reading_all = threading.Lock()
        """Held while every thread is read: two readings at a time would hold all of them twice."""
        self._is_troubled = False
        self._threads = threads
        self.is_loading = bool(desk.projects)
        """The graphs have not been heard of yet."""

    def _run(self, work: Callable[[], None], group: str, *, exclusive: bool = True) -> None:
        self._node.run_worker(partial(self._tell, work), thread=True, group=group, exclusive=exclusive)

    def _tell(self, work: Callable[[], None]) -> None:
        """Do some reading; what goes wrong is told, whatever it is: the desk stays open."""
        try:
            work()
        except Exception as error:  # noqa: BLE001 - the boundary of all reading; the sentence is shown
            self._is_troubled = True
            self._node.post_message(Trouble(str(error) or type(error).__name__))

    # The list

    def read_threads(self) -> None:
        """Read the newest threads, then all of them."""
        self._run(self._read_threads, "threads")

    def read_others(self) -> None:
        """Read all threads; the newest ones are there already."""
        self._run(partial(self._read_others, self._threads.sorted), "threads")

    def _read_threads(self) -> None:
        first = self._desk.lines(FIRST)
        if len(first) < FIRST:
            self._merge(lambda threads: threads.replaced(first), is_all=True)
        else:
            self._merge(lambda threads: threads.changed(first))
            self._read_others(first)

    def _read_others(self, first: Collection[ThreadLine]) -> None:
        if len(first) < FIRST:
            self._merge(lambda threads: threads, is_all=True)
            return
        exact = {line.thread_id: line for line in first}
        with self._reading_all:
            lines = self._desk.all_lines()
            self._merge(
                lambda threads: threads.replaced(exact.get(line.thread_id, line) for line in lines),
                is_all=True,
            )

    def look_again(self, thread_ids: Iterable[str]) -> None:
        """Read some threads again at once."""
        self._run(partial(self._look_again, tuple(thread_ids)), "look", exclusive=False)

    def _look_again(self, thread_ids: tuple[str, ...]) -> None:
        lines = self._desk.lines_of(thread_ids)
        gone = set(thread_ids) - {line.thread_id for line in lines}
        arrived = frozenset(line.thread_id for line in lines if self._is_new_question(line))
        self._merge(
            lambda threads: threads.changed(lines, gone), arrived=arrived, changed=frozenset(thread_ids)
        )

    def _is_new_question(self, line: ThreadLine) -> bool:
        """Whether a thread waits that did not wait before, or waits with another checkpoint."""
        before = self._threads.by_id.get(line.thread_id)
        if line.situation is not Situation.WAITING:
            return False
        return (
            before is None
            or before.situation is not Situation.WAITING
            or before.checkpoint_id != line.checkpoint_id
        )

    def mark_returned(self, thread_id: str) -> None:
        """Put a thread whose decision failed on top, once it was read again."""
        with self._lock:
            self._threads = self._threads.with_returned(thread_id)

    def _merge(
        self,
        change: Callable[[Threads], Threads],
        *,
        is_all: bool | None = None,
        arrived: frozenset[str] = frozenset(),
        changed: frozenset[str] = frozenset(),
    ) -> None:
        with self._lock:
            self._threads = threads = change(self._threads)
        self._node.post_message(ThreadsRead(threads, is_all, arrived, changed))

    def read_labels(self, lines: Sequence[ThreadLine]) -> None:
        """Read what threads are labelled with; each costs a row, so only when somebody filters by it."""
        self._run(partial(self._read_labels, lines), "labels")

    def _read_labels(self, lines: Sequence[ThreadLine]) -> None:
        for part in labels_of(self._desk.database, lines):
            if get_current_worker().is_cancelled:
                return
            texts = {checkpoint_id: label_text(labels) for checkpoint_id, labels in part.items()}
            self._node.post_message(LabelsRead(texts))

    def look_for_unsettled(self) -> None:
        """Look for decisions of which nobody saw the end; nothing is written down about them."""
        self._run(self._look_for_unsettled, "unsettled")

    def _look_for_unsettled(self) -> None:
        found = [one.decision.order.thread_id for one in unsettled(self._desk)]
        self._node.post_message(Unsettled(tuple(found)))

    # Changes by others

    def watch(self, sees_log: Callable[[], bool]) -> None:
        """Look each second for what others changed, and for what graphs print while somebody looks."""
        self._node.run_worker(self._watch(sees_log), group="watch")

    async def _watch(self, sees_log: Callable[[], bool]) -> None:
        """One task for all looks: a worker for each of them would cost more than the look itself."""
        while True:
            await asyncio.to_thread(self._tell, self._poll)
            if sees_log():
                self.read_log()
            await asyncio.sleep(POLL)

    def _poll(self) -> None:
        path = self._desk.database.path
        if not path.exists():
            raise FileNotFoundError(f"{path} is gone: what is shown is what was read before.")
        changes = self._desk.poll()
        if self._is_troubled:
            self._is_troubled = False
            self._node.post_message(Trouble(""))
        if changes.thread_ids:
            self._look_again(tuple(changes.thread_ids))
        if changes.is_reload:
            self._read_threads()

    # One thread

    def read_thread(self, thread_id: str, *, is_opened: bool) -> None:
        """Read one thread in full; looking again at the shown one never drops the one that is wanted."""
        group = "open" if is_opened else "look-again"
        self._run(partial(self._read_thread, thread_id, is_opened), group)

    def _read_thread(self, thread_id: str, is_opened: bool) -> None:
        try:
            thread = self._desk.thread(thread_id)
        except NotFound as error:
            if not get_current_worker().is_cancelled:
                self._node.post_message(ThreadLost(thread_id, str(error)))
            return
        ledger = ledger_of(self._desk, thread)
        sends = {
            question.id: replace(preview(self._desk, thread, question), ledger=ledger)
            for question in thread.questions
        }
        if not get_current_worker().is_cancelled:
            self._node.post_message(ThreadRead(thread, sends, is_opened))

    # The graphs

    def load_graphs(self) -> None:
        """Start the hosts and learn about the graphs."""
        self._run(self._load_graphs, "graphs")

    def _load_graphs(self) -> None:
        try:
            facts = self._desk.load_graphs()
        except Exception as error:  # noqa: BLE001 - a user's graph may break its host in any way; it is told
            self.is_loading = False
            self._node.post_message(GraphsLoaded((), str(error) or type(error).__name__))
            return
        self.is_loading = False
        self._node.post_message(GraphsLoaded(facts))

    def read_log(self) -> None:
        """Read what the graphs printed."""
        self._run(self._read_log, "log")

    def _read_log(self) -> None:
        self._node.post_message(LogRead(self._desk.output()[-LOG_TAIL:]))
