"""Everything beside the list: the request in front, and the pages about its thread."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.reactive import var
from textual.widgets import ContentSwitcher

from agent_lab_tui.graph.questions import Risk

from ..drafts import Drafts, ItemKey
from ..paper.rows import Piece, foreign
from ..paper.seen import Seen
from ..paper.state import StateSheet
from ..visible import visible
from .bar import Bar
from .document import Document
from .history import HistoryPane
from .strip import OperationStrip, Tab
from .tab_line import LAB, PAGES, TabLine

if TYPE_CHECKING:
    from ..shown import Shown
    from .document import Sheet

RISKS: Mapping[Risk, str] = {
    Risk.LOW: "dim",
    Risk.MEDIUM: "",
    Risk.HIGH: "warning",
    Risk.CRITICAL: "error",
}
"""The ink of each risk."""
SEEN = 500
"""Requests of which it is remembered what was read."""


class Work(Vertical):
    """Shows one thread: its request, state and run log; the history beside or instead."""

    page: var[str] = var("request")
    has_lab: var[bool] = var(False, init=False)
    """The thread belongs to a task of the lab, which has a page."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._seen: dict[ItemKey | str, Seen] = {}

    def compose(self) -> ComposeResult:
        """Lay out title, strip, pages, what is left to read, and the tabs."""
        with Horizontal(id="sheets"):
            with Vertical(id="pages"):
                yield Bar(id="title")
                yield OperationStrip()
                with ContentSwitcher(initial="request", id="switcher"):
                    yield Document(id="request")
                    yield Document(id="state")
                    yield Document(id="log")
                    yield Document(id="lab")
                yield Bar(id="unread")
            yield HistoryPane(id="history-pane")
        yield TabLine()

    @property
    def request(self) -> Document:
        """The document with the request."""
        return self.query_one("#request", Document)

    def watch_page(self, page: str) -> None:
        """Open a page."""
        self.query_one(TabLine).page = page
        self.query_one(ContentSwitcher).current = "request" if page == "history" else page
        self.set_class(page == "history", "-history")
        self.screen.refresh_bindings()
        self.query_one("#unread").display = page == "request"

    def watch_has_lab(self, has_lab: bool) -> None:
        """Show the lab's tab, or take it away, and its page with it."""
        self.query_one(TabLine).pages = (*PAGES, LAB) if has_lab else PAGES
        if not has_lab and self.page == "lab":
            self.page = "request"

    def show_lab(self, sheet: Sheet | None) -> None:
        """Write how the thread's task stands."""
        self.query_one("#lab", Document).show(sheet, keeps_place=sheet is not None)

    def show(self, shown: Shown, drafts: Drafts, sheet: Sheet, *, keeps_place: bool = False) -> None:
        """Show a request; what was read of it before stays read."""
        item = shown.item
        key: ItemKey | str = item.key if item else shown.thread.thread_id
        if key not in self._seen and len(self._seen) >= SEEN:
            self._seen.pop(next(iter(self._seen)))
        seen = self._seen.setdefault(key, Seen())
        self.show_title(shown, drafts)
        self.request.show(sheet, seen, keeps_place=keeps_place)
        self.query_one("#state", Document).show(StateSheet(shown.thread), keeps_place=keeps_place)

    def show_title(self, shown: Shown, drafts: Drafts) -> None:
        """Write the line on top, and the strip of operations."""
        title, item = self.query_one("#title", Bar), shown.item
        if item is None:
            title.left = foreign(shown.thread.thread_id, "strong")
            title.right = ((shown.thread.situation.value, "dim"),)
        else:
            title.left = foreign(item.operation.name or item.question.node, "strong")
            title.right = ((f"{item.operation.risk.value} risk", RISKS[item.operation.risk]),)
        strip = self.query_one(OperationStrip)
        strip.tabs = tuple(
            Tab(one.operation.name or one.question.node, drafts.chosen(one), one.index == 0)
            for one in shown.items
        )
        strip.current = shown.index

    def show_unread(self, shown: Shown, unread: int) -> None:
        """Say how much of the request has not been on the screen."""
        bar = self.query_one("#unread", Bar)
        bar.rule, bar.is_left_first = "─", True
        item = shown.item
        bar.right = (
            ((" · ".join(item.operation.allowed), "dim"),) if item and shown.is_open(item.question) else ()
        )
        if unread > 0:
            lines: tuple[Piece, ...] = (
                (f"▽ {unread:,} line{'' if unread == 1 else 's'} not read", "warning"),
            )
        elif len(shown.items) > 1:
            read = sum(1 for one in shown.items if self.is_read(one.key))
            lines = ((f"{read} of {len(shown.items)} operations read", "dim"),)
        else:
            lines = (("all read", "dim"),) if unread == 0 else ()
        bar.left = lines

    def is_read(self, key: ItemKey) -> bool:
        """Whether every line of an operation has been on the screen."""
        return key in self._seen and self._seen[key].is_whole

    def clear(self, sentence: str) -> None:
        """Show no thread, and say why."""
        self.query_one("#title", Bar).left = ((visible(sentence), "dim"),)
        self.query_one("#title", Bar).right = ()
        self.query_one(OperationStrip).tabs = ()
        self.query_one("#unread", Bar).left = self.query_one("#unread", Bar).right = ()
        self.request.show(None)
        self.query_one("#state", Document).show(None)
