"""Chat messages as rows: who speaks, what is said, what is called for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from agent_lab_tui.store.values import Ext, to_json

from ..visible import visible
from .rows import Piece, Row, foreign, foreign_lines, labelled
from .values import named, one_line

COLUMN = 8
_SAID = frozenset({"content", "type", "role", "id", "name", "tool_calls", "tool_call_id", "status"})
"""Fields that the rows tell; what else is not empty stands below them."""


def is_message(value: Any) -> bool:
    """Tell whether a raw value is a chat message of LangChain."""
    return (
        isinstance(value, Ext)
        and (value.module or "").startswith("langchain_core.messages")
        and isinstance(value.fields, dict)
    )


def message_rows(message: Ext) -> list[Row]:
    """Write a message: its role beside its text, then its calls, then what else it holds."""
    fields = message.fields
    role = str(fields.get("type") or fields.get("role") or message.name)
    lines = list(_lines(fields.get("content"))) or [(("no text", "faint"),)]
    if fields.get("status") == "error":
        lines[0] = (("error  ", "error"), *lines[0])
    rows = list(labelled(f"{visible(role)} ", lines, COLUMN, _ink(role)))
    rows += [Row(tuple(_call(call)), (), COLUMN) for call in _items(fields.get("tool_calls"))]
    named_ = [str(fields[key]) for key in ("name", "tool_call_id", "id") if fields.get(key)]
    if named_:
        rows.append(Row(foreign(" · ".join(named_), "faint"), (), COLUMN))
    rest = [(str(key), value) for key, value in fields.items() if key not in _SAID and value]
    return rows + [Row(row.body, row.head, row.indent + COLUMN) for row in named(rest, 3)] if rest else rows


def _ink(role: str) -> str:
    return {"ai": "accent", "human": "strong", "system": "dim"}.get(role, "label")


def _lines(content: Any) -> Iterator[tuple[Piece, ...]]:
    """Yield the lines of a message's text; blocks that are no text stand as JSON."""
    for block in content if isinstance(content, list) else [content]:
        text = block.get("text") if isinstance(block, dict) and block.get("type") == "text" else block
        if isinstance(text, str):
            yield from foreign_lines(text) if text else ()
        elif text is not None:
            yield foreign(one_line(text), "dim")


def _call(call: Any) -> Iterator[Piece]:
    plain = to_json(call)
    record = plain if isinstance(plain, dict) else {}
    yield ("→ ", "accent")
    yield from foreign(str(record.get("name", "?")), "strong")
    yield from foreign(f" {one_line(record.get('args'))}")
    yield from foreign(f"  {record.get('id') or ''}", "faint")


def _items(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else ()
