"""What a graph needs to be given before it may run: LangGraph's Store, a context.

A node that uses a Store it was not given fails after the approval, and the answer is used up; so it is
looked for beforehand, in signatures and in the compiled code of the nodes.
"""

from __future__ import annotations

import dis
import inspect
import itertools
from collections.abc import Iterator
from types import CodeType
from typing import Any

from langgraph.pregel import Pregel
from langgraph.store.base import BaseStore

from .walking import Function, functions


def needs_store(graph: Pregel[Any, Any, Any, Any]) -> bool:
    """Return whether a graph without a Store has a node or a tool that cannot do without one."""
    return graph.store is None and any(_uses_store(function) for function in functions(graph))


def needs_context(graph: Pregel[Any, Any, Any, Any]) -> bool:
    """Return whether a graph declares a context schema and has nodes that can look at the context.

    An old `config_schema` is kept in the same place; its nodes take no Runtime and need no context.
    """
    if graph.context_schema is None:
        return False
    return any(_takes_runtime(function) for function in functions(graph))


def _parameters(function: Function) -> dict[str, inspect.Parameter]:
    try:
        return dict(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return {}


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _takes_runtime(function: Function) -> bool:
    code = getattr(function, "__code__", None)
    if "runtime" in _parameters(function):
        return True
    return code is not None and any("get_runtime" in part.co_names for part in _codes(code))


def _uses_store(function: Function) -> bool:
    parameters = _parameters(function)
    if any(_is_store(parameter) for parameter in parameters.values()):
        return True
    code = getattr(function, "__code__", None)
    if code is None:
        return False
    parts = list(_codes(code))
    if any("get_store" in part.co_names for part in parts):
        return True
    return "runtime" in parameters and any(_uses_attribute(part, "store") for part in parts)


def _is_store(parameter: inspect.Parameter) -> bool:
    """Whether LangGraph or a ToolNode fills this parameter with the Store and fails without one."""
    annotation = parameter.annotation
    is_injected = "InjectedStore" in str(annotation)
    is_named = parameter.name == "store" and annotation in (BaseStore, "BaseStore", inspect.Parameter.empty)
    return (is_injected or is_named) and parameter.default is inspect.Parameter.empty


def _uses_attribute(code: CodeType, name: str) -> bool:
    """Whether code reads `x.name.more`, or keeps `x.name` in a variable that it never tests for None."""
    steps = [step for step in dis.get_instructions(code) if step.opname not in ("CACHE", "COPY_FREE_VARS")]
    for here, after in itertools.pairwise(steps):
        if here.opname not in ("LOAD_ATTR", "LOAD_METHOD") or here.argval != name:
            continue
        if after.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            return True
        if after.opname == "STORE_FAST" and not _is_tested(steps, str(after.argval)):
            return True
    return False


def _is_tested(steps: list[dis.Instruction], variable: str) -> bool:
    for here, after in itertools.pairwise(steps):
        is_read = here.opname.startswith("LOAD_FAST") and here.argval == variable
        if is_read and (after.opname.startswith(("POP_JUMP", "JUMP_IF", "TO_BOOL", "COPY", "UNARY_NOT"))):
            return True
        if is_read and after.opname == "LOAD_CONST" and after.argval is None:
            return True
    return False
