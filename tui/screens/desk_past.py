"""The history beside the request: read when it is looked at, compared when the cursor rests."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

from textual import on

from .. import news
from ..flows import looking_back, travelling
from ..shown import Shown
from ..widgets.history import HistoryList, HistoryPane, HistoryRow
from ..widgets.work import Work
from .desk_state import DeskState
from .state import StateScreen

PAUSE = 0.08
"""Seconds for which the cursor rests on a checkpoint before its state is read."""
NEAR = 12
"""Rows before the end at which older checkpoints are read."""


class DeskPast(DeskState):
    """Shows the checkpoints of the thread in front, and travels from them."""

    _timeline: news.PastRead | None = None
    _past_of: str | None = None
    _is_reading_older = False

    @property
    def is_past_seen(self) -> bool:
        """Whether the history is on the screen: as a page, or beside the request."""
        return self.query_one(HistoryPane).display and (
            self.query_one(Work).page == "history" or self.has_class("-wide")
        )

    def read_past(self) -> None:
        """Read the past of the thread in front, if it is not shown already."""
        if self.shown is not None and self._past_of != self.shown.thread.thread_id:
            self._past_of = self.shown.thread.thread_id
            self.query_one(HistoryPane).clear()
            self.past.read(self._past_of)

    def refresh_past(self, before: Shown | None, shown: Shown) -> None:
        """Read the past again where the thread has moved on and somebody looks."""
        if before is not None and before.thread.thread_id == shown.thread.thread_id:
            if self._past_of == shown.thread.thread_id and before.thread.digest != shown.thread.digest:
                self.past.read(shown.thread.thread_id)
        elif self.is_past_seen:
            self.read_past()
        else:
            self._past_of = None

    @on(news.PastRead)
    def take_past(self, message: news.PastRead) -> None:
        """Show checkpoints that were read."""
        if message.timeline.thread_id != self._past_of:
            return
        self._is_reading_older = False
        is_first = not self.query_one(HistoryPane).checkpoints.rows
        self._timeline = message
        self.query_one(HistoryPane).show(message.timeline)
        if message.at is not None:
            self.query_one(HistoryPane).checkpoints.go_to_checkpoint(message.at)
        if is_first:
            self._compare()

    @on(news.PastUnread)
    def take_past_unread(self, message: news.PastUnread) -> None:
        """Say why the past cannot be read; it is read when it is asked for again."""
        self.note(f"The history could not be read: {message.sentence}", "warning")
        if message.thread_id == self._past_of:
            self._past_of, self._is_reading_older = None, False

    @on(HistoryList.Highlighted, "HistoryList")
    def rest_on(self, message: HistoryList.Highlighted) -> None:
        """Compare the checkpoint on which the cursor rests; read older ones near the end."""
        message.stop()
        self.set_timer(PAUSE, lambda: self._compare() if self._current() is message.row else None)
        listed, past = self.query_one(HistoryPane).checkpoints, self._timeline
        is_near_end = listed.cursor >= len(listed.rows) - NEAR
        if past and is_near_end and not past.timeline.is_complete and not self._is_reading_older:
            self._is_reading_older = True
            self.past.read_older(past.timeline)

    def _current(self) -> HistoryRow | None:
        return self.query_one(HistoryPane).checkpoints.current

    def _compare(self) -> None:
        """Compare the checkpoint under the cursor with the marked one, or with its parent."""
        pane, row = self.query_one(HistoryPane), self._current()
        if row is None or row.checkpoint is None or self._past_of is None:
            return
        own, marked = row.checkpoint.checkpoint_id, pane.checkpoints.marked
        if marked is not None and marked != own:
            self.past.compare(self._past_of, *sorted((own, marked)))
        elif marked is not None:
            pane.say_marked(row.checkpoint.step)
        elif row.checkpoint.parent_id is None:
            pane.show_difference(None, "the beginning")
        else:
            self.past.compare(self._past_of, own, None)

    @on(news.Compared)
    def take_comparison(self, message: news.Compared) -> None:
        """Show what differs."""
        if message.thread_id == self._past_of:
            self.query_one(HistoryPane).show_difference(message.comparison, message.sentence)

    @on(HistoryList.Opened, "HistoryList")
    def open_state(self, message: HistoryList.Opened) -> None:
        """Read the state at the checkpoint under the cursor."""
        message.stop()
        row = self._current()
        if row is not None and row.checkpoint is not None and self._past_of is not None:
            self.past.read_state(self._past_of, row.checkpoint.checkpoint_id)

    @on(news.Opened)
    def show_state(self, message: news.Opened) -> None:
        """Show a state of the past on the whole screen."""
        step = message.opened.checkpoint.step
        self.app.push_screen(StateScreen(f"State of {self._past_of} at step {step}", message.opened))

    @on(HistoryList.Wanted)
    def travel(self, message: HistoryList.Wanted) -> None:
        """Look around in the past, or fork or replay from a checkpoint."""
        looks = {
            "seek": looking_back.seek,
            "inside": looking_back.go_inside,
            "copy-id": looking_back.copy_id,
            "copy-state": looking_back.copy_state,
        }
        if message.what in looks:
            self.start_flow(looks[message.what](self, message.checkpoint), "It could not be read")
        elif self.desk.is_readonly or (message.what != "close" and not self.can_decide):
            self.note("Nothing can be run: the desk is read-only, or no graph is loaded.", "warning")
        else:
            self.start_flow(self._flow(message))

    def _flow(self, message: HistoryList.Wanted) -> Coroutine[Any, Any, None]:
        if message.what in ("replay", "step"):
            return travelling.replay(self, message.checkpoint, is_one_step=message.what == "step")
        if message.what == "close":
            return looking_back.close(self, message.checkpoint)
        return travelling.fork(self, message.checkpoint, is_new=message.what == "copy")
