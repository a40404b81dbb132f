"""One value of a state: its type and size, its beginning, and the whole of it on demand."""

from __future__ import annotations

from typing import Any

from agent_lab_tui.store.values import Ext, encode, type_name

from ..visible import visible, width
from .messages import is_message, message_rows
from .rows import Row, foreign, set_off
from .values import rows_of

COLUMN = 14
MANY = 100
"""Lists with more elements are written as far as their beginning; the whole is written on demand."""
BEGINNING = 20
LONG = 4_000
"""Characters of a text that are written before the whole is asked for."""


def value_rows(name: str, value: Any, *, is_whole: bool) -> list[Row]:
    """Write a value of a state beside its key.

    Args:
        name: The key; raw foreign text.
        value: The raw value.
        is_whole: Write all of it; else the beginning of what is long.
    """
    rows = _rows(value if is_whole else _beginning(value))
    about = summary(value)
    if about:
        rows.insert(0, Row(foreign(about, "faint")))
    if width(visible(name)) < COLUMN:
        return list(set_off(rows, foreign(name, "key"), COLUMN))
    return [Row(foreign(name, "key")), *set_off(rows, (), 2)]


def summary(value: Any) -> str:
    """Say the type and the size of a value; nothing for a short one that tells it by itself."""
    if isinstance(value, str):
        return f"text, {len(value):,} characters" if len(value) > LONG else ""
    if isinstance(value, bytes):
        return f"bytes, {size(len(value))}"
    if isinstance(value, (list, dict)):
        parts = "item" if isinstance(value, list) else "key"
        count = f"{len(value):,} {parts}{'' if len(value) == 1 else 's'}"
        return f"{type_name(value)}, {count}, {size(_bytes(value))}"
    if isinstance(value, Ext):
        return f"{type_name(value)}, {size(_bytes(value))}"
    return ""


def size(count: int) -> str:
    """Write a number of bytes in the unit that suits it."""
    if count < 1_000:
        return f"{count} B"
    return f"{count / 1_000:.1f} kB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"


def _rows(value: Any) -> list[Row]:
    if is_message(value):
        return message_rows(value)
    if isinstance(value, list) and any(is_message(part) for part in value):
        return [row for part in value for row in (message_rows(part) if is_message(part) else rows_of(part))]
    return rows_of(value)


def _beginning(value: Any) -> Any:
    if isinstance(value, list) and len(value) > MANY:
        return value[:BEGINNING]
    if isinstance(value, dict) and len(value) > MANY:
        return dict(list(value.items())[:BEGINNING])
    return value[:LONG] if isinstance(value, str) else value


def _bytes(value: Any) -> int:
    """Count the bytes that a value takes when it is stored; an unreadable part counts nothing."""
    try:
        return len(encode(value))
    except ValueError:
        return 0
