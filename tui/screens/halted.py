"""What was halted in the lab or does not agree: a line each, and below it what puts it right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

from ..paper.lab import FindingSheet
from ..paper.rows import Piece, foreign
from ..visible import cut, cut_middle, fit, visible
from ..widgets.bar import Bar
from ..widgets.document import Document
from ..widgets.ink import INK_CLASSES
from ..widgets.line_list import LineList

if TYPE_CHECKING:
    from agent_lab_tui.graph.lab.registry import Finding

NAME = 24


class FindingList(LineList["Finding"]):
    """Lists disagreements, a line each."""

    HELP = "What was halted or does not agree in the lab; below, what puts it right."

    def key_of(self, row: Finding) -> object:
        """Return the task and what is wrong with it."""
        return row.task_id, row.finding

    def pieces_of(self, row: Finding, width: int) -> Sequence[Piece]:
        """Draw one disagreement."""
        name = fit(cut_middle(visible(row.task_id), NAME), NAME)
        return (
            (" ✖ ", "error"),
            (name, ""),
            (f"  {cut(visible(row.finding), width - NAME - 6)}", "dim"),
        )


class Halted(ModalScreen[str]):
    """Shows what does not agree; gives back the thread that is to be opened. Nothing is put right here."""

    COMPONENT_CLASSES: ClassVar[set[str]] = INK_CLASSES
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss", "Back", id="halted.back", tooltip="Back to the desk")
    ]

    def __init__(self, findings: tuple[Finding, ...]) -> None:
        super().__init__()
        self._findings = findings

    def compose(self) -> ComposeResult:
        """Lay out title, list, remedy and keys."""
        yield Bar(id="halted-title")
        yield FindingList(id="halted-list")
        yield Bar(id="halted-rule")
        yield Document(id="halted-remedy")
        yield Bar(id="halted-keys")

    def on_mount(self) -> None:
        """List them, the first one explained."""
        self.query_one("#halted-title", Bar).left = foreign("Halted in the lab, or disagreeing", "strong")
        self.query_one("#halted-rule", Bar).rule = "─"
        keys = "Enter opens the thread · Esc back · nothing runs by itself"
        self.query_one("#halted-keys", Bar).left = ((keys, "dim"),)
        listed = self.query_one(FindingList)
        listed.rows = self._findings
        listed.focus()
        self.explain()

    @on(LineList.Highlighted)
    def explain(self) -> None:
        """Write out the disagreement under the cursor."""
        if (current := self.query_one(FindingList).current) is not None:
            self.query_one(Document).show(FindingSheet(current))

    @on(LineList.Opened)
    def open_thread(self) -> None:
        """Leave for the thread under the cursor."""
        if (current := self.query_one(FindingList).current) is not None:
            self.dismiss(current.thread_id)
