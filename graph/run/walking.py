"""Walk the functions and the inner graphs of a compiled graph."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any

from langgraph.pregel import Pregel

Function = Callable[..., Any]

_DEEPEST = 10
"""Levels of subgraphs that are followed."""


def functions(graph: Pregel[Any, Any, Any, Any], seen: set[int] | None = None) -> Iterator[Function]:
    """Yield the functions that the nodes and tools of a graph run, inner graphs included."""
    seen = set() if seen is None else seen
    if id(graph) in seen:
        return
    seen.add(id(graph))
    for node in graph.nodes.values():
        yield from _functions_of(node.bound, seen)
        for inner in node.subgraphs or ():
            if isinstance(inner, Pregel):
                yield from functions(inner, seen)


def functions_by_node(graph: Pregel[Any, Any, Any, Any], path: str = "") -> Iterator[tuple[str, Function]]:
    """Yield the functions of a graph with the name of the node that runs each: `node:inner` in a subgraph."""
    for name, node in graph.nodes.items():
        place = f"{path}{name}"
        inner = [part for part in (node.bound, *(node.subgraphs or ())) if isinstance(part, Pregel)]
        for part in dict.fromkeys(inner):
            if part is not graph and path.count(":") < _DEEPEST:
                yield from functions_by_node(part, f"{place}:")
        if not isinstance(node.bound, Pregel):
            for function in _functions_of(node.bound, {id(part) for part in inner}):
                yield place, function


def calling(graph: Pregel[Any, Any, Any, Any], path: str = "") -> Iterator[str]:
    """Yield the nodes whose function calls an inner graph, as far as that can be seen: `node:inner`."""
    for name, node in graph.nodes.items():
        inner = [part for part in (node.bound, *(node.subgraphs or ())) if isinstance(part, Pregel)]
        if inner and not isinstance(node.bound, Pregel):
            yield f"{path}{name}"
        for part in dict.fromkeys(inner):
            if part is not graph and path.count(":") < _DEEPEST:
                yield from calling(part, f"{path}{name}:")


def unsaved_parts(graph: Pregel[Any, Any, Any, Any]) -> tuple[str, ...]:
    """Return the names of inner graphs compiled with `checkpointer=False`, as far as they can be seen.

    LangGraph fails on them with durability "sync" after their first step, and only the plain resume form
    reaches a question of theirs.
    """
    found: dict[str, None] = {}
    for name, node in graph.nodes.items():
        inner = [*(node.subgraphs or ()), node.bound]
        for function in _functions_of(node.bound, set()):
            inner += _referred_to(function)
        for part in inner:
            if isinstance(part, Pregel):
                if part.checkpointer is False:
                    found[name] = None
                elif part is not graph:
                    found.update(dict.fromkeys(f"{name}:{deeper}" for deeper in unsaved_parts(part)))
    return tuple(found)


def _functions_of(runnable: Any, seen: set[int]) -> Iterator[Function]:
    if isinstance(runnable, Pregel):
        yield from functions(runnable, seen)
        return
    if id(runnable) in seen:
        return
    seen.add(id(runnable))
    for attribute in ("func", "afunc", "coroutine"):
        function = getattr(runnable, attribute, None)
        if callable(function):
            yield _plain(function)
    for step in getattr(runnable, "steps", None) or ():
        yield from _functions_of(step, seen)
    tools = getattr(runnable, "tools_by_name", None)
    for tool in tools.values() if isinstance(tools, dict) else ():
        yield from _functions_of(tool, seen)
    bound = getattr(runnable, "bound", None)
    if bound is not None:
        yield from _functions_of(bound, seen)


def _plain(function: Function) -> Function:
    while isinstance(function, functools.partial):
        function = function.func
    plain: Function = inspect.unwrap(function)
    return plain


def _referred_to(function: Function) -> list[Any]:
    try:
        closed = inspect.getclosurevars(function)
    except (TypeError, ValueError):
        return []
    values = [*closed.nonlocals.values(), *closed.globals.values()]
    return [getattr(value, "__self__", value) for value in values]
