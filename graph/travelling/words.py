"""The short texts in a value: names and ids by which other records may speak of the same thing (pure)."""

from __future__ import annotations

from collections.abc import Iterator

from agent_lab_tui.store.values import Json

LONGEST = 120
MOST = 5_000
"""Parts of a value that are looked at."""


def short_texts(value: Json) -> Iterator[str]:
    """Yield the texts of at most 120 characters in a JSON value, looking at its first 5,000 parts."""
    waiting, seen = [value], 0
    while waiting and seen < MOST:
        part = waiting.pop()
        seen += 1
        if isinstance(part, str):
            if 0 < len(part) <= LONGEST:
                yield part
        elif isinstance(part, dict):
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part[:MOST])
