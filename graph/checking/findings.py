"""What should be mended in settings and graphs before somebody depends on them; nothing of a graph is run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from agent_lab_tui.store.files import Database

from ..conventions.forms import loses
from ..conventions.templates import compile_form, unknown_gaps
from ..hosting.facts import AskingNode, GraphFacts
from ..hosting.host import Host, HostError
from ..reading.impact import runs_next
from ..settings.file import ANSWER_KINDS, Settings
from ..settings.specs import Project
from .remedies import remedy_for

Weight = Literal["error", "warning", "note"]

_WEIGHTS: tuple[Weight, ...] = ("error", "warning", "note")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to mend or to know."""

    weight: Weight
    """error: it will not work; warning: it can do harm; note: good to know."""
    place: str
    """The settings key, the graph, or the node it is about; raw foreign names."""
    finding: str
    remedy: str = ""
    """What to do about it; "" where nothing needs doing."""

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON-able types."""
        return asdict(self)


def load_facts(projects: Sequence[Project], settings: Settings) -> tuple[GraphFacts, ...]:
    """Load the graphs of every project in a host of its own and return what they say of themselves.

    No database is opened: none is needed to look at a graph.
    """
    nowhere = Database(Path("/nonexistent/none.sqlite"), has_task_path=True, is_immutable=True)
    found: list[GraphFacts] = []
    for project in projects:
        host = Host(project, nowhere, settings, lambda _: None)
        try:
            found += host.facts()
        except HostError as error:
            found += [GraphFacts(spec.name, error=str(error)) for spec in project.specs]
        finally:
            host.close()
    return tuple(found)


def check(settings: Settings, graphs: Sequence[GraphFacts]) -> tuple[Finding, ...]:
    """Return what is wrong or worth knowing, the gravest first."""
    found = [*_of_settings(settings), *_of_answers(settings, graphs)]
    for graph in graphs:
        found += _of_graph(graph, settings)
    for key in dict.fromkeys(key for graph in graphs for key in graph.fixed_keys):
        names = ", ".join(graph.name for graph in graphs if key in graph.fixed_keys)
        found.append(Finding("warning", names, key, remedy_for(key)))
    return tuple(sorted(found, key=lambda one: _WEIGHTS.index(one.weight)))


def _of_settings(settings: Settings) -> Iterator[Finding]:
    for sentence in settings.unknown:
        yield Finding("warning", "agent-lab.toml", sentence, "Correct its name or take it out.")
    for place, rule in enumerate(settings.rules):
        earlier = next(
            (one for one in settings.rules[:place] if one.operation in ("*", rule.operation)), None
        )
        if earlier is not None:
            yield Finding(
                "warning",
                f"rule[{place + 1}] {rule.operation}",
                f"The rule for {earlier.operation!r} above it always holds first, so this one never does.",
                "Put the narrower rule above the wider one.",
            )
    if settings.db is not None and "://" not in settings.db and not Path(settings.db).exists():
        yield Finding(
            "note", "db", f"{settings.db} is not there yet.", "It is made by the agent's first run."
        )


def _of_answers(settings: Settings, graphs: Sequence[GraphFacts]) -> Iterator[Finding]:
    for key, kinds in settings.answers.items():
        graph, _, node = key.rpartition(":")
        yield from _of_place(f'answers."{key}"', graph, node, graphs)
        for kind in ANSWER_KINDS:
            if kind not in kinds:
                continue
            place = f'answers."{key}".{kind}'
            for gap in unknown_gaps(kinds[kind]):
                what = "is sent as it stands: only {reason}, {message}, {arguments…} and {null} are filled in"
                yield Finding("warning", place, f"{gap} {what}.")
            if lost := loses(kind, compile_form(kinds[kind])):
                yield Finding("warning", place, f"It is never offered: {lost}.")


def _of_place(place: str, graph: str, node: str, graphs: Sequence[GraphFacts]) -> Iterator[Finding]:
    """Find answers for graphs and nodes that are not there."""
    loaded = [one for one in graphs if not one.error]
    named = [one for one in loaded if graph in ("*", one.name)]
    if graph != "*" and graphs and graph not in [one.name for one in graphs]:
        names = ", ".join(one.name for one in graphs)
        yield Finding("warning", place, f"There is no graph {graph!r}; there is: {names}.")
    elif named and node != "*" and not any(node in one.node_names for one in named):
        names = ", ".join(dict.fromkeys(name for one in named for name in one.node_names))
        yield Finding("warning", place, f"There is no node {node!r}; there is: {names}.")


def _of_graph(graph: GraphFacts, settings: Settings) -> Iterator[Finding]:
    if graph.error:
        said = f"It cannot be loaded: {graph.error.rstrip('.')}."
        yield Finding("error", graph.name, said, remedy_for(said))
        return
    if graph.needs_store:
        yield Finding(
            "error",
            graph.name,
            "Its nodes use LangGraph's Store and it was compiled without one: an approval would be used up.",
            "Compile it with store=….",
        )
    if graph.needs_context and settings.run.context is None:
        yield Finding(
            "warning",
            graph.name,
            "It declares a context, and the settings give none: its nodes may fail after an approval.",
            "Set [run] context in agent-lab.toml, or give --context.",
        )
    if graph.note:
        yield Finding("note", graph.name, graph.note)
    yield from _of_breakpoints(graph)
    if graph.async_only:
        names = ", ".join(graph.async_only)
        yield Finding("note", graph.name, f"Plain invoke cannot run {names}; the desk runs it as async.")
    if _has_loop(graph) and settings.run.recursion_limit is None:
        yield Finding(
            "note",
            graph.name,
            "It can go round in a loop, and LangGraph stops it only after 10,007 steps.",
            "Set [run] recursion_limit in agent-lab.toml.",
        )
    for asking in graph.asks:
        yield from _of_asking(graph, asking, settings)


def _of_breakpoints(graph: GraphFacts) -> Iterator[Finding]:
    for when, nodes in (("before", graph.interrupt_before), ("after", graph.interrupt_after)):
        if nodes:
            names = "every node" if "*" in nodes else ", ".join(nodes)
            text = f"It stops {when} {names} and asks nothing: the desk offers go on, skip and abandon there."
            yield Finding("note", graph.name, text)


def _of_asking(graph: GraphFacts, asking: AskingNode, settings: Settings) -> Iterator[Finding]:
    place = f"{graph.name}:{asking.node}"
    node = asking.node.rpartition(":")[2]
    if set(asking.node.split(":")) & set(graph.asks_cached):
        yield Finding(
            "warning",
            place,
            "It asks and has a cache: one person's answer is used for another thread, unasked.",
            "Take cache_policy off the node that asks.",
        )
    for complaint in asking.complaints:
        file = asking.place.rpartition(":")[0]
        said = f"{file}, {complaint[:1].lower()}{complaint[1:]}"
        yield Finding("warning", place, said, remedy_for(complaint))
    asks = f"{asking.function} in {asking.place} asks {_how(graph, asking)}"
    if asking.form in ("plain", "") and not settings.templates(graph.name, node):
        yield Finding(
            "note",
            place,
            f"{asks} What it expects for a yes or a no is not known.",
            f'Add [answers."{graph.name}:{node}"] to agent-lab.toml, with approve = … and reject = ….',
        )
    else:
        yield Finding("note", place, asks)


def _how(graph: GraphFacts, asking: AskingNode) -> str:
    """Say in which form a node asks, and what runs when the answer comes."""
    form = f"({asking.form})" if asking.form else "(in a form that its source does not show)"
    following = " or ".join(one.name for one in runs_next([asking.node.split(":")], graph))
    then = f", then {following}" if following else ""
    return f"{form}; for an answer it runs again from its top{then}."


def _has_loop(graph: GraphFacts) -> bool:
    """Tell whether the drawing has a way from a node back to it."""
    ways: dict[str, list[str]] = {}
    for start, target, _ in graph.edges:
        ways.setdefault(start, []).append(target)
    left = dict.fromkeys(ways)
    while ends := [node for node in left if not any(target in left for target in ways[node])]:
        for node in ends:
            del left[node]
    return bool(left)
