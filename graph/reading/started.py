"""What the runs of a thread were configured with, recovered from the metadata of its checkpoints."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from agent_lab_tui.store.checkpoints.rows import CheckpointRow

HIDDEN: Final = "**********"
"""What stands for a secret on every display."""

_OF_LANGGRAPH: Final = frozenset(
    {
        "assistant_id",
        "checkpoint_id",
        "checkpoint_map",
        "checkpoint_ns",
        "counters_since_delta_snapshot",
        "graph_id",
        "parents",
        "run_attempt",
        "run_id",
        "source",
        "step",
        "thread_id",
        "writes",
    }
)
_SECRET: Final = re.compile(r"key|token|secret|passw|credential|auth", re.IGNORECASE)
"""Wide on purpose: a harmless value that is covered costs a look elsewhere, a shown secret is out."""


def own_keys(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Give what a run's configuration left in the metadata of a checkpoint.

    LangGraph keeps texts, numbers and booleans of `configurable` there, and the run's own metadata beside
    them; the two cannot be told apart. What LangGraph and LangChain write for their own tracing is left out.
    """
    return {
        key: value
        for key, value in metadata.items()
        if isinstance(value, (str, int, float))
        and key not in _OF_LANGGRAPH
        and not key.startswith(("__", "langgraph_", "ls_", "lc_"))
    }


def started_with(chain: Iterable[CheckpointRow]) -> tuple[dict[str, Any], str | None]:
    """Give the configuration of the last run that left one.

    An edit by `update_state` need not repeat it, so checkpoints before are looked at until a run's is found.

    Args:
        chain: a checkpoint and its ancestors, nearest first; read only as far as needed.

    Returns:
        The configuration, and the id of the checkpoint it comes from if that is not the first one.
    """
    found: dict[str, Any] = {}
    first: str | None = None
    for row in chain:
        first = first or row.checkpoint_id
        keys = own_keys(row.metadata)
        found = {**keys, **found}
        if keys and row.source not in ("update", "fork"):
            return found, None if row.checkpoint_id == first else row.checkpoint_id
    return found, None


def is_secret(name: str) -> bool:
    """Whether a key's name says that its value is not to be shown."""
    return _SECRET.search(name) is not None


def masked(config: Mapping[str, Any]) -> dict[str, Any]:
    """Give a configuration for display: the values of secrets covered."""
    return {key: HIDDEN if is_secret(key) else value for key, value in config.items()}
