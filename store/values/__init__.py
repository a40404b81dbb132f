"""The values of a checkpoint file: raw, as JSON, edited, named and hashed. Nothing in them is ever run."""

from __future__ import annotations

import hashlib
import struct
from typing import Final

from .editing import from_json, same_json
from .jsonable import Json, to_json
from .raw import Ext, Unreadable, Value, decode, encode

__all__ = [
    "Ext",
    "Json",
    "Unreadable",
    "Value",
    "decode",
    "encode",
    "fingerprint",
    "from_json",
    "same_json",
    "to_json",
    "type_name",
]

_FAMILIAR: Final = {
    "builtins",
    "collections",
    "datetime",
    "decimal",
    "ipaddress",
    "pathlib",
    "pathlib._local",
    "pydantic.types",
    "uuid",
    "zoneinfo",
}
_UNORDERED: Final = {("builtins", "set"), ("builtins", "frozenset")}
_DEEPEST: Final = 120


def type_name(value: Value) -> str:
    """Name the type of a value for display: `graph.Line`, `Decimal`, `dict`; raw foreign text for objects."""
    if isinstance(value, Unreadable):
        return "unreadable"
    if not isinstance(value, Ext):
        return "None" if value is None else type(value).__name__
    if value.module is None:
        return {6: "array", 7: "snapshot"}.get(value.code, f"extension {value.code}")
    is_familiar = value.module in _FAMILIAR or value.module.split(".")[0] in ("langchain_core", "langgraph")
    return str(value.name) if is_familiar else f"{value.module}.{value.name}"


def fingerprint(value: Value) -> str:
    """Hash a value: 64 hex digits, the same for dicts and sets in any order, in every process."""
    return _digest(value, 0).hex()


def _digest(value: Value, level: int) -> bytes:
    """Hash one part under a mark of its kind, so that no two kinds can meet."""
    if level > _DEEPEST:
        return _hash(b"deep", _flat(value))
    if isinstance(value, dict):
        pairs = sorted(_digest(key, level + 1) + _digest(part, level + 1) for key, part in value.items())
        return _hash(b"dict", *pairs)
    if isinstance(value, (list, tuple)):
        return _hash(b"list", *(_digest(part, level + 1) for part in value))
    if isinstance(value, Ext):
        if (value.module, value.name) in _UNORDERED and isinstance(value.fields, list):
            return _hash(b"set", *sorted(_digest(part, level + 1) for part in value.fields))
        return _hash(b"ext", str(value.code).encode(), _digest(value.data, level + 1))
    return _leaf(value)


def _flat(value: Value) -> bytes:
    """Hash what is nested too deeply for recursion, in the order in which it is stored."""
    whole = hashlib.sha256()
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            whole.update(b"{%d" % len(part))
            waiting += [one for pair in part.items() for one in pair]
        elif isinstance(part, (list, tuple)):
            whole.update(b"[%d" % len(part))
            waiting += part
        elif isinstance(part, Ext):
            whole.update(b"<%d" % part.code)
            waiting.append(part.data)
        else:
            whole.update(_leaf(part))
    return whole.digest()


def _leaf(value: Value) -> bytes:
    if isinstance(value, str):
        return _hash(b"str", value.encode("utf-8", "surrogatepass"))
    if isinstance(value, float):
        return _hash(b"float", struct.pack(">d", value))
    if isinstance(value, Unreadable):
        return _hash(b"unreadable", value.raw)
    if isinstance(value, bytes):
        return _hash(b"bytes", value)
    return _hash(type(value).__name__.encode(), str(value).encode())


def _hash(*parts: bytes) -> bytes:
    whole = hashlib.sha256()
    for part in parts:
        whole.update(len(part).to_bytes(8, "big"))
        whole.update(part)
    return whole.digest()
