"""Rows of inked pieces, and how they are wrapped into lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from rich.cells import cell_len, get_character_cell_size

from ..visible import cut, pieces

Piece = tuple[str, str]
"""A visible text and the name of its ink (see `widgets.ink`); "" for plain."""

SIGNS = (".,;:/=&?)]}", "_-")
"""After which a long word is broken: the first of them where there is one, else the second."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a document: a head in its own column, and a body that wraps beside it."""

    body: tuple[Piece, ...] = ()
    head: tuple[Piece, ...] = ()
    """Label or argument name; drawn on the first line, in the first `indent` cells."""
    indent: int = 0
    """Cells in which the head stands and the body's further lines are set off."""
    fold: str | None = None
    """What opens in the viewer from here."""
    hidden: int = 0
    """Lines that this row stands for."""

    @property
    def body_text(self) -> str:
        """The body without inks."""
        return "".join(text for text, _ in self.body)

    @property
    def text(self) -> str:
        """Head and body without inks."""
        return "".join(text for text, _ in (*self.head, *self.body))


def said(text: str, ink: str = "", *, indent: int = 0, head: Sequence[Piece] = ()) -> Row:
    """Make a row of words of ours."""
    return Row(body=((text, ink),), head=tuple(head), indent=indent)


def foreign(text: str, ink: str = "") -> tuple[Piece, ...]:
    """Make a foreign text of one line visible, its marks in an ink of their own."""
    return tuple((piece, "mark" if is_mark else ink) for piece, is_mark in pieces(text))


def foreign_lines(text: str, ink: str = "") -> list[tuple[Piece, ...]]:
    """Make a foreign text of several lines visible, a tuple of pieces each; ends of lines are marked."""
    lines: list[tuple[Piece, ...]] = []
    line: list[Piece] = []
    for piece, is_mark in pieces(text, keeps_lines=True):
        if is_mark and not piece.startswith("\n"):
            line.append((piece, "mark"))
            continue
        first, *further = piece.split("\n")
        line += [(first, ink)] if first else []
        for part in further:
            lines.append((*line, ("␊", "faint")))
            line = [(part, "mark" if is_mark and part else ink)] if part else []
    return [*lines, tuple(line)]


def labelled(label: str, bodies: Iterable[Sequence[Piece]], indent: int, ink: str = "label") -> Iterator[Row]:
    """Set a block beside its label: the label on the first row, the others below it."""
    head: tuple[Piece, ...] = ((label, ink),)
    for body in bodies:
        yield Row(body=tuple(body), head=head, indent=indent)
        head = ()


def set_off(rows: Iterable[Row], head: Sequence[Piece], indent: int) -> Iterator[Row]:
    """Move rows to the right by `indent`, the head in front of the first one."""
    front = _padded(head, indent)
    for row in rows:
        inner = _padded(row.head, row.indent) if row.indent else ()
        yield replace(row, head=(*front, *inner), indent=indent + row.indent)
        front = _padded((), indent)


def _padded(head: Sequence[Piece], cells: int) -> tuple[Piece, ...]:
    """Cut or fill a head to its column, with at least one blank at its end."""
    taken = sum(cell_len(text) for text, _ in head)
    if taken < cells or (taken == cells and head[-1][0].endswith(" ")):
        return (*head, (" " * (cells - taken), "")) if taken < cells else tuple(head)
    out: list[Piece] = []
    room = cells - 1
    for text, ink in head:
        out.append((cut(text, room), ink))
        room -= cell_len(out[-1][0])
    return (*out, (" " * (room + 1), ""))


def wrap(row: Row, width: int) -> list[tuple[Piece, ...]]:
    """Break a row into lines of at most `width` cells; nothing of it is left out."""
    spans = breaks(row.body_text, max(1, width - row.indent))
    head = _padded(row.head, row.indent) if row.indent else ()
    lines: list[tuple[Piece, ...]] = []
    for body in _sliced(row.body, spans):
        lines.append((*head, *body))
        head = _padded((), row.indent) if row.indent else ()
    return lines


def height(row: Row, width: int) -> int:
    """Count the lines that a row takes at a width."""
    return sum(1 for _ in breaks(row.body_text, max(1, width - row.indent)))


def beginning(row: Row, width: int, lines: int) -> Row:
    """Return the part of a row that fills its first lines."""
    spans = list(islice(breaks(row.body_text, max(1, width - row.indent)), lines))
    return replace(row, body=tuple(piece for body in _sliced(row.body, spans) for piece in body))


def breaks(text: str, width: int) -> Iterator[tuple[int, int]]:
    """Yield where each line of a text starts and ends: where it reads best, else anywhere.

    Best is after a blank, in JSON after a comma or a bracket and not between a name and its value; in a word
    that is too long for the line, after one of the signs of which such words are made.
    """
    if cell_len(text) <= width:
        yield 0, len(text)
        return
    start, is_narrow = 0, text.isascii()
    while start < len(text):
        end = start + width if is_narrow else _reach(text, start, width)
        if end >= len(text):
            yield start, len(text)
            return
        end = _best(text, start, end)
        yield start, end
        start = end


def _best(text: str, start: int, end: int) -> int:
    """Return where a line ends best that begins at `start`, at most at `end`; not in its first third."""
    first = start + (end - start) // 3 + 1
    blank = text.rfind(" ", first, end)
    if blank > 0:
        return _json_end(text, first, blank) if text.endswith('":', first, blank) else blank + 1
    before = text.rfind(" ", start, first)
    next_end = before + 1 + end - start
    is_whole_there = next_end >= len(text) or " " in text[end : next_end + 1]
    if is_whole_there and text[start : before + 1].strip():
        return before + 1
    for signs in SIGNS:
        if (sign := max(text.rfind(one, first, end) for one in signs)) > 0:
            return sign + 1
    return end


def _json_end(text: str, first: int, blank: int) -> int:
    """Return where a line of JSON ends best whose last blank parts a name from its value."""
    if (comma := text.rfind(", ", first, blank)) > 0:
        return comma + 2
    bracket = max(text.rfind("[", first, blank), text.rfind("{", first, blank))
    return bracket + 1 if bracket > 0 else blank + 1


def _reach(text: str, start: int, width: int) -> int:
    """Return the end of the longest line that begins at `start`; at least one character."""
    taken, index = 0, start
    while index < len(text):
        taken += get_character_cell_size(text[index])
        if taken > width and index > start:
            break
        index += 1
    return index


def _sliced(body: Sequence[Piece], spans: Iterable[tuple[int, int]]) -> Iterator[list[Piece]]:
    """Yield the pieces of each span; the spans follow one another without a gap."""
    index, at = 0, 0
    for start, end in spans:
        line: list[Piece] = []
        while index < len(body):
            text, ink = body[index]
            first, last = start - at if start > at else 0, min(end - at, len(text))
            if first < last:
                line.append((text[first:last], ink))
            if at + len(text) > end:
                break
            at += len(text)
            index += 1
        yield line
