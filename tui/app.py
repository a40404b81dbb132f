"""The app: it notes keys, catches what must not reach the terminal, and opens the desk."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual import events, on
from textual.app import App
from textual.binding import Binding
from textual.css.query import NoMatches
from textual.filter import LineFilter
from textual.message import Message
from textual.screen import Screen
from textual.worker import WorkerFailed

from .decision_keys import DecisionKeys
from .net import Net
from .screens.opening import OpeningScreen
from .terminal import restore_title, save_title

if TYPE_CHECKING:
    from agent_lab_tui.graph.desk import Desk

    from .threads import Threads


KEY_NAMES = {
    "escape": "Esc",
    "space": "Space",
    "enter": "Enter",
    "tab": "Tab",
    "backspace": "Backspace",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "home": "Home",
    "end": "End",
    "full_stop": ".",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
}
"""Keys whose name in Textual is not what stands on them."""


class DeskApp(App[None]):
    """The approval desk on the screen.

    The first frame stands before anything but the screen is loaded; a desk that is still to be opened is
    opened after it.
    """

    TITLE = "agent-lab-tui"
    CSS_PATH = "app.tcss"
    ENABLE_COMMAND_PALETTE = True
    HORIZONTAL_BREAKPOINTS: list[tuple[int, str]] = [  # noqa: RUF012 - as Textual declares it
        (0, "-narrow"),
        (100, "-medium"),
        (140, "-wide"),
    ]

    VERTICAL_BREAKPOINTS: list[tuple[int, str]] = [  # noqa: RUF012 - as Textual declares it
        (0, "-tiny"),
        (10, "-flat"),
        (16, "-tall"),
    ]

    @dataclass
    class Opened(Message):
        """The desk is open, and its newest threads were read."""

        desk: Desk
        threads: Threads

    @dataclass
    class Loaded(Message):
        """Everything that the desk's screen needs is loaded."""

    def __init__(self, desk: Desk | Callable[[], Desk], clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._make = desk if callable(desk) else lambda: desk
        self._keys = DecisionKeys()
        self._clock = clock
        self._net = Net()
        self._opened: DeskApp.Opened | None = None
        self.failure: Exception | None = None
        """Why the desk could not be opened."""

    def get_default_screen(self) -> Screen[None]:
        """Begin with the first frame itself: an empty screen would be laid out and painted before it.

        What the size of the terminal means for its styles is said at once: it would be styled twice.
        """
        width, height = self.size
        classes = (_reached(width, self.HORIZONTAL_BREAKPOINTS), _reached(height, self.VERTICAL_BREAKPOINTS))
        return OpeningScreen(classes=" ".join(classes))

    def on_mount(self) -> None:
        """Show the first frame, then open the desk."""
        save_title(self)
        self.screen.call_after_refresh(self._away, self._open)

    def _away(self, work: Callable[[], None]) -> None:
        self.run_worker(partial(self._told, work), thread=True, exit_on_error=False)

    def _told(self, work: Callable[[], None]) -> None:
        try:
            work()
        except Exception as error:  # noqa: BLE001 - whoever runs the app tells it, in one sentence
            self.failure = error
            self.call_from_thread(self.exit)

    def _open(self) -> None:
        """Open the desk and read its newest threads, away from the interface."""
        desk = self._make()
        # Loaded here and not above: the first frame must not wait for a hundred modules.
        from .threads import Threads

        self.post_message(self.Opened(desk, Threads().replaced(desk.lines())))

    def _load(self) -> None:
        """Load the desk's screen, away from the interface."""
        from .screens import desk as _desk  # noqa: F401

        self.post_message(self.Loaded())

    @on(Opened)
    def show_threads(self, message: Opened) -> None:
        """Show the newest threads as soon as they are read; what loads meanwhile would hold them up."""
        self._opened = message
        if isinstance(self.screen, OpeningScreen):
            self.screen.show(message.desk, message.threads)
        self.screen.call_after_refresh(self._away, self._load)

    @on(Loaded)
    def show_desk(self) -> None:
        """Put the desk over the first frame; Textual cannot take the screen away that it began with."""
        from .screens.desk import DeskScreen

        if self._opened is not None:
            desk = DeskScreen(self._opened.desk, self._keys, self._clock, self._opened.threads)
            desk.set_classes(self.screen.classes)
            self.push_screen(desk)

    def close(self) -> None:
        """Close the desk, if it was opened here."""
        if self._opened is not None:
            self._opened.desk.close()

    def _handle_exception(self, error: Exception) -> None:
        """Pass over a missing widget while the app is taken down: what asked for it came too late."""
        cause = error.error if isinstance(error, WorkerFailed) else error
        if not (isinstance(cause, NoMatches) and not self.is_running):
            super()._handle_exception(error)

    def _fatal_error(self) -> None:
        """Tell of a crash without the values of variables: they are the agent's data."""
        from rich.segment import Segments
        from rich.traceback import Traceback

        self.bell()
        self._exit_renderables.append(
            Segments(self.console.render(Traceback(width=None, show_locals=False), self.console.options))
        )
        self._close_messages_no_wait()

    def on_unmount(self) -> None:
        """Leave the terminal as it was."""
        restore_title(self)

    def get_key_display(self, binding: Binding) -> str:
        """Name a key, in footer and help alike, as it is written everywhere else: Esc, Space, PgDn."""
        return binding.key_display or KEY_NAMES.get(binding.key) or super().get_key_display(binding)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Put the second net behind every other filter."""
        return (*super().get_line_filters(), self._net)

    async def on_event(self, event: events.Event) -> None:
        """Note each key of the terminal when it was pressed, before anything reacts to it."""
        if isinstance(event, events.Key) and not event.is_forwarded:
            self._keys.note(event.key, self._clock() - max(0.0, time.monotonic() - event.time))
        await super().on_event(event)


def _reached(size: int, breakpoints: list[tuple[int, str]]) -> str:
    """Name the last breakpoint that a width or height reaches; they stand in order, from 0 on."""
    return [name for least, name in breakpoints if size >= least][-1]
