"""Which lines of a request have been on the screen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from .rows import Row

RowKey = tuple[str, int]
"""A row's text, and how often that text came before: the same at every width."""


@dataclass(slots=True)
class Seen:
    """What has been seen of one request; kept while the operator goes elsewhere and comes back."""

    rows: set[RowKey] = field(default_factory=set)
    """Rows of which every line was seen."""
    folds: set[str] = field(default_factory=set)
    """Folded parts of which every line was seen in the viewer."""
    is_whole: bool = False
    """Nothing was left when it was last on the screen."""


def row_keys(rows: Iterable[Row]) -> Iterator[RowKey]:
    """Name rows by what they say."""
    counts: Counter[str] = Counter()
    for row in rows:
        yield row.text, counts[row.text]
        counts[row.text] += 1
