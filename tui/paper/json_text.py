"""JSON to be edited by hand: everything that cannot be seen stands as an escape, and comes back as it was."""

from __future__ import annotations

import json
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Any

from ..console.printed import escape
from ..visible import visible
from .rows import Row, foreign

LINE = 48
"""Cells of JSON that stay on one line."""


def editable(value: Any) -> str:
    """Write a JSON-able value with every character escaped that would not be seen as itself."""
    return _escaped(json.dumps(value, ensure_ascii=False, indent=2))


def _escaped(text: str) -> str:
    if text.isascii():
        return text.replace("\x7f", "\\u007f")
    return "".join(
        char if char == "\n" or visible(char) in (char, f"◌{char}") else escape(char) for char in text
    )


def json_lines(value: Any, room: int = LINE, depth: int = 0) -> list[str]:
    """Write a JSON-able value: what is short stays on one line, what is not is set out."""
    line = _escaped(json.dumps(value, ensure_ascii=False))
    if len(line) + depth <= room or not isinstance(value, dict | list) or not value:
        return [line]
    opening, closing = ("{", "}") if isinstance(value, dict) else ("[", "]")
    if isinstance(value, dict):
        parts = [(f"{_escaped(json.dumps(key, ensure_ascii=False))}: ", part) for key, part in value.items()]
    else:
        parts = [("", part) for part in value]
    if len(parts) == 1:
        name, part = parts[0]
        inner = json_lines(part, room, depth)
        return [
            f"{opening}{name}{inner[0]}",
            *inner[1:-1],
            *([f"{inner[-1]}{closing}"] if inner[1:] else [closing]),
        ]
    lines = [opening]
    for index, (name, part) in enumerate(parts):
        first, *further = json_lines(part, room, depth + 2 + len(name))
        lines += [f"  {name}{first}", *(f"  {more}" for more in further)]
        if index < len(parts) - 1:
            lines[-1] += ","
    return [*lines, closing]


def difference(before: str, after: str) -> Iterator[Row]:
    """Write the lines in which two texts differ, with one line around them."""
    old, new = before.split("\n"), after.split("\n")
    for group in SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(1):
        for tag, a, b, c, d in group:
            if tag == "equal":
                yield from (Row((("  ", ""), *foreign(line, "dim"))) for line in old[a:b])
                continue
            yield from (Row((("- ", "removed"), *foreign(line, "removed"))) for line in old[a:b])
            yield from (Row((("+ ", "added"), *foreign(line, "added"))) for line in new[c:d])
