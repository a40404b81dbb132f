"""The first frame: what can be shown while the desk is being opened and its parts are loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.widgets import Static

from ..visible import visible
from ..widgets.bar import Bar
from ..widgets.header import Header
from ..widgets.ink import INK_CLASSES
from ..widgets.thread_list import ThreadList

if TYPE_CHECKING:
    from agent_lab_tui.graph.desk import Desk

    from ..threads import Threads


class OpeningScreen(Screen[None]):
    """Looks like the desk, and lists the newest threads; nothing can be decided here."""

    COMPONENT_CLASSES: ClassVar[set[str]] = INK_CLASSES
    BINDINGS = [Binding("q", "app.quit", "Quit", id="opening.quit")]  # noqa: RUF012 - as Textual declares it

    def compose(self) -> ComposeResult:
        """Lay out what the desk has in the same places."""
        yield Header()
        with Horizontal(id="panes"):
            with Vertical(id="list-pane"):
                yield Static("Reading the threads …", id="list-empty", markup=False)
                yield ThreadList(id="threads")
            yield Vertical(id="work")
        yield Bar(id="foot")

    def show(self, desk: Desk, threads: Threads) -> None:
        """Show the newest threads."""
        header = self.query_one(Header)
        header.database = visible(desk.database.path.name)
        header.is_readonly = desk.is_readonly
        self.query_one("#list-empty").display = False
        header.counts = threads.counts
        self.query_one(ThreadList).rows = threads.sorted
