"""Import a user's graph file or module under the name that its stored state knows it by."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import re
import sys
from collections.abc import Collection, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

from langgraph.graph import StateGraph
from langgraph.pregel import Pregel

from ..settings.specs import GraphSpec

_GRAPH = re.compile(r"Graph|Pregel|Runnable\b")
_MAKERS = frozenset({"StateGraph", "compile", "create_agent", "create_react_agent", "entrypoint"})


class NoSuchAttribute(Exception):
    """The module has no attribute of that name; the message is one sentence."""


def add_to_path(folders: Iterable[Path]) -> None:
    """Put folders first on `sys.path`, in their order, each once."""
    wanted = list(dict.fromkeys(str(folder) for folder in folders))
    sys.path[:] = wanted + [entry for entry in sys.path if entry not in wanted]


def import_target(spec: GraphSpec) -> Any:
    """Import what a spec names and return the attribute; whatever the user's code raises passes through.

    Raises:
        NoSuchAttribute: The module was imported and has no such attribute.
    """
    place, _, attr = spec.target.rpartition(":")
    add_to_path(spec.paths)
    module = import_file(spec.file) if spec.file else importlib.import_module(place)
    try:
        found: Any = module
        for part in attr.split("."):
            found = getattr(found, part)
    except AttributeError:
        names = ", ".join(_graphs_in(module))
        raise NoSuchAttribute(f"{place} has no {attr!r}; graphs in it: {names or 'none'}") from None
    return found


def _graphs_in(module: ModuleType) -> list[str]:
    """The attributes that are graphs, and the functions of the file that make one, as far as can be seen."""
    values = {name: value for name, value in vars(module).items() if not name.startswith("__")}
    nodes = [node for value in values.values() for node in _nodes_of(value)]
    own = {
        name: value
        for name, value in values.items()
        if inspect.isfunction(value) and value.__module__ == module.__name__ and value not in nodes
    }
    found = {name for name, value in values.items() if isinstance(value, StateGraph | Pregel)}
    while more := {name for name in own if name not in found and _makes_graph(own[name], found)}:
        found |= more
    return [name for name in values if name in found and not name.startswith("_")]


def _nodes_of(graph: Any) -> list[Any]:
    """Return the functions that a builder runs as its nodes."""
    bound = [node.runnable for node in graph.nodes.values()] if isinstance(graph, StateGraph) else []
    return [found for one in bound for name in ("func", "afunc") if (found := getattr(one, name, None))]


def _makes_graph(function: Any, graphs: Collection[str]) -> bool:
    """Tell whether a function makes a graph: by its annotation, else by what it speaks of."""
    said = function.__annotations__.get("return")
    if said is not None:
        return bool(_GRAPH.search(said if isinstance(said, str) else repr(said)))
    return not {*_MAKERS, *graphs}.isdisjoint(inspect.unwrap(function).__code__.co_names)


def import_file(file: Path) -> ModuleType:
    """Import a file once, under its stem and, inside a package, under its dotted name too.

    Checkpoints name the module that a state's class was defined in; under another name the objects come
    back as plain dicts and the node fails after the approval.
    """
    for module in list(sys.modules.values()):
        if getattr(module, "__file__", None) == str(file) and module.__name__ != "__main__":
            return module
    module = _import_in_package(file) or _import_alone(file)
    sys.modules.setdefault(file.stem, module)
    return module


def _import_alone(file: Path) -> ModuleType:
    name = file.stem
    while name in sys.modules:
        name += "_"  # a graph file called json.py must not replace the json everybody uses
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:  # a file that ends the process in its first line is no module either
        sys.modules.pop(name, None)
        raise
    return module


def _import_in_package(file: Path) -> ModuleType | None:
    parts, folder = [file.stem], file.parent
    while (folder / "__init__.py").is_file() and folder.name.isidentifier():
        parts.insert(0, folder.name)
        folder = folder.parent
    if len(parts) == 1:
        return None
    sys.path.append(str(folder))
    name = ".".join(parts)
    try:
        found = importlib.util.find_spec(name)
    except Exception:  # noqa: BLE001 - a package that cannot be imported: the file may well stand alone
        found = None
    if found is None or found.origin != str(file):
        sys.path.remove(str(folder))
        return None
    return importlib.import_module(name)
