"""One line with something on its left and something on its right."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from textual.reactive import reactive
from textual.strip import Strip

from ..paper.rows import Piece
from ..visible import cut
from .ink import Inked


def cells(pieces: Sequence[Piece]) -> int:
    """Count the cells that pieces take."""
    return sum(cell_len(text) for text, _ in pieces)


def cropped(pieces: Sequence[Piece], room: int) -> list[Piece]:
    """Cut pieces so that they take at most `room` cells."""
    out: list[Piece] = []
    for text, ink in pieces:
        if room <= 0:
            break
        text = cut(text, room)
        room -= cell_len(text)
        out.append((text, ink))
    return out


class Bar(Inked):
    """A line of inked pieces; the right side is whole, the left is cut where there is no room.

    With `is_left_first` it is the other way round: what is on the right gives way.
    """

    left: reactive[tuple[Piece, ...]] = reactive(tuple)
    right: reactive[tuple[Piece, ...]] = reactive(tuple)
    rule: reactive[str] = reactive(" ")
    """What stands between left and right."""
    is_left_first: reactive[bool] = reactive(False)

    def render_line(self, y: int) -> Strip:
        """Draw the line."""
        width = self.size.width
        if y:
            return Strip.blank(width, self.rich_style)
        free = width - 2 - (cells(self.left) + 3 if self.is_left_first else 0)
        right = cropped(self.right, width - 2) if cells(self.right) <= free or not self.is_left_first else []
        room = width - 2 - cells(right) - (1 if right else 0)
        left = cropped(self.left, room)
        gap = width - 2 - cells(left) - cells(right)
        filling = self.rule * gap if self.rule == " " or gap < 2 else f" {self.rule * (gap - 2)} "
        pieces = [(" ", ""), *left, (filling, "rule" if self.rule != " " else ""), *right, (" ", "")]
        return Strip(self.segments(pieces)).adjust_cell_length(width, self.rich_style)

    def piece_at(self, x: int) -> int | None:
        """Return the index of the left piece at a column."""
        at = 1
        for index, (text, _) in enumerate(self.left):
            at += cell_len(text)
            if x < at:
                return index if x else None
        return None
