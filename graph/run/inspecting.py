"""Say of a compiled graph what the desk needs to know without LangGraph."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver

from ..hosting.facts import GraphFacts
from ..settings.specs import GraphSpec
from .asking_nodes import asking_nodes, async_only, keys_at_fault
from .loading import Graph
from .needs import needs_context, needs_store
from .walking import calling, unsaved_parts


def facts_of(spec: GraphSpec, graph: Graph) -> GraphFacts:
    """Return the facts of a loaded graph."""
    return GraphFacts(
        name=spec.name,
        nodes=tuple(name for name in graph.nodes if name != "__start__"),
        channels=_channels(graph),
        edges=_edges(graph),
        interrupt_before=_breakpoints(graph.interrupt_before_nodes),
        interrupt_after=_breakpoints(graph.interrupt_after_nodes),
        asks_cached=_cached(graph),
        asks=asking_nodes(graph),
        fixed_keys=keys_at_fault(graph),
        calling=tuple(calling(graph)),
        async_only=async_only(graph),
        needs_store=needs_store(graph),
        needs_context=needs_context(graph),
        modified_at=modified_at(spec),
        note=_note(graph),
    )


def modified_at(spec: GraphSpec) -> float | None:
    """Return when the file of a spec was last changed, Unix seconds; None when it has no file."""
    file: Path | None = spec.file
    if file is None:
        module = sys.modules.get(spec.target.rpartition(":")[0])
        named = getattr(module, "__file__", None)
        file = Path(named) if named else None
    try:
        return file.stat().st_mtime if file else None
    except OSError:
        return None


def _channels(graph: Graph) -> tuple[str, ...]:
    """Return the keys of the state, also one that is called like a node."""
    asis = graph.stream_channels_asis
    names = [asis] if isinstance(asis, str) else list(asis)
    return tuple(name for name in names if not name.startswith("__"))


def _edges(graph: Graph) -> tuple[tuple[str, str, bool], ...]:
    try:
        drawn = graph.get_graph(xray=True)
    except Exception:  # noqa: BLE001 - drawing runs code of the graph's own; without it only the picture is lost
        return ()
    return tuple((edge.source, edge.target, bool(edge.conditional)) for edge in drawn.edges)


def _breakpoints(nodes: Any) -> tuple[str, ...]:
    return ("*",) if nodes == "*" else tuple(nodes or ())


def _cached(graph: Graph) -> tuple[str, ...]:
    if graph.cache is None:
        return ()
    return tuple(
        name
        for name, node in graph.nodes.items()
        if name != "__start__" and (node.cache_policy is not None or graph.cache_policy is not None)
    )


def _note(graph: Graph) -> str:
    notes = []
    if isinstance(graph.checkpointer, BaseCheckpointSaver):
        own = type(graph.checkpointer).__name__
        notes.append(
            f"It was compiled with its own {own}, which is replaced here: its threads are not in this file."
        )
    if parts := unsaved_parts(graph):
        notes.append(
            f"Inside {', '.join(parts)} runs a graph without checkpoints: it starts from its beginning on"
            " every answer, and its steps are saved later than others."
        )
    return " ".join(notes)
