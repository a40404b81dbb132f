"""Which graph the answers of `agent-lab.toml` are for, however its key calls it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from ..hosting.facts import GraphFacts
from .file import Settings
from .specs import Project


def named_as_loaded(
    settings: Settings, projects: Iterable[Project], graphs: Iterable[GraphFacts]
) -> Settings:
    """Return the settings with the keys of their answers under the names that the graphs go by.

    A graph is called by the file alone as long as no other graph of that file is there. So a key holds under
    every name that a graph could have: under a shorter one where just one of those graphs has its node.

    Args:
        settings: As the file has them.
        projects: The graphs.
        graphs: What the loaded ones say of themselves.
    """
    nodes = _nodes(graphs)
    names = {spec.name: spec.names for project in projects for spec in project.specs}
    answers: dict[str, Mapping[str, Any]] = {}
    for key, kinds in settings.answers.items():
        place = _place(key, names, nodes)
        before = answers.get(place, {})
        answers[place] = {**before, **kinds} if place == key else {**kinds, **before}
    return replace(settings, answers=answers)


def _place(key: str, names: Mapping[str, Collection[str]], nodes: Mapping[str, Collection[str]]) -> str:
    graph, _, node = key.rpartition(":")
    if graph == "*" or graph in names:
        return key
    meant = [name for name, others in names.items() if graph in others]
    if len(meant) > 1 and node != "*":
        meant = [name for name in meant if node in nodes.get(name, ())]
    return f"{meant[0]}:{node}" if len(meant) == 1 else key


def of_no_use(settings: Settings, projects: Iterable[Project], graphs: Iterable[GraphFacts]) -> Iterator[str]:
    """Say in one sentence each which keys nobody reads, and which answers are for nothing that is there.

    Args:
        settings: With their answers named as the graphs are.
        projects: The graphs.
        graphs: What the loaded ones say of themselves; of others no node is known to be missing.
    """
    nodes = _nodes(graphs)
    yield from settings.unknown
    specs = [spec for project in projects for spec in project.specs]
    names = [spec.name for spec in specs]
    for key in settings.answers if names else ():
        graph, _, node = key.rpartition(":")
        meant = [spec.name for spec in specs if graph in spec.names]
        if graph not in ("*", *names) and meant:
            if all(name in nodes for name in meant):
                fits = ", ".join(meant)
                yield f'[answers."{key}"] is used for none of {fits}: name the one that has its node.'
        elif graph not in ("*", *names):
            yield f'[answers."{key}"] is for no graph that is named; there is: {", ".join(names)}.'
        elif node != "*" and not _has(node, names if graph == "*" else [graph], nodes):
            yield f'[answers."{key}"] is for no node that is there.'


def _nodes(graphs: Iterable[GraphFacts]) -> dict[str, tuple[str, ...]]:
    return {one.name: one.node_names for one in graphs if one.error is None}


def _has(node: str, graphs: Iterable[str], nodes: Mapping[str, Collection[str]]) -> bool:
    return any(graph not in nodes or node in nodes[graph] for graph in graphs)
