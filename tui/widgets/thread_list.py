"""The threads, a line each: mark, id, what it asks, age."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from agent_lab_tui.graph.reading.situation import Situation

from ..ages import age
from ..paper.rows import Piece
from ..visible import cut, cut_middle, fit, visible
from .line_list import LineList

if TYPE_CHECKING:
    from agent_lab_tui.graph.reading.reader import ThreadLine

MARKS: dict[Situation, Piece] = {
    Situation.WAITING: ("●", "warning"),
    Situation.DECIDED: ("◐", "accent"),
    Situation.RUNNING: ("▶", "accent"),
    Situation.STUCK: ("✖", "error"),
    Situation.FAILED: ("✖", "error"),
    Situation.STOPPED: ("‖", "dim"),
    Situation.DONE: ("✓", "success"),
    Situation.FOREIGN: ("·", "dim"),
    Situation.QUIET: ("·", "dim"),
}
"""How each situation is marked: a sign and its ink; never by colour alone."""

LOUD = (Situation.WAITING, Situation.STUCK, Situation.FAILED)
AGE = 3
TICK = 10.0
"""Seconds after which ages are written again."""


class ThreadList(LineList["ThreadLine"]):
    """Lists the threads; posts which one the cursor is on."""

    HELP = "The threads: waiting ones first, what failed of your own decisions on top."

    def on_mount(self) -> None:
        """Let the ages tick."""
        self._told_at = time.time()
        self.set_interval(TICK, self._tell_ages)

    def _tell_ages(self) -> None:
        """Write those lines again whose ages read otherwise by now; most say the same for hours."""
        if not self.screen.is_current:
            return
        before, now = self._told_at, time.time()
        self._told_at = now
        top = self.scroll_offset.y
        for index, row in enumerate(self.rows[top : top + self.size.height], top):
            if age(row.updated_at, now) != age(row.updated_at, before):
                self.refresh_line(index)

    def key_of(self, row: ThreadLine) -> object:
        """Return the thread id."""
        return row.thread_id

    def pieces_of(self, row: ThreadLine, width: int) -> Sequence[Piece]:
        """Draw one thread."""
        mark, ink = MARKS[row.situation]
        room = width - 5 - AGE
        asks = visible(row.asks)
        named = room if not asks else max(min(12, room), room * 11 // 20)
        name = fit(cut_middle(visible(row.thread_id), named), named)
        return (
            (" ", ""),
            (mark, ink),
            (f" {name}", "" if row.situation in LOUD else "dim"),
            (f" {fit(cut(asks, room - named - 1), room - named - 1)}" if asks else "", "dim"),
            (f" {age(row.updated_at, time.time()):>{AGE}}", "dim"),
            (" ", ""),
        )
