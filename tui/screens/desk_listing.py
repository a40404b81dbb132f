"""The list of the desk: what is in it, where its cursor is, and which request that opens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events, on
from textual.widgets import Input, Static

from agent_lab_tui.graph.reading.situation import Situation

from .. import news
from ..terminal import set_title, title_of
from ..threads import Filter
from ..widgets.header import Header
from ..widgets.receipt import ReceiptLine
from ..widgets.thread_list import ThreadList
from ..widgets.work import Work
from .desk_state import DeskState
from .empty import list_sentence

if TYPE_CHECKING:
    from agent_lab_tui.graph.reading.reader import ThreadLine

PAUSE = 0.06
"""Seconds for which the cursor rests on a thread before it is read."""


class DeskListing(DeskState):
    """Lists the threads; nothing in it jumps while the operator is in the middle of a request."""

    wanted: str | None = None
    """The thread that the operator went to last; what is read of others comes too late."""
    _is_all = False

    @property
    def is_busy(self) -> bool:
        """Whether the operator is in the middle of something: nothing may jump then."""
        return not self.is_current or not self.query_one(ThreadList).has_focus

    @on(news.ThreadsRead)
    def take_threads(self, message: news.ThreadsRead) -> None:
        """Show the threads that were read; ring when a new question came."""
        if message.is_all is not None:
            self._is_all = message.is_all
        arrived = message.arrived
        is_first = not self.query_one(ThreadList).rows
        rows = self.arrivals.take(message.threads, arrived, is_held=self.is_busy and not is_first)
        self.show_rows(rows)
        self.read_labels()
        if arrived:
            self.app.bell()
        shown = self.shown
        if shown and shown.thread.thread_id in message.changed:
            self.reading.read_thread(shown.thread.thread_id, is_opened=False)
        elif shown is None and rows:
            self.open_request(rows[0].thread_id)

    def show_rows(self, rows: tuple[ThreadLine, ...]) -> None:
        """List rows, and count what there is."""
        threads, header, listed = self.arrivals.threads, self.query_one(Header), self.query_one(ThreadList)
        header.counts = threads.counts
        header.is_counting = not self._is_all
        set_title(self.app, title_of(threads.counts[Situation.WAITING], threads.counts[Situation.FAILED]))
        listed.rows = rows
        self.call_after_refresh(self.look_for_new)
        empty = self.query_one("#list-empty", Static)
        empty.display = not rows
        if not rows:
            empty.update(list_sentence(threads, self.arrivals.filter, is_all=self._is_all))

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Let new threads in when the operator comes back to the list."""
        if isinstance(event.widget, ThreadList):
            self.release()

    def look_for_new(self) -> None:
        """Announce the new threads that are not in sight."""
        listed = self.query_one(ThreadList)
        if self.arrivals.waiting:
            above = [row.thread_id for row in listed.rows[: listed.scroll_offset.y]]
            self.query_one(Header).arrived = self.arrivals.look(above, {row.thread_id for row in listed.rows})
        else:
            self.query_one(Header).arrived = 0

    def release(self) -> None:
        """Let the threads in that came meanwhile, each in its place."""
        if self.arrivals.waiting or not self.is_busy:
            self.show_rows(self.arrivals.release())

    @on(Input.Changed, "#filter")
    def narrow(self, event: Input.Changed) -> None:
        """Filter while it is typed."""
        self.show_rows(self.arrivals.narrow(Filter.parse(event.value)))
        self.read_labels()

    def read_labels(self) -> None:
        """Read the labels that the filter asks for and that nobody has read yet."""
        if lines := self.arrivals.unlabelled:
            self.reading.read_labels(lines)

    @on(news.LabelsRead)
    def take_labels(self, message: news.LabelsRead) -> None:
        """Filter again, by the labels that were read."""
        self.arrivals.labels.update(message.labels)
        if not self.is_busy or self.query_one("#filter", Input).has_focus:
            self.show_rows(self.arrivals.release())

    @on(Input.Submitted, "#filter")
    def end_filter(self, event: Input.Submitted) -> None:
        """Go back to the list; the filter stays."""
        self.query_one("#filter").set_class(bool(event.value), "-shown")
        self.query_one(ThreadList).focus()

    @on(ThreadList.Highlighted, "ThreadList")
    def go_to(self, message: ThreadList.Highlighted) -> None:
        """Read the thread on which the cursor rests."""
        thread_id = message.row.thread_id  # type: ignore[attr-defined]
        self.wanted = thread_id
        self.set_timer(PAUSE, lambda: self.open_request(thread_id) if self.wanted == thread_id else None)

    @on(ThreadList.Opened, "ThreadList")
    def enter_request(self) -> None:
        """Go into the request."""
        self.query_one(Work).request.focus()

    def open_thread(self, thread_id: str) -> None:
        """Bring a thread in front, and the cursor to it."""
        self.release()
        listed = self.query_one(ThreadList)
        index = next((at for at, row in enumerate(listed.rows) if row.thread_id == thread_id), None)
        if index is not None:
            listed.cursor = index
        self.open_request(thread_id)

    def action_open_failed(self) -> None:
        """Open the thread whose decision failed last; else the next with a decision without outcome."""
        if thread_id := self.query_one(ReceiptLine).failed_thread:
            self.open_thread(thread_id)
        elif ids := self.unsettled:
            shown = self.shown.thread.thread_id if self.shown else ""
            self.open_thread(ids[(ids.index(shown) + 1) % len(ids)] if shown in ids else ids[0])

    def open_request(self, thread_id: str) -> None:
        """Read a thread to bring its request in front."""
        self.wanted = thread_id
        if self.shown is None or self.shown.thread.thread_id != thread_id:
            self.reading.read_thread(thread_id, is_opened=True)

    def go_to_waiting(self, step: int) -> bool:
        """Open the next waiting request, or the one before; False when there is no other."""
        listed = self.query_one(ThreadList)
        count = len(listed.rows)
        for far in range(1, count):
            index = (listed.cursor + step * far) % count
            if listed.rows[index].situation is Situation.WAITING:
                listed.cursor = index
                self.open_request(listed.rows[index].thread_id)
                return True
        return False
