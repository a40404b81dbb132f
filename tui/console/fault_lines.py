"""The fault table as `lab faults` prints it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agent_lab_tui.graph.lab.faults.table import Line, Row

HEAD = (
    "| agent | killed at | kills | window | recover found | remedy | asked about effects | ends | differs |",
    "|---|---|--:|---|---|---|--:|---|---|",
)


def progress_line(row: Row) -> str:
    """Return one kill and what came of it, as it is told while the table is made."""
    mark = "✓" if row.is_sound else "✖"
    asked = f", asked {row.asked}x" if row.asked else ""
    return f"{mark} {row.play}  {row.place}: {row.ends}{asked}{f'; {row.differs}' if row.differs else ''}"


def table_lines(lines: Iterable[Line]) -> Iterator[str]:
    """Yield the table in Markdown."""
    yield from HEAD
    for line in lines:
        cells = (
            line.play,
            f"`{line.place}`",
            str(line.kills),
            line.window,
            line.found,
            line.remedy,
            str(line.asked),
            line.ends,
            line.differs or "-",
        )
        yield "| " + " | ".join(cells) + " |"


def verdict_line(rows: list[Row]) -> str:
    """Sum the table up."""
    sound = sum(row.is_sound for row in rows)
    asked = sum(row.asked for row in rows)
    return (
        f"{len(rows)} kills: {sound} came to the end of an undisturbed run, everything done once;"
        f" {asked} times a person was asked what became of an effect."
    )
