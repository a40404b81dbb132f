"""A real terminal around the real program: what a person would see, read by a terminal emulator."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pyte
import pytest

PATIENCE = 90.0
"""Seconds after which something that was waited for is missing."""
PAUSE = 1.2
"""Seconds between two presses of a deciding key: faster ones do not count."""
KEYS = {
    "enter": "\r",
    "escape": "\x1b",
    "space": " ",
    "down": "\x1b[B",
    "up": "\x1b[A",
    "tab": "\t",
    "end": "\x1b[F",
}
_UNKNOWN = re.compile(
    rb"\x1b\[(?:[<>=][^a-zA-Z]*[a-zA-Z]|\?[0-9;]*\$p|[0-9;]*t)|\x1b\]22;[a-z-]*(?:\x1b\\|\x07)"
)
"""Sequences that the emulator does not know: it would draw them, or take a pointer's shape for a title."""


class Terminal:
    """One run of the program in a pseudo-terminal."""

    def __init__(self, arguments: list[str], cwd: Path, size: tuple[int, int]) -> None:
        columns, rows = size
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self.raw = b""
        self.code: int | None = None
        environment = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}
        self._pid, self._fd = pty.fork()
        if not self._pid:
            os.chdir(cwd)
            os.execve(sys.executable, [sys.executable, "-m", "agent_lab_tui.tui", *arguments], environment)
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, seconds: float = 0.05) -> None:
        """Take what the program has written, waiting for it so long."""
        while select.select([self._fd], [], [], seconds)[0]:
            try:
                chunk = os.read(self._fd, 65536)
            except OSError:
                chunk = b""
            if not chunk:
                self._end()
                return
            self.raw += chunk
            self._stream.feed(_UNKNOWN.sub(b"", chunk))
            seconds = 0.0

    def _end(self) -> None:
        if self.code is None:
            _, status = os.waitpid(self._pid, 0)
            self.code = os.waitstatus_to_exitcode(status)

    def text(self) -> str:
        """Return what the screen shows."""
        return "\n".join(line.rstrip() for line in self.screen.display)

    def until(self, condition: Callable[[], object]) -> None:
        """Wait until something is so."""
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, f"it never came to be:\n{self.text()}"
            self.read()

    def until_seen(self, text: str) -> None:
        """Wait until a text is on the screen."""
        self.until(lambda: text in self.text())

    def rest(self, seconds: float = PAUSE) -> None:
        """Do nothing for a while, as a person does; the program goes on."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.read(min(left, 0.1))

    def press(self, *keys: str) -> None:
        """Press keys, each as long after the one before as a person who means it."""
        for key in keys:
            self.rest()
            os.write(self._fd, KEYS.get(key, key).encode())
        self.read(0.2)

    def type(self, text: str) -> None:
        """Type a text."""
        for char in text:
            os.write(self._fd, char.encode())
            self.read(0.02)

    def wait_for_end(self) -> int:
        """Wait until the program has ended; return its exit code."""
        self.until(lambda: self.code is not None)
        assert self.code is not None
        return self.code

    def close(self) -> None:
        """End the program, if it has not."""
        if self.code is None:
            with suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)
            self._end()
        os.close(self._fd)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Callable[..., Terminal]]:
    """Start the program in terminals; all are closed in the end."""
    opened: list[Terminal] = []

    def start(*arguments: str, size: tuple[int, int] = (80, 24)) -> Terminal:
        opened.append(Terminal([str(argument) for argument in arguments], tmp_path, size))
        return opened[-1]

    yield start
    for one in opened:
        one.close()
