"""The state of a thread, its metadata and what its runs are configured with, as rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .folds import folded
from .rows import Row, said
from .seen import Seen
from .values import named, one_line, rows_of

if TYPE_CHECKING:
    from agent_lab_tui.graph.reading import Thread

COLUMN = 14
SECRETS = re.compile(r"key|token|secret|passw|credential|auth", re.IGNORECASE)
"""Names whose values are not shown: a run's configuration is kept in clear text."""
HIDDEN = "••••••"


def configured(config: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return what runs are configured with, secrets covered."""
    return [(str(name), HIDDEN if SECRETS.search(str(name)) else value) for name, value in config.items()]


def configuration(config: Mapping[str, Any]) -> str:
    """Write what runs are configured with on one line; raw foreign text."""
    return " · ".join(
        f"{name} {value if isinstance(value, str) else one_line(value)}" for name, value in configured(config)
    )


@dataclass(frozen=True, slots=True)
class StateSheet:
    """Writes a thread's state, one part for each key."""

    thread: Thread
    seen: Seen = field(default_factory=Seen)

    def rows(self, cells: int) -> Sequence[Row]:
        """Write the state first, then where it stands."""
        rows: list[Row] = []
        for fold, part in _parts(self.thread):
            rows += folded(part, fold, cells, is_seen=False)
        return rows

    def part(self, fold: str) -> Sequence[Row]:
        """Return the whole of a part that may be folded."""
        return next((part for name, part in _parts(self.thread) if name == fold), ())


def state_rows(thread: Thread) -> list[Row]:
    """Write a thread's state with nothing folded."""
    return [row for _, part in _parts(thread) for row in part]


def _parts(thread: Thread) -> Iterator[tuple[str, list[Row]]]:
    """Yield the parts of a state, each with the name it is folded under."""
    values = thread.values
    if isinstance(values, dict):
        for name, value in values.items():
            yield f"value {name}", named([(str(name), value)], column=COLUMN)
        if not values:
            yield "", [said("The state is empty.", "dim")]
    else:
        yield "value", rows_of(values)
    yield "", [Row(), said("Checkpoint", "label")]
    yield "checkpoint", named([("thread", thread.thread_id), ("id", thread.checkpoint_id)], column=COLUMN)
    yield "metadata", named([(str(key), value) for key, value in thread.metadata.items()], column=COLUMN)
    if thread.config:
        yield "", [Row(), said("Runs with", "label")]
        yield "config", named(configured(thread.config), column=COLUMN)
