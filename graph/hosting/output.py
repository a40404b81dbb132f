"""Where a host's graphs print to: a file without a name, read while it grows.

A pipe would block the node when it is full and break it when the desk is gone.
"""

from __future__ import annotations

import fcntl
import os
import tempfile

LONGEST = 1 << 20
"""Bytes that are read at once: of more, the last ones."""


class HostOutput:
    """Text that every host of one desk appends to; it vanishes with the last process that has it open."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the desk is
        descriptor = self._file.fileno()
        fcntl.fcntl(descriptor, fcntl.F_SETFL, fcntl.fcntl(descriptor, fcntl.F_GETFL) | os.O_APPEND)

    def fileno(self) -> int:
        """Return the descriptor that a host writes to."""
        return self._file.fileno()

    @property
    def is_closed(self) -> bool:
        """Whether it was let go of; nothing can be read any more."""
        return self._file.closed

    @property
    def size(self) -> int:
        """Bytes so far: what to give to `text` as the start next time."""
        return 0 if self.is_closed else os.fstat(self._file.fileno()).st_size

    def text(self, start: int = 0) -> str:
        """Return what was printed from a byte on, at most the last MiB of it; raw foreign text."""
        end = self.size
        start = max(start, end - LONGEST)
        if start >= end:
            return ""
        return os.pread(self._file.fileno(), end - start, start).decode("utf-8", "replace")

    def close(self) -> None:
        """Let go of the file; a host that still runs keeps it for itself."""
        self._file.close()
