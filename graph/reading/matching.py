"""Which of the loaded graphs wrote a thread, judged from what its checkpoint names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .owners import Owners

if TYPE_CHECKING:
    from ..hosting.facts import GraphFacts

_START = "__start__"


@dataclass(frozen=True, slots=True)
class Shape:
    """The names in a checkpoint that a graph must know to have written it."""

    channels: frozenset[str] = frozenset()
    """Keys of its state."""
    nodes: frozenset[str] = frozenset()
    """Nodes that have run, or that a channel triggers."""


@dataclass(frozen=True, slots=True)
class Match:
    """The graph of a thread."""

    graph: str | None = None
    """Its name; None where none or several fit."""
    is_foreign: bool = False
    """Graphs are loaded, and it is none of them."""
    warning: str | None = None
    """One sentence for the operator; raw foreign names in it."""
    fitting: tuple[str, ...] = ()
    """The graphs that fit, where several do and nothing says which one wrote it."""


def match(
    metadata: Mapping[str, Any],
    shape: Shape,
    next_nodes: Sequence[str],
    facts: Sequence[GraphFacts],
    *,
    thread_id: str = "",
    owners: Owners | None = None,
) -> Match:
    """Find the graph of a thread.

    The operator's choice wins, then what the metadata name, then the only graph that fits; of several that
    fit, the one that carried out the last decision about the thread.

    Args:
        metadata: of the thread's head; LangGraph's server writes `graph_id` into it.
        shape: what the head's checkpoint names.
        next_nodes: the nodes to run next.
        facts: the loaded graphs; those that could not be loaded are passed over.
        thread_id: the thread.
        owners: what else is known of whose it is.
    """
    loaded = [one for one in facts if one.error is None]
    owners = owners or Owners()
    chosen = owners.chosen.get(thread_id)
    if chosen is not None and any(one.name == chosen for one in loaded):
        return Match(chosen)
    named = metadata.get("graph_id")
    if isinstance(named, str) and (not loaded or any(one.name == named for one in loaded)):
        return Match(named)
    if not loaded:
        return Match()
    fitting = _fitting(shape, next_nodes, loaded)
    if len(fitting) > 1:
        return _of_several([one.name for one in fitting], owners.last(thread_id))
    return Match(fitting[0].name) if fitting else _foreign(named, [one.name for one in loaded])


def _of_several(fitting: Sequence[str], last: str | None) -> Match:
    if last in fitting:
        return Match(last)
    return Match(
        warning=f"Several graphs fit this thread ({', '.join(fitting)}): say which one wrote it with"
        " --graph langgraph.json --graph NAME, or with the --graph FILE.py:NAME of that one alone.",
        fitting=tuple(fitting),
    )


def _foreign(named: object, loaded: Sequence[str]) -> Match:
    names = ", ".join(loaded)
    if isinstance(named, str):
        return Match(
            named, True, f"The thread belongs to graph {named}, which is not loaded; there is {names}."
        )
    return Match(None, True, f"No loaded graph fits this thread; there is {names}.")


def unknown_nodes(match_: Match, next_nodes: Sequence[str], facts: Sequence[GraphFacts]) -> tuple[str, ...]:
    """List the next nodes that the thread's own graph does not have: its code has changed since."""
    graph = next((one for one in facts if one.name == match_.graph and one.error is None), None)
    if graph is None:
        return ()
    return tuple(node for node in next_nodes if node not in graph.nodes and node != _START)


def _fitting(shape: Shape, next_nodes: Sequence[str], loaded: Sequence[GraphFacts]) -> list[GraphFacts]:
    """Choose the graphs that know the state's keys and the next nodes; all nodes ever run decide a tie."""
    keys = [one for one in loaded if shape.channels <= set(one.channels)]
    knowing = [one for one in keys if set(next_nodes) - {_START} <= set(one.nodes)]
    whole = [one for one in knowing if shape.nodes - {_START} <= set(one.nodes)]
    return whole or knowing
