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
        for fold, part in self._parts():
            rows += folded(part, fold, cells, is_seen=False)
        return rows

    def part(self, fold: str) -> Sequence[Row]:
        """Return the whole of a part that may be folded."""
        return next((part for name, part in self._parts() if name == fold), ())

    def _parts(self) -> Iterator[tuple[str, list[Row]]]:
        values = self.thread.values
        if isinstance(values, dict):
            for name, value in values.items():
                yield f"value {name}", named([(str(name), value)], column=14)
            if not values:
                yield "", [said("The state is empty.", "dim")]
        else:
            yield "value", rows_of(values)
        yield "", [Row(), said("Checkpoint", "label")]
        yield (
            "checkpoint",
            named([("thread", self.thread.thread_id), ("id", self.thread.checkpoint_id)], column=14),
        )
        yield "metadata", named([(str(k), v) for k, v in self.thread.metadata.items()], column=14)
        if self.thread.config:
            yield "", [Row(), said("Runs with", "label")]
            yield "config", named(configured(self.thread.config), column=14)
