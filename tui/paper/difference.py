"""What differs between two states, a place a row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agent_lab_tui.graph.travelling.text_diff import stretches
from agent_lab_tui.graph.travelling.timeline import Timeline

from ..history_lines import checkpoint_line, value_text
from .rows import Piece, Row, foreign, said

if TYPE_CHECKING:
    from agent_lab_tui.graph.travelling.comparing import Comparison
    from agent_lab_tui.graph.travelling.diff import Difference

PLACE = 14
LONG = 40
"""Texts of more characters are compared word by word."""
KINDS = {"added": "success", "removed": "error", "changed": "warning"}
MOST = 500
"""Differences that are written; more are counted."""


@dataclass(frozen=True, slots=True)
class DifferenceSheet:
    """Writes a comparison."""

    comparison: Comparison

    def rows(self, cells: int) -> Sequence[Row]:  # noqa: ARG002 - wraps later
        """Write each place that differs, then what is odd about the values."""
        found = self.comparison.differences
        rows = [row for difference in found[:MOST] for row in _rows(difference)]
        if not found:
            rows.append(said("The states are the same.", "dim"))
        if len(found) > MOST:
            rows.append(said(f"… and {len(found) - MOST:,} more places", "dim"))
        rows += [Row(foreign(warning, "warning")) for warning in self.comparison.warnings]
        return [*rows, *_ways(self.comparison)]

    def part(self, fold: str) -> Sequence[Row]:  # noqa: ARG002 - the sheet's fold
        """Return nothing: nothing is folded."""
        return ()


def _ways(comparison: Comparison) -> Iterator[Row]:
    """Write what was asked, decided and done on the way to each side, since they parted."""
    for side, way in ((comparison.one, comparison.way_to_one), (comparison.other, comparison.way_to_other)):
        happened = comparison.happened(way)
        if not happened or comparison.met is None:
            continue
        yield Row()
        yield said(f"On the way to step {side.step}", "label")
        for step in happened:
            words = checkpoint_line(step, Timeline("", (step,))).words
            yield Row(((words, ""),), ((f"step {step.step}", "dim"),), PLACE)
            for question in step.questions or ():
                if question.id in comparison.answers:
                    answer = value_text(comparison.answers[question.id])
                    yield Row((*foreign(question.node), (f" was answered {answer}", "")), (), PLACE)


def _rows(difference: Difference) -> Iterator[Row]:
    head = foreign(difference.place or "(all)", "key")
    before, after = difference.before, difference.after
    kind: Piece = (f"{difference.kind}  ", KINDS[difference.kind])
    if difference.kind == "added":
        body: tuple[Piece, ...] = (kind, (value_text(after), ""))
    elif difference.kind == "removed":
        body = (kind, (value_text(before), ""))
    elif isinstance(before, str) and isinstance(after, str) and max(len(before), len(after)) > LONG:
        body = (kind, *_stretches(before, after))
    else:
        body = (kind, (value_text(before), ""), ("  →  ", "dim"), (value_text(after), ""))
    yield Row(body, head, PLACE)


def _stretches(before: str, after: str) -> Iterator[Piece]:
    """Write two long texts as one, with what was taken away and what was added."""
    inks = {"same": "dim", "removed": "removed", "added": "added"}
    for part in stretches(before, after):
        yield from foreign(part.text, inks[part.kind])
