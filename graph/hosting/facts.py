"""What a loaded graph says of itself, as far as it can cross to a process without LangGraph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any


@dataclass(frozen=True, slots=True)
class AskingNode:
    """A node of a graph whose code asks a person, as its source shows."""

    node: str
    """As the drawing names it: `node:inner` in a subgraph."""
    function: str
    place: str
    """`file:line`, or a module where there is no file."""
    form: str
    """Name of the convention it asks in; "" where the source does not show it."""
    complaints: tuple[str, ...] = ()
    """What its author should mend, a sentence each."""


@dataclass(frozen=True, slots=True)
class GraphFacts:
    """One graph of a project: its shape when it was loaded, or why it was not."""

    name: str
    """The name it was asked for by: a key of langgraph.json, or the stem of its file."""
    nodes: tuple[str, ...] = ()
    """The nodes of the root graph, without START and END."""
    channels: tuple[str, ...] = ()
    """The keys of its state; LangGraph's own channels left out."""
    edges: tuple[tuple[str, str, bool], ...] = ()
    """(from, to, conditional), subgraphs drawn in as `node:inner`."""
    interrupt_before: tuple[str, ...] = ()
    """Nodes with a static breakpoint before them; ("*",) for all."""
    interrupt_after: tuple[str, ...] = ()
    asks_cached: tuple[str, ...] = ()
    """Nodes with a cache policy: a question in them may be answered from the cache, unasked."""
    needs_store: bool = False
    """Its nodes use LangGraph's Store and it was given without one: it must not be run."""
    needs_context: bool = False
    """It declares a context schema with fields that have no default."""
    asks: tuple[AskingNode, ...] = ()
    """The nodes that ask, as far as their source shows."""
    fixed_keys: tuple[str, ...] = ()
    """Keys of deeds that are the same in every run, a sentence each, with file and line."""
    calling: tuple[str, ...] = ()
    """Nodes whose function calls an inner graph, as the drawing names them: for an answer in there the
    function runs again from its top, too."""
    async_only: tuple[str, ...] = ()
    """Nodes that plain `invoke` cannot run; the desk can."""
    modified_at: float | None = None
    """When its file was last changed, Unix seconds; None where no file is known."""
    note: str = ""
    """One sentence an operator should know, such as that its own saver was replaced; or empty."""
    error: str | None = None
    """Why it could not be loaded, in one sentence."""
    traceback: str | None = None
    """The traceback of the graph's own code, where that raised."""

    @property
    def node_names(self) -> tuple[str, ...]:
        """Its nodes, those in subgraphs by their own names too."""
        drawn = [
            part for start, target, _ in self.edges for name in (start, target) for part in name.split(":")
        ]
        inner = [one.node.rpartition(":")[2] for one in self.asks]
        return tuple(name for name in dict.fromkeys([*self.nodes, *drawn, *inner]) if name[:2] != "__")

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON-able types."""
        return asdict(self)

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> GraphFacts:
        """Return the facts that `to_json` was called on."""
        values: dict[str, Any] = {f.name: record[f.name] for f in fields(cls) if f.name in record}
        values["asks"] = tuple(
            AskingNode(**{**one, "complaints": tuple(one["complaints"])}) for one in values.get("asks", ())
        )
        values["edges"] = tuple((a, b, bool(c)) for a, b, c in values.get("edges", ()))
        values = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
        return cls(**values)
