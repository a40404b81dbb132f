"""Raw values as JSON, for people and programs: every part readable, the same text for the same value."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any, Final

from .arrays import array_to_json
from .raw import ARGUMENTS, ARRAY, Ext, Unreadable, Value
from .scalars import shown

Json = Any
"""What `json.dumps` writes without a loss: None, bool, int, finite float, str, list, dict with str keys."""

DEEPEST: Final = 120
"""Levels that are shown; below them one line says that there is more."""


def to_json(value: Value) -> Json:
    """Give a value as JSON: objects by their fields, dates and decimals as text, bytes as in Python."""
    return _to_json(value, 0)


def key_names(keys: Iterable[Value]) -> dict[Value, str]:
    """Name the keys of a dict for JSON; keys that would look alike get their kind added."""
    keys = list(keys)
    names: dict[Value, str] = {key: key for key in keys if isinstance(key, str)}
    taken = set(names)
    for key in keys:
        if isinstance(key, str):
            continue
        name = plain = _key_text(key)
        while name in taken:
            name = f"{plain} ({type(key).__name__})"
            plain = name
        names[key] = name
        taken.add(name)
    return names


def float_text(number: float) -> str:
    """Name a float that JSON has no form for."""
    if math.isnan(number):
        return "NaN"
    return "Infinity" if number > 0 else "-Infinity"


def _key_text(key: Value) -> str:
    if isinstance(key, float) and not math.isfinite(key):
        return float_text(key)
    if isinstance(key, bytes):
        return repr(key)
    return json.dumps(_to_json(list(key) if isinstance(key, tuple) else key, 0), ensure_ascii=False)


def _to_json(value: Value, level: int) -> Json:
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if level > DEEPEST:
        return f"(nested deeper than {DEEPEST} levels)"
    if isinstance(value, dict):
        names = key_names(value)
        return {names[key]: _to_json(part, level + 1) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_to_json(part, level + 1) for part in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else float_text(value)
    if isinstance(value, Ext):
        return _object(value, level)
    if isinstance(value, Unreadable):
        return f"(unreadable: {value.reason})"
    return repr(bytes(value))


def _object(value: Ext, level: int) -> Json:
    """Show an object by what it is made from."""
    if (line := shown(value)) is not None:
        return line
    if (node := send_parts(value)) is not None:
        return {name: _to_json(part, level + 1) for name, part in node.items()}
    if value.code == ARRAY and (array := array_to_json(value.data)) is not None:
        return array
    if value.module is None and isinstance(value.data, bytes):
        return {"extension": value.code, "bytes": repr(value.data)}
    return _to_json(value.fields, level + 1)


def send_parts(value: Ext) -> dict[str, Value] | None:
    """Name the arguments of a `Send`; None for anything else."""
    if value.code != ARGUMENTS or value.name != "Send" or not isinstance(value.fields, list):
        return None
    if not 2 <= len(value.fields) <= 3:
        return None
    return dict(zip(("node", "arg", "timeout"), value.fields, strict=False))
