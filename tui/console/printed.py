"""What commands print: JSON that no terminal can take for a command, and tables that line up."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import click
from rich.cells import cell_len, chop_cells

from agent_lab_tui.store.values import to_json

from ..visible import is_hidden, visible

_ODD = re.compile("[^\n -~]")


def json_text(record: Any, indent: int | None = None) -> str:
    """Write JSON that every reader takes; foreign scripts stay readable, what acts on a terminal is escaped.

    A number without a form in JSON becomes a text, "NaN" or "Infinity".
    """
    try:
        text = json.dumps(record, ensure_ascii=False, allow_nan=False, indent=indent)
    except ValueError:
        text = json.dumps(to_json(record), ensure_ascii=False, allow_nan=False, indent=indent)
    return text if text.isascii() and "\x7f" not in text else _ODD.sub(_escaped, text)


def echo_json(record: Any, indent: int | None = None) -> None:
    """Print JSON as `json_text` writes it."""
    click.echo(json_text(record, indent))


def _escaped(found: re.Match[str]) -> str:
    return escape(found[0]) if is_hidden(found[0]) else found[0]


def escape(char: str) -> str:
    """Write one character as JSON's escape; beyond the first 65,536 as the pair that JSON takes."""
    point = ord(char)
    if point < 0x10000:
        return f"\\u{point:04x}"
    point -= 0x10000
    return f"\\u{0xD800 + (point >> 10):04x}\\u{0xDC00 + (point & 0x3FF):04x}"


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
