"""The names of the pages beside the list, on one line."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.message import Message
from textual.reactive import reactive

from .bar import Bar

PAGES = (("request", "Request"), ("state", "State"), ("history", "History"), ("log", "Run log"))
"""Id and title of each page."""
LAB = ("lab", "Lab")
"""The page of a thread that belongs to a task of the lab."""


class TabLine(Bar):
    """Shows which page is open."""

    pages: reactive[tuple[tuple[str, str], ...]] = reactive(PAGES)
    page: reactive[str] = reactive("request")

    @dataclass
    class Chosen(Message):
        """A page was clicked."""

        page: str

    def _watch_any(self) -> None:
        self.left = tuple(
            piece
            for page, title in self.pages
            for piece in ((title, "tab" if page == self.page else "dim"), ("   ", ""))
        )

    watch_page = watch_pages = _watch_any

    def on_click(self, event: events.Click) -> None:
        """Tell which page was clicked."""
        at = self.piece_at(event.x)
        if at is not None:
            self.post_message(self.Chosen(self.pages[at // 2][0]))
