"""The state of a thread, its metadata and what its runs are configured with, as rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from agent_lab_tui.graph.reading.started import is_secret

from .folds import folded
from .rows import Row, foreign, said
from .seen import Seen
from .state_values import value_rows
from .values import named, one_line

if TYPE_CHECKING:
    from agent_lab_tui.graph.reading.reader import Thread
    from agent_lab_tui.graph.travelling.past import Opened

COLUMN = 14
HIDDEN = "••••••"
"""Stands for a secret: a run's configuration is kept in clear text."""


def configured(config: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return what runs are configured with, secrets covered."""
    return [(str(name), HIDDEN if is_secret(str(name)) else value) for name, value in config.items()]


def configuration(config: Mapping[str, Any]) -> str:
    """Write what runs are configured with on one line; raw foreign text."""
    return " · ".join(
        f"{name} {value if isinstance(value, str) else one_line(value)}" for name, value in configured(config)
    )


@dataclass(frozen=True, slots=True)
class StateSheet:
    """Writes a thread's state, one part for each key; what is long by its beginning."""

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
        kind, _, key = fold.partition(" ")
        if kind == "value":
            return whole_value(self.thread.values, key)
        return next((part for name, part in _parts(self.thread) if name == fold), ())


@dataclass(frozen=True, slots=True)
class OpenedSheet:
    """Writes the state of one checkpoint of the past, of a subgraph too."""

    opened: Opened

    def rows(self, cells: int) -> Sequence[Row]:
        """Write the state, then the checkpoint and what is odd about it."""
        rows: list[Row] = []
        for fold, part in _values(self.opened.values):
            rows += folded(part, fold, cells, is_seen=False)
        checkpoint = self.opened.checkpoint
        rows += [Row(), said("Checkpoint", "label")]
        rows += named(
            [("id", checkpoint.checkpoint_id), ("next", list(checkpoint.next or ()))], column=COLUMN
        )
        return rows + [Row(foreign(warning, "warning")) for warning in self.opened.warnings]

    def part(self, fold: str) -> Sequence[Row]:
        """Return the whole of a value."""
        return whole_value(self.opened.values, fold.partition(" ")[2])


def whole_value(values: Any, key: str) -> Sequence[Row]:
    """Write a value of a state with nothing left out."""
    if not isinstance(values, dict):
        return value_rows("value", values, is_whole=True)
    found = next((value for name, value in values.items() if str(name) == key), None)
    return value_rows(key, found, is_whole=True)


def _values(values: Any) -> Iterator[tuple[str, list[Row]]]:
    """Yield the values of a state, each with the name it is folded under."""
    if isinstance(values, dict):
        for name, value in values.items():
            yield f"value {name}", value_rows(str(name), value, is_whole=False)
        if not values:
            yield "", [said("The state is empty.", "dim")]
    else:
        yield "value", value_rows("value", values, is_whole=False)


def _parts(thread: Thread) -> Iterator[tuple[str, list[Row]]]:
    """Yield the parts of a state, each with the name it is folded under."""
    if thread.notes:
        yield "", [*(Row(foreign(note, "warning")) for note in thread.notes), Row()]
    yield from _values(thread.values)
    yield "", [Row(), said("Checkpoint", "label")]
    yield "checkpoint", named([("thread", thread.thread_id), ("id", thread.checkpoint_id)], column=COLUMN)
    yield "metadata", named([(str(key), value) for key, value in thread.metadata.items()], column=COLUMN)
    if thread.config:
        yield "", [Row(), said("Runs with", "label")]
        yield "config", named(configured(thread.config), column=COLUMN)
