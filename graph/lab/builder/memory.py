"""What a run's checkpoint remembers, read from raw rows: no saver is opened and nothing is imported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agent_lab_tui.store.checkpoints import rows as checkpoints
from agent_lab_tui.store.files import open_database

from ..workspace import Workspace


@dataclass(frozen=True, slots=True)
class Remembered:
    """The newest checkpoint of a run."""

    checkpoint_id: str
    values: Mapping[str, Any]

    @property
    def run(self) -> Mapping[str, Any]:
        """What the run is; empty before its first step."""
        return dict(self.values.get("run") or {})

    @property
    def limits(self) -> Mapping[str, Any]:
        """What it may use up."""
        return dict(self.values.get("limits") or {})

    @property
    def spent(self) -> Mapping[str, Any]:
        """What it has used up."""
        return dict(self.values.get("spent") or {})

    @property
    def parts(self) -> Mapping[str, str | None]:
        """The files it counts on."""
        return dict(self.values.get("parts") or {})

    @property
    def told(self) -> frozenset[str]:
        """The keys of the calls whose results stand in the conversation."""
        return frozenset(call["key"] for call in self.values.get("calls") or ())


def remembered(lab: Workspace, run_id: str) -> Remembered | None:
    """Return what the newest checkpoint of a run holds, None where there is none."""
    if not lab.database.exists():
        return None
    database = open_database(str(lab.database))
    with database.reading() as connection:
        head = checkpoints.head(connection, run_id)
        if head is None:
            return None
        body = checkpoints.body(connection, run_id, "", head.checkpoint_id)
    values = body.get("channel_values") if isinstance(body, dict) else None
    return Remembered(head.checkpoint_id, values if isinstance(values, dict) else {})
