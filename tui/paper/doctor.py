"""What the doctor found, written out: evidence, remedy, and which keys lead on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agent_lab_tui.graph.reading.situation import Situation

from .rows import Row, foreign, labelled, said
from .standing import WAYS

if TYPE_CHECKING:
    from agent_lab_tui.graph.checking.ailments import Ailment

COLUMN = 10


@dataclass(frozen=True, slots=True)
class AilmentSheet:
    """Writes one finding."""

    ailment: Ailment
    situation: Situation | None = None
    """Where its thread stands, as the list has it."""
    can_repair: bool = True
    can_open: bool = True
    """Its thread is in the database."""

    def rows(self, cells: int) -> Sequence[Row]:  # noqa: ARG002 - rows wrap by themselves
        """Write finding, evidence, remedy and keys."""
        one = self.ailment
        return [
            Row(foreign(f"{one.finding}.", "strong")),
            Row(),
            *labelled("Evidence", [foreign(f"{one.evidence}.")], COLUMN),
            *labelled("Remedy", [foreign(one.remedy)], COLUMN),
            *labelled("Here", list(self._keys()), COLUMN),
        ]

    def part(self, fold: str) -> Sequence[Row]:  # noqa: ARG002 - nothing is folded
        """Return nothing: nothing is folded."""
        return ()

    def _keys(self) -> Iterator[Sequence[tuple[str, str]]]:
        """Say what can be done on the screen."""
        one = self.ailment
        if one.settles is not None and self.can_repair:
            yield ("w", "accent"), (f" writes {one.settles[1]} into the journal, after asking", "dim")
        if one.thread_id is not None and self.can_open:
            way = WAYS.get(self.situation, "") if self.situation else ""
            yield ("Enter", "accent"), (f" opens the thread{f': {way}' if way else ''}", "dim")
        elif one.thread_id is not None:
            yield (("nothing to open: its thread is not in this database", "dim"),)
        elif one.settles is None:
            yield (("nothing: it is mended outside of the desk", "dim"),)


def announced(ailments: Sequence[Ailment]) -> list[Row]:
    """Write what a repair will do, a decision each, with its evidence."""
    rows: list[Row] = [said("Written into the journal; nothing is sent and nothing runs:", "label"), Row()]
    for one in ailments:
        if one.settles is not None:
            decision, outcome = one.settles
            rows.append(Row((*foreign(f"{one.thread_id}: "), (f"{decision} becomes {outcome}", "strong"))))
            rows.append(Row(foreign(f"{one.evidence}.", "dim"), head=(("", ""),), indent=4))
    return rows
