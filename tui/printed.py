"""What commands print: JSON that no terminal can take for a command, and tables that line up."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import click
from rich.cells import cell_len, chop_cells

from .visible import visible

_UNSAFE = re.compile("[\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff]")
"""Control, bidirectional and invisible characters that JSON may hold as they are."""


def echo_json(record: Any) -> None:
    """Print JSON on one line; foreign scripts stay readable, what acts on a terminal is escaped."""
    text = json.dumps(record, ensure_ascii=False)
    click.echo(_UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


def table(rows: Sequence[Sequence[str]], widest: int = 60) -> list[str]:
    """Align foreign texts in columns by the cells that they take on a terminal.

    Args:
        rows: of equal length; the first one is the heading.
        widest: cells of a column after which it is cut; the last column is never cut.
    """
    last = len(rows[0]) - 1
    shown = [
        [visible(text) if place == last else _cut(visible(text), widest) for place, text in enumerate(row)]
        for row in rows
    ]
    widths = [max(_cells(row[place]) for row in shown) for place in range(last)]
    return ["  ".join([*map(_padded, row, widths), row[last]]).rstrip() for row in shown]


def _cut(text: str, cells: int) -> str:
    if _cells(text) <= cells:
        return text
    return f"{chop_cells(text, cells - 1)[0]}…"


def _padded(text: str, cells: int) -> str:
    return text + " " * (cells - _cells(text))


def _cells(text: str) -> int:
    """Count cells; of visible ASCII each character takes one, which spares 100,000 threads the long way."""
    return len(text) if text.isascii() else cell_len(text)
