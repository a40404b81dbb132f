"""Read a thread's past, away from the screen."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from textual.dom import DOMNode
from textual.worker import get_current_worker

from agent_lab_tui.graph.reading.threads import NotFound

from ..news import Compared, Opened, PastRead, PastUnread
from .boundary import said

if TYPE_CHECKING:
    from agent_lab_tui.graph.desk import Desk
    from agent_lab_tui.graph.travelling.timeline import Timeline

PAGE = 100
"""Checkpoints read at once from the rows."""
RECORDED = 30
"""Checkpoints for which the graph itself is asked."""


class PastReading:
    """The workers that read timelines, differences and old states."""

    def __init__(self, node: DOMNode, desk: Desk) -> None:
        self._node = node
        self._desk = desk
        self.sought = ""
        """The word that was sought last."""

    def _run(self, work: Callable[[], None], group: str, thread_id: str) -> None:
        self._node.run_worker(partial(self._try, work, thread_id), thread=True, group=group, exclusive=True)

    def _try(self, work: Callable[[], None], thread_id: str) -> None:
        """Do some reading; what goes wrong is told."""
        try:
            work()
        except Exception as error:  # noqa: BLE001 - the boundary: what nobody foresaw is raised again
            self._tell(PastUnread(thread_id, said(error, self._desk)))

    def read(self, thread_id: str) -> None:
        """Read the newest checkpoints: from the rows at once, then as `get_state_history` says them."""
        self._run(partial(self._read, thread_id), "past", thread_id)

    def _read(self, thread_id: str) -> None:
        try:
            page = self._desk.travelling.page(thread_id, PAGE)
            self._post(page)
            if self._desk.facts:
                self._post(_joined(self._desk.travelling.timeline(thread_id, RECORDED), page))
        except NotFound as error:
            self._tell(Compared(thread_id, None, str(error)))

    def read_older(self, timeline: Timeline) -> None:
        """Read the page before the oldest checkpoint that is shown."""
        self._run(partial(self._read_older, timeline), "past", timeline.thread_id)

    def _read_older(self, timeline: Timeline) -> None:
        oldest = timeline.checkpoints[-1].checkpoint_id
        self._post(timeline.and_older(self._desk.travelling.page(timeline.thread_id, PAGE, oldest)))

    def read_to(self, thread_id: str, checkpoint_id: str) -> None:
        """Read every checkpoint down to one, and go to it."""
        self._run(partial(self._read_to, thread_id, checkpoint_id), "past", thread_id)

    def _read_to(self, thread_id: str, checkpoint_id: str) -> None:
        ids = [stem.checkpoint_id for stem in self._desk.travelling.past.stems(thread_id)]
        wanted = ids.index(checkpoint_id) if checkpoint_id in ids else 0
        self._tell(PastRead(self._desk.travelling.page(thread_id, wanted + PAGE), checkpoint_id))

    def compare(self, thread_id: str, one: str, other: str | None) -> None:
        """Find what differs between two checkpoints, or between one and its parent."""
        self._run(partial(self._compare, thread_id, one, other), "compare", thread_id)

    def _compare(self, thread_id: str, one: str, other: str | None) -> None:
        try:
            found = self._desk.travelling.compare(thread_id, one, other)
        except NotFound as error:
            self._tell(Compared(thread_id, None, str(error)))
            return
        self._tell(Compared(thread_id, found))

    def read_state(self, thread_id: str, checkpoint_id: str) -> None:
        """Read the state at a checkpoint."""
        self._run(partial(self._read_state, thread_id, checkpoint_id), "state", thread_id)

    def _read_state(self, thread_id: str, checkpoint_id: str) -> None:
        try:
            self._tell(Opened(self._desk.travelling.past.opened(thread_id, checkpoint_id)))
        except NotFound as error:
            self._tell(Compared(thread_id, None, str(error)))

    def _post(self, timeline: Timeline) -> None:
        self._tell(PastRead(timeline))

    def _tell(self, message: PastRead | PastUnread | Compared | Opened) -> None:
        if not get_current_worker().is_cancelled:
            self._node.post_message(message)


def _joined(recorded: Timeline, rows: Timeline) -> Timeline:
    """Put what the graph says before the older checkpoints of the rows."""
    known = set(recorded.by_id)
    older = [one for one in rows.checkpoints if one.checkpoint_id not in known]
    if not recorded.checkpoints:
        return rows
    return type(rows)(
        rows.thread_id, (*recorded.checkpoints, *older), rows.namespace, is_complete=rows.is_complete
    )
