"""What the graphs printed, and why one could not be loaded, as rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..visible import width
from .rows import Row, foreign, foreign_lines, said
from .values import LONGEST_NAME

if TYPE_CHECKING:
    from agent_lab_tui.graph.hosting.facts import GraphFacts


@dataclass(frozen=True, slots=True)
class LogSheet:
    """Writes the graphs as loaded, then their output."""

    facts: tuple[GraphFacts, ...]
    text: str

    def rows(self, cells: int) -> Sequence[Row]:  # noqa: ARG002 - wraps later
        """Write each graph with its trouble, then every line that was printed."""
        names = max((sum(width(text) for text, _ in foreign(one.name)) for one in self.facts), default=0)
        rows = [row for one in self.facts for row in _graph(one, min(names, LONGEST_NAME) + 2)]
        if rows:
            rows.append(Row())
        if not self.text:
            return [*rows, said("Nothing was printed by the graphs yet.", "dim")]
        return [*rows, *(Row(line) for line in _lines(self.text))]

    def part(self, fold: str) -> Sequence[Row]:  # noqa: ARG002 - the sheet's fold
        """Return nothing: no part of a log is folded."""
        return ()


def _graph(facts: GraphFacts, column: int) -> Iterator[Row]:
    state = "could not be loaded" if facts.error else f"loaded, {len(facts.nodes)} nodes"
    yield said(state, "error" if facts.error else "dim", head=foreign(facts.name, "strong"), indent=column)
    for sentence, ink in ((facts.note, "dim"), (facts.error or "", "error"), (facts.traceback or "", "")):
        yield from (
            Row(line, head=(("", ""),), indent=2) for line in foreign_lines(sentence, ink) if sentence
        )


def _lines(text: str) -> Iterator[tuple[tuple[str, str], ...]]:
    """Split output into lines; here a line feed needs no mark."""
    for line in text.rstrip("\n").split("\n"):
        yield foreign(line)
