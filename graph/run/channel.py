"""The host's end of the line to the desk: frames come in on one thread and go out on another.

A desk that reads slowly must not hold a run up, so what is to be sent waits in a queue.
"""

from __future__ import annotations

import queue
import socket
import threading
from collections.abc import Callable
from typing import Any

from ..hosting.frames import Closed, pack, read

FLUSH_SECONDS = 2.0
"""How long the last words may take to be read before the host ends without them."""


class Channel:
    """A connection to the desk; may be used from any thread."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._outgoing: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._writer = threading.Thread(target=self._write, name="to the desk", daemon=True)
        self._writer.start()

    def receive(self) -> dict[str, Any]:
        """Wait for the next frame.

        Raises:
            Closed: The desk is gone.
        """
        return read(self._connection)

    def listen(self, on_frame: Callable[[dict[str, Any]], None], on_closed: Callable[[], None]) -> None:
        """Hand every further frame on, from a thread of its own, until the desk is gone."""

        def listen() -> None:
            try:
                while True:
                    on_frame(read(self._connection))
            except Closed:
                on_closed()

        threading.Thread(target=listen, name="from the desk", daemon=True).start()

    def send(self, frame: dict[str, Any]) -> None:
        """Queue a frame; it is dropped when the desk is gone."""
        self._outgoing.put(frame)

    def flush(self) -> None:
        """Send what is queued and nothing after it."""
        self._outgoing.put(None)
        self._writer.join(FLUSH_SECONDS)

    def _write(self) -> None:
        while (frame := self._outgoing.get()) is not None:
            try:
                self._connection.sendall(pack(frame))
            except OSError:
                return
