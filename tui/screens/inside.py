"""The past of a subgraph: the checkpoints that it kept while a node of the graph around it ran."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen
from textual.worker import get_current_worker

from agent_lab_tui.graph.reading.threads import NotFound
from agent_lab_tui.graph.travelling.comparing import compare

from .. import news
from ..flows.boundary import said
from ..paper.rows import foreign
from ..visible import visible
from ..widgets.bar import Bar
from ..widgets.history import HistoryList, HistoryPane
from ..widgets.ink import INK_CLASSES
from .state import StateScreen

if TYPE_CHECKING:
    from agent_lab_tui.graph.travelling.past import Past

PAGE = 500
"""Checkpoints of a subgraph that are shown."""


class Inside(ModalScreen[None]):
    """Shows a subgraph's checkpoints; Enter opens a state, `i` goes further in, Escape back out."""

    COMPONENT_CLASSES: ClassVar[set[str]] = INK_CLASSES
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss", "Back", id="inside.back", tooltip="Back to the graph around it")
    ]

    def __init__(self, past: Past, thread_id: str, namespace: str) -> None:
        super().__init__()
        self._past = past
        self._thread = thread_id
        self._namespace = namespace

    def compose(self) -> ComposeResult:
        """Lay out title and history."""
        yield Bar(id="inside-title")
        yield HistoryPane(id="inside-history")

    def on_mount(self) -> None:
        """Read the subgraph's checkpoints."""
        path = " > ".join(part.split(":")[0] for part in self._namespace.split("|"))
        self.query_one(Bar).left = foreign(f"Inside {path} of {self._thread}", "strong")
        self._work(self._read)
        self.query_one(HistoryList).focus()

    def _work(self, work: Callable[[], None]) -> None:
        self.run_worker(partial(self._try, work), thread=True, group="inside", exclusive=True)

    def _try(self, work: Callable[[], None]) -> None:
        """Do some reading; what goes wrong stands where the difference would."""
        try:
            work()
        except Exception as error:  # noqa: BLE001 - the boundary: what nobody foresaw is raised again
            self._tell(news.Compared(self._thread, None, visible(said(error))))

    def _tell(self, message: news.PastRead | news.Compared | news.Opened) -> None:
        if not get_current_worker().is_cancelled:
            self.post_message(message)

    def _read(self) -> None:
        self._tell(news.PastRead(self._past.page(self._thread, PAGE, ns=self._namespace)))

    @on(news.PastRead)
    def show(self, message: news.PastRead) -> None:
        """Show the checkpoints that were read, the newest compared with its parent."""
        self.query_one(HistoryPane).show(message.timeline)
        self._compare_current()

    @on(HistoryList.Highlighted)
    def _compare_current(self) -> None:
        """Compare the checkpoint under the cursor with the marked one, or with its parent."""
        listed = self.query_one(HistoryList)
        row, marked = listed.current, listed.marked
        if row is None or row.checkpoint is None:
            return
        own = row.checkpoint.checkpoint_id
        if marked == own:
            self.query_one(HistoryPane).say_marked(row.checkpoint.step)
            return
        pair = sorted((own, marked)) if marked not in (None, own) else [own]
        self._work(partial(self._compare, *(str(one) for one in pair)))

    def _compare(self, one: str, other: str | None = None) -> None:
        try:
            found = compare(self._past, self._thread, one, other, self._namespace)
        except NotFound:
            self._tell(news.Compared(self._thread, None, "the beginning"))
        else:
            self._tell(news.Compared(self._thread, found))

    @on(news.Compared)
    def show_difference(self, message: news.Compared) -> None:
        """Show what differs."""
        self.query_one(HistoryPane).show_difference(message.comparison, message.sentence)

    @on(HistoryList.Opened)
    def open_state(self) -> None:
        """Read the state at the checkpoint under the cursor."""
        self._open(is_further=False)

    @on(HistoryList.Wanted)
    def go_further_in(self, message: HistoryList.Wanted) -> None:
        """Go into a subgraph of this one; nothing is forked or replayed in here."""
        message.stop()
        if message.what == "inside":
            self._open(is_further=True)

    def _open(self, *, is_further: bool) -> None:
        row = self.query_one(HistoryList).current
        if row is not None and row.checkpoint is not None:
            self._work(partial(self._read_opened, row.checkpoint.checkpoint_id, is_further=is_further))

    def _read_opened(self, checkpoint_id: str, *, is_further: bool) -> None:
        opened = self._past.opened(self._thread, checkpoint_id, self._namespace)
        self._tell(news.Opened(opened, is_further))

    @on(news.Opened)
    def show_opened(self, message: news.Opened) -> None:
        """Show a state on the whole screen, or the subgraph that ran there."""
        opened = message.opened
        if not message.is_inside:
            self.app.push_screen(StateScreen(f"State at step {opened.checkpoint.step}", opened))
        elif opened.subgraphs:
            self.app.push_screen(Inside(self._past, self._thread, opened.subgraphs[0][1]))
