"""Long parts, shown by their beginning; the rest is counted and opens in the viewer."""

from __future__ import annotations

from collections.abc import Sequence

from .rows import Row, beginning, height

FROM = 14
"""Lines from which on a part is folded."""
KEPT = 4
"""Lines of a folded part that are shown."""


def folded(rows: Sequence[Row], fold: str, width: int, *, is_seen: bool) -> list[Row]:
    """Fold rows that take many lines, saying how many are hidden; shorter ones stay as they are.

    Args:
        rows: what might be folded, with their final indents.
        fold: the name under which it opens.
        width: cells of the document.
        is_seen: the whole of it was read in the viewer already.
    """
    lines = sum(height(row, width) for row in rows)
    if lines < FROM:
        return list(rows)
    kept: list[Row] = []
    left = KEPT
    for row in rows:
        part = beginning(row, width, left)
        kept.append(part)
        left -= height(part, width)
        if left <= 0:
            break
    hidden = lines - KEPT
    indent = rows[0].indent
    said = (f"▸ {hidden} more lines", "fold"), ("  read" if is_seen else "  Enter opens it", "dim")
    return [
        *kept,
        Row(body=said, head=(("", ""),) if indent else (), indent=indent, fold=fold, hidden=hidden),
    ]
