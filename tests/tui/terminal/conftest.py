"""A real terminal of 80 by 24: the desk runs in a process of its own behind a pseudo-terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pyte
import pytest

PATIENCE = 60.0
"""Seconds after which something that was waited for is missing."""
PAUSE = 1.1
"""Seconds between two keys of a person: a key counts as a decision only after one without it."""

KEYS = {
    "enter": "\r",
    "escape": "\x1b",
    "down": "\x1b[B",
    "up": "\x1b[A",
    "left": "\x1b[D",
    "right": "\x1b[C",
    "home": "\x1b[H",
    "end": "\x1b[F",
    "backspace": "\x7f",
    "space": " ",
    "ctrl+s": "\x13",
    "tab": "\t",
}


class Terminal:
    """A person at a terminal: presses keys and reads what it shows."""

    def __init__(self, arguments: list[str], folder: Path, environment: dict[str, str]) -> None:
        self.screen = pyte.Screen(80, 24)
        self._stream = pyte.ByteStream(self.screen)
        self._line, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.process = subprocess.Popen(
            [sys.executable, "-m", "agent_lab_tui.tui", *arguments],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=folder,
            env={**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", **environment},
            start_new_session=True,
        )
        os.close(theirs)

    @property
    def text(self) -> str:
        """What stands on the screen."""
        return "\n".join(line.rstrip() for line in self.screen.display)

    def look(self, seconds: float) -> None:
        """Take in what the terminal shows, for some time."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            ready, _, _ = select.select([self._line], [], [], left)
            if not ready:
                return
            try:
                self._stream.feed(os.read(self._line, 65536))
            except OSError:
                return

    def until(self, *texts: str) -> None:
        """Wait until the screen shows every one of some texts."""
        end = time.monotonic() + PATIENCE
        while missing := [text for text in texts if text not in self.text]:
            assert time.monotonic() < end, f"{missing} never came:\n{self.text}"
            self.look(0.1)

    def until_true(self, condition: Callable[[], object]) -> None:
        """Wait until something is so."""
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, f"it never came to be:\n{self.text}"
            self.look(0.1)

    def press(self, *keys: str, pause: float = PAUSE) -> None:
        """Press keys one after another, as a person does."""
        for key in keys:
            self.look(pause)
            os.write(self._line, KEYS.get(key, key).encode())
            self.look(0.1)

    def type(self, text: str) -> None:
        """Type a text."""
        for char in text:
            self.press(char, pause=0.03)

    def close(self) -> int:
        """Leave the desk and return its exit code."""
        if self.process.poll() is None:
            self.press("q")
            end = time.monotonic() + PATIENCE
            while self.process.poll() is None and time.monotonic() < end:
                self.look(0.1)
        if self.process.poll() is None:
            self.process.kill()
        os.close(self._line)
        return self.process.wait()


@pytest.fixture
def terminal() -> Iterator[Callable[..., Terminal]]:
    """Open desks in terminals; all of them are closed in the end."""
    opened: list[Terminal] = []

    def open_(*arguments: str, folder: Path, **environment: str) -> Terminal:
        opened.append(Terminal(list(arguments), folder, environment))
        return opened[-1]

    yield open_
    for one in opened:
        if one.process.poll() is None:
            one.process.kill()
            one.process.wait()
