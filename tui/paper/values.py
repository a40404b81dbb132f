"""A value as rows: nested parts beside their names, texts as they are, nothing left out."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from agent_lab_tui.store.values import Ext, Unreadable, to_json, type_name

from ..visible import visible, width
from .rows import Piece, Row, foreign, foreign_lines, set_off

DEEPEST = 8
"""Levels that stand beside each other; what lies deeper is written as JSON."""
LONGEST_NAME = 18
"""Cells of the longest name that gets a column; longer ones stand on a line of their own."""
SHORT_LIST = 48
"""Cells of a list of plain items that stays on one line."""

_LOOKS_LIKE_JSON = re.compile(
    r"""["'\[{]|(?:true|false|null|none|nan|undefined)\Z|-?[0-9.]+(?:e[+-]?[0-9]+)?\Z""", re.IGNORECASE
)


def rows_of(value: Any, depth: int = 0) -> list[Row]:
    """Write any raw value."""
    if isinstance(value, Ext):
        return _object(value, depth)
    if isinstance(value, dict) and value and depth < DEEPEST:
        return named(
            [(key if isinstance(key, str) else str(to_json(key)), part) for key, part in value.items()], depth
        )
    if isinstance(value, list | tuple) and value and depth < DEEPEST:
        return _items(value, depth)
    return [Row(body=line) for line in leaf(value)]


def named(parts: Sequence[tuple[str, Any]], depth: int = 0, column: int = 0) -> list[Row]:
    """Write values beside their names, in one column.

    Args:
        parts: names and raw values.
        depth: levels above.
        column: cells of the column of names; 0 to measure it.
    """
    names = [visible(name) for name, _ in parts]
    column = column or 2 + max((width(name) for name in names if width(name) <= LONGEST_NAME), default=2)
    rows: list[Row] = []
    for (raw, part), name in zip(parts, names, strict=True):
        inner = rows_of(part, depth + 1)
        if width(name) < column and not _is_deep(part):
            rows += set_off(inner, foreign(raw, "key"), column)
        else:
            rows += [Row(body=foreign(raw, "key")), *set_off(inner, (), 2)]
    return rows


def _is_deep(value: Any) -> bool:
    """Whether a value has parts that have parts: it stands below its name, not beside it."""
    value = value.fields if isinstance(value, Ext) else value
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return any(isinstance(part, dict | list | tuple) and part for part in parts)


def leaf(value: Any) -> list[tuple[Piece, ...]]:
    """Write one value without parts, or one that lies too deep, as lines."""
    if isinstance(value, Unreadable):
        return [(("unreadable: ", "warning"), *foreign(value.reason, "warning"))]
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, bytes):
        return [(*foreign(repr(value)), (f"  {len(value)} bytes", "faint"))]
    return [foreign(one_line(value), "atom" if value is None or isinstance(value, bool) else "")]


def one_line(value: Any) -> str:
    """Write a value as JSON on one line; foreign text in it is still raw."""
    return json.dumps(to_json(value), ensure_ascii=False)


def _text(text: str) -> list[tuple[Piece, ...]]:
    """Write a text bare where nothing can be mistaken, else between quotation marks."""
    if "\n" in text:
        return foreign_lines(text)
    if text and text == text.strip() and not _LOOKS_LIKE_JSON.match(text):
        return [foreign(text)]
    return [(('"', "faint"), *foreign(text), ('"', "faint"))]


def _items(value: Sequence[Any], depth: int) -> list[Row]:
    if all(part is None or isinstance(part, bool | int | float | str) for part in value):
        line = one_line(list(value))
        if len(line) <= SHORT_LIST and visible(line) == line and "\\u" not in line:
            return [Row(body=foreign(line))]
    rows: list[Row] = []
    for part in value:
        rows += set_off(rows_of(part, depth + 1), (("·", "faint"),), 2)
    return rows


def _object(value: Ext, depth: int) -> list[Row]:
    """Write an object by its fields, its type after the first line."""
    plain = to_json(value)
    kind: tuple[Piece, ...] = (("  ", ""), *foreign(type_name(value), "faint"))
    if isinstance(plain, dict | list) and plain and depth < DEEPEST:
        fields = value.fields if isinstance(value.fields, dict) else plain
        return [Row(body=kind[1:]), *rows_of(fields, depth)]
    lines = leaf(plain)
    return [Row(body=(*lines[0], *kind)), *(Row(body=line) for line in lines[1:])]
