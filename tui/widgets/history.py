"""The past of a thread: its checkpoints as a drawn tree, and what differs between two of them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.reactive import var

from agent_lab_tui.graph.travelling.lanes import Rail, draw

from ..ages import age
from ..history_lines import CheckpointLine, checkpoint_line
from ..paper.difference import DifferenceSheet
from ..paper.rows import Piece
from ..visible import cut, fit, width
from .bar import Bar
from .document import Document
from .line_list import LineList

if TYPE_CHECKING:
    from agent_lab_tui.graph.travelling.comparing import Comparison
    from agent_lab_tui.graph.travelling.timeline import Checkpoint, Timeline

INKS = {"✖": "error", "◉": "accent", "○": "dim", "◆": "warning", "◇": "warning"}
"""The ink of each sign of a checkpoint."""
NAME, AGE = 14, 4


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """One line of the tree: a checkpoint, or branches that join."""

    rail: Rail
    column: int
    """Cells that the tree takes, on every line."""
    checkpoint: Checkpoint | None = None
    timeline: Timeline | None = None

    @property
    def line(self) -> CheckpointLine | None:
        """What is said of the checkpoint; written when the line is drawn, for ten thousand are not."""
        if self.checkpoint is None or self.timeline is None:
            return None
        return checkpoint_line(self.checkpoint, self.timeline)


def history_rows(timeline: Timeline) -> tuple[HistoryRow, ...]:
    """Draw a timeline, newest first."""
    stems = [(one.checkpoint_id, one.parent_id) for one in timeline.checkpoints]
    rows, rails = [], list(draw(stems))
    column = max((len(rail.text()) for rail in rails), default=1)
    for rail in rails:
        checkpoint = timeline.by_id.get(rail.checkpoint_id or "")
        rows.append(HistoryRow(rail, column, checkpoint, timeline))
    return tuple(rows)


class HistoryList(LineList[HistoryRow]):
    """Lists checkpoints as `git log --graph` does."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f", "travel('fork')", "Fork", id="history.fork", tooltip="Fork here with an edited state"),
        Binding("F", "travel('copy')", "Fork into", id="history.copy", tooltip="Fork into a new thread"),
        Binding("p", "travel('replay')", "Replay", id="history.replay", tooltip="See what a replay would do"),
        Binding("P", "travel('step')", "Replay a step", show=False, id="history.step"),
        Binding("c", "mark", "Compare", id="history.mark", tooltip="Compare others with this checkpoint"),
        Binding(
            "slash",
            "travel('seek')",
            "Find",
            key_display="/",
            id="history.seek",
            tooltip="Go to the head, a question, a step, an id, a state key",
        ),
        Binding(
            "i",
            "travel('inside')",
            "Inside",
            id="history.inside",
            tooltip="The subgraph that ran in this step",
        ),
        Binding("y", "travel('copy-id')", "Copy id", show=False, id="history.copy-id"),
        Binding("Y", "travel('copy-state')", "Copy state as JSON", show=False, id="history.copy-state"),
        Binding(
            "z",
            "travel('close')",
            "Close",
            id="history.close",
            tooltip="Close the question that was left behind here, with a reason",
        ),
    ]

    marked: var[str | None] = var(None, init=False)
    """The checkpoint that others are compared with; None for each one's parent."""

    @dataclass
    class Wanted(Message):
        """The operator wants something of a checkpoint."""

        what: str
        """fork, copy, replay, step, seek, inside, close, copy-id or copy-state."""
        checkpoint: Checkpoint

    def key_of(self, row: HistoryRow) -> object:
        """Return the checkpoint's id; for a joining line its drawing."""
        return row.checkpoint.checkpoint_id if row.checkpoint else row.rail

    def pieces_of(self, row: HistoryRow, width_: int) -> Sequence[Piece]:
        """Draw one line of the tree."""
        line, checkpoint = row.line, row.checkpoint
        if line is None or checkpoint is None:
            return ((" ", ""), (row.rail.text(), "rule"))
        is_marked = checkpoint.checkpoint_id == self.marked
        then = f"{age(checkpoint.at, time.time()):>{AGE}}"
        pieces: list[Piece] = [
            (" ", ""),
            (row.rail.before, "rule"),
            ("◈" if is_marked else line.mark, "accent" if is_marked else INKS.get(line.mark, "")),
            (row.rail.after.ljust(row.column - len(row.rail.before) - 1), "rule"),
            (f" {line.step:>3}  ", "dim"),
            (fit(line.name, NAME), "strong" if checkpoint.is_head else ""),
            (then, "dim"),
            ("  ", ""),
        ]
        left = width_ - sum(width(text) for text, _ in pieces) - 2
        note = cut(line.note, max(0, min(width_ // 3, left)))
        room = left - width(note)
        words = "error" if line.mark == "✖" else "warning" if checkpoint.waits else "dim"
        return [*pieces, (fit(line.words, max(0, room)), words), (f" {note}", "faint")]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to close a question only where one was left behind."""
        if action == "travel" and parameters == ("close",):
            checkpoint = self.current.checkpoint if self.current else None
            return checkpoint is not None and bool(checkpoint.waits) and not checkpoint.is_head
        return True

    def _watch_cursor(self) -> None:
        """Show the keys that mean something where the cursor is, beside what every list does."""
        self.refresh_bindings()

    def go_to_checkpoint(self, checkpoint_id: str) -> None:
        """Put the cursor on a checkpoint, where it is listed."""
        for index, row in enumerate(self.rows):
            if row.checkpoint is not None and row.checkpoint.checkpoint_id == checkpoint_id:
                self.cursor = index

    def action_travel(self, what: str) -> None:
        """Say what is wanted of the checkpoint under the cursor."""
        if self.current is not None and self.current.checkpoint is not None:
            self.post_message(self.Wanted(what, self.current.checkpoint))

    def action_mark(self) -> None:
        """Compare other checkpoints with the one under the cursor; on that one, with their parents again.

        On any other row the mark stays where it is, and so does what is compared.
        """
        row = self.current
        if row is not None and row.checkpoint is not None:
            own = row.checkpoint.checkpoint_id
            if self.marked is None or self.marked == own:
                self.marked = own if self.marked is None else None
            self.refresh()
            self.post_message(self.Highlighted(self, row))


class HistoryPane(Vertical):
    """Shows the tree, and below it what differs."""

    def compose(self) -> ComposeResult:
        """Lay out tree and difference."""
        yield HistoryList(id="tree")
        yield Bar(id="difference-title")
        yield Document(id="difference")

    @property
    def checkpoints(self) -> HistoryList:
        """The list of checkpoints."""
        return self.query_one(HistoryList)

    def show(self, timeline: Timeline) -> None:
        """Show the checkpoints that were read; the cursor keeps its own."""
        self.checkpoints.rows = history_rows(timeline)
        title = self.query_one("#difference-title", Bar)
        title.rule, title.is_left_first = "─", True
        if not timeline.is_complete:
            title.right = ((f"{len(timeline.checkpoints)} newest", "dim"),)
        else:
            title.right = ((f"{len(timeline.checkpoints)} checkpoints", "dim"),)

    def say_marked(self, step: int | None) -> None:
        """Say how the checkpoint to compare with is chosen."""
        self.show_difference(None, f"step {step} is marked: go to another row; c ends it")

    def show_difference(self, comparison: Comparison | None, sentence: str = "") -> None:
        """Show what differs between two checkpoints, or why nothing is compared."""
        title = self.query_one("#difference-title", Bar)
        if comparison is None:
            title.left = ((sentence, "dim"),)
            self.query_one("#difference", Document).show(None)
            return
        words = f"step {comparison.one.step} → step {comparison.other.step}"
        title.left = ((words, "dim"), *self._how_to_end(comparison))
        self.query_one("#difference", Document).show(DifferenceSheet(comparison))

    def _how_to_end(self, comparison: Comparison) -> tuple[Piece, ...]:
        """Say with which checkpoint all are compared, and how that ends."""
        for one in (comparison.one, comparison.other):
            if one.checkpoint_id == self.checkpoints.marked:
                return ((f" · c at step {one.step} ends it", "accent"),)
        return ()

    def clear(self) -> None:
        """Show nothing."""
        self.checkpoints.marked = None
        self.checkpoints.set_reactive(LineList.cursor, 0)
        self.checkpoints.rows = ()
        self.show_difference(None)
