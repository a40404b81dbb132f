"""The desk: threads on the left, the request in front, and what became of decisions below."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Static

from .. import news
from ..decision_keys import DecisionKeys
from ..drafts import Drafts
from ..flows.arrivals import Arrivals
from ..flows.lab import LabReading
from ..flows.opening import sheet_for
from ..flows.past import PastReading
from ..flows.reading import Reading
from ..flows.sending import Sending
from ..shown import Shown, renewed
from ..threads import Threads
from ..visible import visible
from ..widgets.document import Document
from ..widgets.filter_line import FilterLine
from ..widgets.header import Header
from ..widgets.key_line import KeyLine
from ..widgets.receipt import ReceiptLine
from ..widgets.strip import OperationStrip
from ..widgets.tab_line import TabLine
from ..widgets.thread_list import ThreadList
from ..widgets.work import Work
from .desk_deciding import DeskDeciding
from .desk_going import DeskGoing
from .desk_hearing import DeskHearing
from .desk_lab import DeskLab
from .desk_listing import DeskListing
from .desk_past import DeskPast
from .palette import DeskCommands
from .viewer import Viewer

if TYPE_CHECKING:
    from agent_lab_tui.graph.desk import Desk


class DeskScreen(DeskListing, DeskDeciding, DeskGoing, DeskHearing, DeskPast, DeskLab):
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
        self.lab = LabReading(self, desk)

    def compose(self) -> ComposeResult:
        """Lay out header, panes, receipt and footer."""
        yield Header()
        yield Static(id="banner", markup=False)
        yield Static(id="unsettled", markup=False)
        yield Static(id="halted", markup=False)
        with Horizontal(id="panes"):
            with Vertical(id="list-pane"):
                yield Static(id="list-empty", markup=False)
                yield ThreadList(id="threads")
                yield FilterLine(id="filter", placeholder="words  :waiting  :failed", select_on_focus=True)
            yield Work(id="work")
        yield ReceiptLine()
        yield KeyLine(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        """Read the threads first; the graphs load meanwhile."""
        header = self.query_one(Header)
        header.database = visible(self.desk.database.path.name)
        header.is_readonly = self.desk.is_readonly
        self.show_rows(self.arrivals.take(self._first, frozenset(), is_held=False))
        self.query_one(ThreadList).focus()
        self.keys.heard = self.query_one(ReceiptLine).leave_hint
        if self._first.sorted:
            self.open_request(self._first.sorted[0].thread_id)
        self.watch(self.query_one(ThreadList), "scroll_y", self.look_for_new, init=False)
        self.desk.on_event(self.hear)
        self.call_after_refresh(self.reading.read_others)
        self.call_after_refresh(self.reading.load_graphs)
        self.call_after_refresh(self.reading.look_for_unsettled)
        self.reading.watch(lambda: self.query_one(Work).page == "log")

    @on(news.ThreadRead)
    def take_thread(self, message: news.ThreadRead) -> None:
        """Show a thread that was read; one that is shown already is replaced only by what is the same."""
        thread, shown = message.thread, self.shown
        if message.is_opened:
            if thread.thread_id == self.wanted:
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
            self.query_one(ReceiptLine).leave_request(shown.thread.thread_id)
        self.show_again(keeps_place=is_same)
        self.refresh_past(before, shown)
        self.refresh_lab(before, shown)
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
        if message.thread_id == self.wanted:
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
