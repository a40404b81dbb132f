"""Which nodes of a loaded graph ask a person: their functions looked up in their source."""

from __future__ import annotations

import inspect
import sysconfig
from functools import lru_cache
from pathlib import Path
from typing import Any

from langgraph.pregel import Pregel

from ..checking.fixed_keys import fixed_keys
from ..checking.source_check import Asking, asking
from ..hosting.facts import AskingNode
from .walking import Function, functions_by_node

_MIDDLEWARE = "HumanInTheLoopMiddleware."
_INSTALLED = tuple(
    {sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), sysconfig.get_path("stdlib")}
)


def asking_nodes(graph: Pregel[Any, Any, Any, Any]) -> tuple[AskingNode, ...]:
    """Return the nodes that ask, in the graph's order; only what the source shows."""
    found = (_asking(node, function) for node, function in functions_by_node(graph))
    return tuple(dict.fromkeys(one for one in found if one is not None))


def keys_at_fault(graph: Pregel[Any, Any, Any, Any]) -> tuple[str, ...]:
    """Return what is wrong with the keys in the author's files that the nodes' functions stand in."""
    files = dict.fromkeys(_file(function) for _node, function in functions_by_node(graph))
    return tuple(
        f"{file}, line {line}: {text}"
        for file in files
        if file is not None and not file.startswith(_INSTALLED)
        for line, text in _keys_of(file)
    )


def async_only(graph: Pregel[Any, Any, Any, Any]) -> tuple[str, ...]:
    """Return the nodes that have an async function and no other."""
    return tuple(
        name
        for name, node in graph.nodes.items()
        if getattr(node.bound, "func", 0) is None and getattr(node.bound, "afunc", None) is not None
    )


def _asking(node: str, function: Function) -> AskingNode | None:
    name = getattr(function, "__qualname__", type(function).__name__)
    if name.startswith(_MIDDLEWARE):
        mode = getattr(getattr(function, "__self__", None), "interrupt_mode", "batched")
        if mode == "per_call":  # it asks as each tool starts, whatever node its own code stands in
            return AskingNode("tools", "HumanInTheLoopMiddleware", "langchain", "per-call")
        return AskingNode(node, "HumanInTheLoopMiddleware", "langchain", "batched")
    file = _file(function)
    if file is None:
        return None
    found = next((one for one in _of_file(file) if one.line == function.__code__.co_firstlineno), None)
    if found is None:
        return None
    complaints = () if file.startswith(_INSTALLED) else found.complaints
    return AskingNode(node, found.name, f"{file}:{found.line}", found.form, complaints)


def _file(function: Function) -> str | None:
    """Return the file of a function's source; None for one without code of its own."""
    code = getattr(function, "__code__", None)
    if code is None or not isinstance(code.co_filename, str):
        return None
    return str(Path(inspect.getsourcefile(function) or code.co_filename).resolve())


@lru_cache(maxsize=100)
def _keys_of(file: str) -> tuple[tuple[int, str], ...]:
    try:
        return fixed_keys(Path(file).read_text("utf-8"))
    except (OSError, ValueError):
        return ()


@lru_cache(maxsize=100)
def _of_file(file: str) -> tuple[Asking, ...]:
    try:
        return asking(Path(file).read_text("utf-8"))
    except (OSError, ValueError):
        return ()
