"""What the desk hears of runs, hosts, graphs and the database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on
from textual.content import Content
from textual.widgets import Static

from agent_lab_tui.graph.hosting.events import HostDied, Outcome, Progress

from .. import news
from ..flows.loading import banner
from ..paper.log import LogSheet
from ..widgets.document import Document
from ..widgets.header import Header
from ..widgets.receipt import ReceiptLine
from .desk_state import DeskState

if TYPE_CHECKING:
    from agent_lab_tui.graph.hosting.events import Event


class DeskHearing(DeskState):
    """Takes what is told by the desk's own threads; nothing of it moves what the operator looks at."""

    def hear(self, event: Event) -> None:
        """Bring an event of the desk to the screen; called from the desk's own threads."""
        self.post_message(news.Told(event))

    @on(news.Told)
    def take_event(self, message: news.Told) -> None:
        """Tell of a run: what it does, what became of it, or that its host died."""
        event, receipt = message.event, self.query_one(ReceiptLine)
        header = self.query_one(Header)
        if isinstance(event, Progress):
            receipt.progress(event)
        elif isinstance(event, Outcome):
            if event.state == "failed":
                self.reading.mark_returned(event.thread_id)
            receipt.ended(event)
            self.reading.look_for_unsettled()
            self.reading.look_again([event.thread_id])
        elif isinstance(event, HostDied):
            header.trouble = "host restarting"
            self.note(event.detail, "error")
            self.reading.load_graphs()
            self.reading.look_again(event.thread_ids)
        self.refresh_bindings()

    @on(news.GraphsLoaded)
    def take_graphs(self, message: news.GraphsLoaded) -> None:
        """Show what is wrong with the graphs; the desk reads without them."""
        sentence = banner(self.desk, message)
        if self.query_one(Header).trouble.startswith("host"):
            self.query_one(Header).trouble = ""
        bar = self.query_one("#banner", Static)
        bar.update(Content(sentence))
        bar.set_class(bool(sentence), "-shown")
        self.reading.read_log()
        if message.facts:
            self.reading.read_threads()
        if self.shown is not None:
            self.reading.read_thread(self.shown.thread.thread_id, is_opened=False)

    @on(news.Unsettled)
    def take_unsettled(self, message: news.Unsettled) -> None:
        """Say how many decisions a person has to look at."""
        self.unsettled = message.thread_ids
        count = len(message.thread_ids)
        bar = self.query_one("#unsettled", Static)
        words = "1 decision needs a person: o opens it"
        if count > 1:
            words = f"{count} decisions need a person: o opens them one after another"
        bar.update(Content(f" {words}"))
        bar.set_class(bool(count), "-shown")
        self.refresh_bindings()

    @on(news.LogRead)
    def take_log(self, message: news.LogRead) -> None:
        """Show what the graphs printed."""
        log = self.query_one("#log", Document)
        is_at_end = log.scroll_offset.y >= log.max_scroll_y
        log.show(LogSheet(self.desk.facts, message.text), keeps_place=True)
        if is_at_end:
            log.scroll_end(animate=False)

    @on(news.Trouble)
    def take_trouble(self, message: news.Trouble) -> None:
        """Say that the database cannot be read, until it can."""
        header = self.query_one(Header)
        was_told = header.trouble.startswith("database")
        if message.sentence:
            is_there = self.desk.database.path.exists()
            header.trouble = "database not readable" if is_there else "database gone"
            if is_there and not was_told:
                self.note(message.sentence, "error")
        elif header.trouble.startswith("database"):
            header.trouble = ""
