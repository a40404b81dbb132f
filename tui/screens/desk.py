"""The desk: threads on the left, the request in front, and what became of decisions below."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Footer, Input, Static

from agent_lab_tui.graph.situation import Situation

from .. import news
from ..decision_keys import DecisionKeys
from ..drafts import Drafts
from ..flows.arrivals import Arrivals
from ..flows.opening import sheet_for
from ..flows.past import PastReading
from ..flows.reading import Reading
from ..flows.sending import Sending
from ..shown import Shown, renewed
from ..terminal import set_title, title_of
from ..threads import Filter, Threads
from ..visible import visible
from ..widgets.document import Document
from ..widgets.header import Header
from ..widgets.receipt import ReceiptLine
from ..widgets.strip import OperationStrip
from ..widgets.tab_line import TabLine
from ..widgets.thread_list import ThreadList
from ..widgets.work import Work
from .desk_deciding import DeskDeciding
from .desk_going import DeskGoing
from .desk_hearing import DeskHearing
from .desk_past import DeskPast
from .empty import list_sentence
from .palette import DeskCommands
from .viewer import Viewer

if TYPE_CHECKING:
    from agent_lab_tui.graph.desk import Desk
    from agent_lab_tui.graph.reading import ThreadLine

PAUSE = 0.06
"""Seconds for which the cursor rests on a thread before it is read."""


class DeskScreen(DeskDeciding, DeskGoing, DeskHearing, DeskPast):
    """Composes the desk and takes what workers bring; the one place that holds its state."""

    COMMANDS = {DeskCommands}  # noqa: RUF012 - as Textual declares it

    def __init__(self, desk: Desk, keys: DecisionKeys, clock: Callable[[], float], threads: Threads) -> None:
        super().__init__()
        self.desk, self.keys, self.clock = desk, keys, clock
        self.drafts = Drafts()
        self.arrivals = Arrivals()
        self.reading = Reading(self, desk, threads)
        self._first = threads
        self.sending = Sending(self, desk)
        self.past = PastReading(self, desk)
        self._wanted: str | None = None
        self._is_all = False

    def compose(self) -> ComposeResult:
        """Lay out header, panes, receipt and footer."""
        yield Header()
        yield Static(id="banner", markup=False)
        yield Static(id="unsettled", markup=False)
        with Horizontal(id="panes"):
            with Vertical(id="list-pane"):
                yield Static(id="list-empty", markup=False)
                yield ThreadList(id="threads")
                yield Input(id="filter", placeholder="words  :waiting  :failed", select_on_focus=True)
            yield Work(id="work")
        yield ReceiptLine()
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        """Read the threads first; the graphs load meanwhile."""
        header = self.query_one(Header)
        header.database = visible(self.desk.database.path.name)
        header.is_readonly = self.desk.is_readonly
        self._show_rows(self.arrivals.take(self._first, frozenset(), is_held=False))
        self.query_one(ThreadList).focus()
        if self._first.sorted:
            self._open(self._first.sorted[0].thread_id)
        self.watch(self.query_one(ThreadList), "scroll_y", self.look_for_new, init=False)
        self.desk.on_event(self.hear)
        self.call_after_refresh(self.reading.read_threads)
        self.call_after_refresh(self.reading.load_graphs)
        self.call_after_refresh(self.reading.look_for_unsettled)
        self.reading.watch(lambda: self.query_one(Work).page == "log")

    # The list

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
        self._show_rows(rows)
        if arrived:
            self.app.bell()
        shown = self.shown
        if shown and shown.thread.thread_id in message.changed:
            self.reading.read_thread(shown.thread.thread_id, is_opened=False)
        elif shown is None and rows:
            self._open(rows[0].thread_id)

    def _show_rows(self, rows: tuple[ThreadLine, ...]) -> None:
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
            self._show_rows(self.arrivals.release())

    @on(Input.Changed, "#filter")
    def narrow(self, event: Input.Changed) -> None:
        """Filter while it is typed."""
        self._show_rows(self.arrivals.narrow(Filter.parse(event.value)))

    @on(Input.Submitted, "#filter")
    def end_filter(self, event: Input.Submitted) -> None:
        """Go back to the list; the filter stays."""
        self.query_one("#filter").set_class(bool(event.value), "-shown")
        self.query_one(ThreadList).focus()

    @on(ThreadList.Highlighted, "ThreadList")
    def go_to(self, message: ThreadList.Highlighted) -> None:
        """Read the thread on which the cursor rests."""
        thread_id = message.row.thread_id  # type: ignore[attr-defined]
        self._wanted = thread_id
        self.set_timer(PAUSE, lambda: self._open(thread_id) if self._wanted == thread_id else None)

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
        self._open(thread_id)

    def action_open_failed(self) -> None:
        """Open the thread whose decision failed last; else the next with a decision without outcome."""
        if thread_id := self.query_one(ReceiptLine).failed_thread:
            self.open_thread(thread_id)
        elif ids := self.unsettled:
            shown = self.shown.thread.thread_id if self.shown else ""
            self.open_thread(ids[(ids.index(shown) + 1) % len(ids)] if shown in ids else ids[0])

    def _open(self, thread_id: str) -> None:
        self._wanted = thread_id
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
                self._open(listed.rows[index].thread_id)
                return True
        return False

    # The request

    @on(news.ThreadRead)
    def take_thread(self, message: news.ThreadRead) -> None:
        """Show a thread that was read; one that is shown already is replaced only by what is the same."""
        thread, shown = message.thread, self.shown
        if message.is_opened:
            if thread.thread_id == self._wanted:
                self.shown = Shown.of(thread, message.sends)
            return
        if shown is None or shown.thread.thread_id != thread.thread_id:
            return
        self.shown = renewed(shown, thread, message.sends)

    def watch_shown(self, before: Shown | None, shown: Shown | None) -> None:
        """Show the request in front; a new one must be painted and read before it can be decided."""
        if shown is None:
            return
        is_same = before is not None and before.is_same_request(shown)
        if not is_same:
            self.painted = None
            self.keys.forget()
            self.query_one(ReceiptLine).leave_request()
        self.show_again(keeps_place=is_same)
        self.refresh_past(before, shown)
        if not is_same:
            self.call_after_refresh(self._mark_painted, shown)

    def _mark_painted(self, shown: Shown) -> None:
        if self.shown is not None and self.shown.is_same_request(shown):
            self.painted = self.clock()

    def show_again(self, *, keeps_place: bool = True) -> None:
        """Write the request in front again, with what its choices would send."""
        if (shown := self.shown) is None:
            return
        sheet = sheet_for(
            shown,
            self.drafts,
            self.desk,
            can_decide=self.can_decide,
            is_loading=self.reading.is_loading,
        )
        self.query_one(Work).show(shown, self.drafts, sheet, keeps_place=keeps_place)
        self.refresh_bindings()

    @on(news.ThreadLost)
    def take_thread_lost(self, message: news.ThreadLost) -> None:
        """Say why a thread cannot be shown."""
        if message.thread_id == self._wanted:
            self.shown = None
            self.query_one(Work).clear(message.sentence)

    @on(OperationStrip.Chosen)
    def take_operation(self, message: OperationStrip.Chosen) -> None:
        """Show the operation that was clicked."""
        self.action_operation_at(message.index + 1)

    @on(TabLine.Chosen)
    def take_page(self, message: TabLine.Chosen) -> None:
        """Open the page that was clicked."""
        self.action_page(message.page)

    @on(Document.FoldOpened)
    def open_fold(self, message: Document.FoldOpened) -> None:
        """Show a folded value in full; what is read there counts."""
        document, fold = message.document, message.fold

        def take(is_read: bool | None) -> None:
            if is_read:
                document.seen.folds.add(fold)
            document.count()

        self.app.push_screen(Viewer(fold.partition(" ")[2] or fold, document.part(fold)), take)
