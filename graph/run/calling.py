"""What calls a node to run, and goes on calling it when an edit is written in its name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langgraph.channels import EphemeralValue
from langgraph.channels.base import BaseChannel

from .loading import Graph


def still_calls(graph: Graph, checkpoint: Mapping[str, Any], node: str) -> bool:
    """Return whether LangGraph would run a node all the same once it was stepped over.

    An edit clears what lives for one step alone, such as a plain edge. What a join of several branches has
    gathered stays, for only a run of its node takes it away.
    """
    seen = checkpoint["versions_seen"].get(node, {})
    return any(
        name in checkpoint["channel_versions"]
        and checkpoint["channel_versions"][name] != seen.get(name)
        and _stays(graph.channels[name], checkpoint["channel_values"], name)
        for name in graph.nodes[node].triggers
        if name in graph.channels
    )


def _stays(channel: object, values: Mapping[str, Any], name: str) -> bool:
    if isinstance(channel, EphemeralValue) or not isinstance(channel, BaseChannel) or name not in values:
        return False
    return bool(channel.from_checkpoint(values[name]).is_available())
