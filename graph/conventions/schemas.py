"""JSON schemas of answers and arguments: whether they can be used, and what of a value does not fit.

Nothing is ever fetched: a schema that refers elsewhere cannot be used.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from agent_lab_tui.store.values import to_json

from ..questions import Value

_VALUES = ("const", "enum", "default", "examples")
"""Keys of a schema that hold values, not schemas."""
_MOST = 10_000
"""Parts of a schema that are looked through for an anchor."""


def unusable(schema: object) -> str | None:
    """Tell why a schema cannot be used to judge answers; None when it can."""
    from . import judging

    if not isinstance(schema, Mapping):
        return "it is no object"
    try:
        return judging.unusable(json.dumps(schema))
    except (TypeError, ValueError, RecursionError):
        return "it is no JSON"


def misfit(schema: Mapping[str, Any], value: Value) -> str | None:
    """Say in a few words what of a value does not fit a usable schema; None when all fits.

    Objects of the graph's own are judged by their JSON.
    """
    from . import judging

    return judging.misfit(schema, to_json(value))


def resolved(schema: Any, root: Mapping[str, Any]) -> Mapping[str, Any]:
    """Follow local references to the schema they stand for; {} for what is no schema.

    Keys beside a reference, such as a description, win over those it leads to.
    """
    found: dict[str, Any] = {}
    for _ in range(20):
        if not isinstance(schema, Mapping):
            break
        found = {**schema, **{key: value for key, value in found.items() if key != "$ref"}}
        reference = schema.get("$ref")
        if not isinstance(reference, str):
            break
        found.pop("$ref", None)
        schema = _target(reference, root)
    return found


def branches(schema: Mapping[str, Any], root: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    """Return the alternatives of a `oneOf` or `anyOf`, references followed; without one the schema itself."""
    for word in ("oneOf", "anyOf"):
        listed = schema.get(word)
        if isinstance(listed, list) and listed:
            return tuple(resolved(branch, root) for branch in listed)
    return (resolved(schema, root),)


def constant(schema: Mapping[str, Any]) -> Any:
    """Return the one value a schema lets through, or None."""
    if "const" in schema:
        return schema["const"]
    values = schema.get("enum")
    return values[0] if isinstance(values, list) and len(values) == 1 else None


def _target(reference: str, root: Mapping[str, Any]) -> Any:
    """Return what a reference inside the schema leads to; None where there is no such thing."""
    fragment = unquote(reference.removeprefix("#"))
    if fragment and not fragment.startswith("/"):
        return _anchored(fragment, root)
    node: Any = root
    for part in fragment.split("/")[1:]:
        part = part.replace("~1", "/").replace("~0", "~")
        if isinstance(node, list):
            node = node[int(part)] if part.isdecimal() and int(part) < len(node) else None
        else:
            node = node.get(part) if isinstance(node, Mapping) else None
    return node


def _anchored(name: str, root: Mapping[str, Any]) -> Any:
    """Return the part that bears an anchor; None where it is not there just once."""
    found: list[Any] = []
    left: list[Any] = [root]
    for _ in range(_MOST):
        if not left:
            break
        part = left.pop()
        if isinstance(part, Mapping):
            if name in (part.get("$anchor"), part.get("$dynamicAnchor")):
                found.append(part)
            left.extend(inner for word, inner in part.items() if word not in _VALUES)
        elif isinstance(part, list):
            left.extend(part)
    return found[0] if len(found) == 1 and not left else None
