"""The line on top: which database, how many threads in which situation, and what is out of the ordinary."""

from __future__ import annotations

from collections import Counter

from textual.reactive import reactive

from agent_lab_tui.graph.reading.situation import Situation

from ..paper.rows import Piece
from .bar import Bar
from .thread_list import MARKS

COUNTED = (
    (Situation.WAITING, "waiting"),
    (Situation.FAILED, "failed"),
    (Situation.STUCK, "stuck"),
    (Situation.DECIDED, "decided"),
    (Situation.RUNNING, "running"),
    (Situation.STOPPED, "stopped"),
)


class Header(Bar):
    """Names the database and counts its threads; holds no foreign text."""

    database: reactive[str] = reactive("")
    """File name, visible."""
    counts: reactive[Counter[Situation]] = reactive(Counter)
    arrived: reactive[int] = reactive(0)
    """Questions that came while the operator was in the middle of a request."""
    is_readonly: reactive[bool] = reactive(False)
    is_counting: reactive[bool] = reactive(True)
    """Not every thread has been read yet."""
    trouble: reactive[str] = reactive("")
    """Such as `host restarting` or `database gone`."""

    def _watch_any(self) -> None:
        """Write the line again."""
        self.left = self._words()
        self.right = self._numbers()

    watch_database = watch_counts = watch_arrived = _watch_any
    watch_is_readonly = watch_is_counting = watch_trouble = _watch_any

    def _words(self) -> tuple[Piece, ...]:
        pieces: list[Piece] = [(self.database, "strong")]
        if self.is_readonly:
            pieces.append(("  read-only", "warning"))
        if self.trouble:
            pieces.append((f"  {self.trouble}", "error"))
        if self.arrived:
            pieces.append((f"  {self.arrived} new ↑", "accent"))
        return tuple(pieces)

    def _numbers(self) -> tuple[Piece, ...]:
        pieces: list[Piece] = []
        for situation, word in COUNTED:
            if count := self.counts[situation]:
                pieces += [(f"{count} {word}", MARKS[situation][1]), ("  ", "")]
        total = sum(self.counts.values())
        ending = "" if total == 1 else "s"
        return (*pieces, (f"{total:,}{'…' if self.is_counting else ''} thread{ending}", "dim"))
