"""The app: it notes keys, catches what must not reach the terminal, and opens the desk."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from textual import events
from textual.app import App
from textual.filter import LineFilter

from .decision_keys import DecisionKeys
from .net import Net
from .screens.desk import DeskScreen
from .terminal import restore_title, save_title

if TYPE_CHECKING:
    from agent_lab_tui.graph.desk import Desk


class DeskApp(App[None]):
    """The approval desk on the screen."""

    TITLE = "agent-lab-tui"
    CSS_PATH = "app.tcss"
    ENABLE_COMMAND_PALETTE = True
    HORIZONTAL_BREAKPOINTS: list[tuple[int, str]] = [  # noqa: RUF012 - as Textual declares it
        (0, "-narrow"),
        (100, "-medium"),
        (140, "-wide"),
    ]

    def __init__(self, desk: Desk, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._desk = desk
        self._keys = DecisionKeys()
        self._clock = clock
        self._net = Net()

    def on_mount(self) -> None:
        """Open the desk."""
        save_title(self)
        self.push_screen(DeskScreen(self._desk, self._keys, self._clock))

    def on_unmount(self) -> None:
        """Leave the terminal as it was."""
        restore_title(self)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Put the second net behind every other filter."""
        return (*super().get_line_filters(), self._net)

    async def on_event(self, event: events.Event) -> None:
        """Note each key of the terminal when it was pressed, before anything reacts to it."""
        if isinstance(event, events.Key) and not event.is_forwarded:
            self._keys.note(event.key, self._clock() - max(0.0, time.monotonic() - event.time))
        await super().on_event(event)
