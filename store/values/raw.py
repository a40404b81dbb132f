"""Raw msgpack to plain records and back; nothing that the data names is imported or called.

LangGraph stores objects as msgpack extensions that name a module and a class. Its own reader imports and
calls them; this one keeps each as an `Ext`, so that a foreign database can be read without running it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import ormsgpack

from .. import cipher

Value = Any
"""None, bool, int, float, str, bytes, list, dict, `Ext` or `Unreadable`."""

ONE_ARGUMENT, ARGUMENTS, KEYWORDS, METHOD, PYDANTIC_1, PYDANTIC_2, ARRAY, SNAPSHOT = range(8)
"""LangGraph's extension codes; other codes keep their payload as bytes."""

_CODES: Final = range(8)
_DEEPEST_EXTENSION: Final = 60
_READ: Final = ormsgpack.OPT_NON_STR_KEYS
_WRITE: Final = (
    ormsgpack.OPT_NON_STR_KEYS
    | ormsgpack.OPT_PASSTHROUGH_DATACLASS
    | ormsgpack.OPT_PASSTHROUGH_DATETIME
    | ormsgpack.OPT_PASSTHROUGH_ENUM
    | ormsgpack.OPT_PASSTHROUGH_UUID
    | ormsgpack.OPT_PASSTHROUGH_SUBCLASS
    | ormsgpack.OPT_REPLACE_SURROGATES
)


_MESSAGES: Final = {
    "HumanMessage": "langchain_core.messages.human",
    "AIMessage": "langchain_core.messages.ai",
    "AIMessageChunk": "langchain_core.messages.ai",
    "SystemMessage": "langchain_core.messages.system",
    "ToolMessage": "langchain_core.messages.tool",
    "FunctionMessage": "langchain_core.messages.function",
    "ChatMessage": "langchain_core.messages.chat",
    "RemoveMessage": "langchain_core.messages.modifier",
}
"""Where today's LangChain keeps the messages that old files name by their serial ids."""


@dataclass(frozen=True, slots=True)
class Ext:
    """A msgpack extension: an object of the graph's own, kept as it is stored."""

    code: int
    data: Value
    """The decoded payload; bytes where the code is none of LangGraph's."""

    @property
    def is_object(self) -> bool:
        """Whether the payload names a module and a class, followed by what the class is made from."""
        return (
            self.code <= PYDANTIC_2
            and isinstance(self.data, list)
            and len(self.data) >= 3
            and isinstance(self.data[0], str)
            and isinstance(self.data[1], str)
        )

    @property
    def module(self) -> str | None:
        """The module that the data names; None for what is not an object."""
        return str(self.data[0]) if self.is_object else None

    @property
    def name(self) -> str | None:
        """The class that the data names; None for what is not an object."""
        return str(self.data[1]) if self.is_object else None

    @property
    def fields(self) -> Value:
        """What the object is made from: a dict of fields, a list of arguments, or one value."""
        return self.data[2] if self.is_object else self.data


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A value that cannot be read; why is said, never raised."""

    reason: str
    raw: bytes = field(default=b"", repr=False)
    """The bytes as they stand in the file."""


def decode(type_: str | None, blob: bytes | str | None) -> Value:
    """Give the value of one stored blob; never raises.

    Args:
        type_: what the row's `type` column says.
        blob: the bytes of the row.
    """
    if type_ == "null" or (type_ is None and not blob):
        return None
    if isinstance(blob, str):
        blob = blob.encode("utf-8", "surrogatepass")
    if blob is None:
        return Unreadable("the value is missing")
    if type_ == "msgpack":
        return _unpack(blob, 0)
    if type_ in ("bytes", "bytearray"):
        return blob
    if type_ == "json":
        return _from_old_json(blob)
    if type_ is not None and type_.endswith(f"+{cipher.CIPHER}"):
        return _decrypted(type_, blob)
    return Unreadable(_why_not(type_), blob)


def encode(value: Value) -> bytes:
    """Give the msgpack of a value, the inverse of `decode`.

    Raises:
        ValueError: the value holds what msgpack cannot carry: a number beyond 64 bits, an unreadable
            part, or more than 255 levels.
    """
    try:
        return bytes(ormsgpack.packb(value, default=_pack, option=_WRITE))
    except TypeError as error:
        raise ValueError(f"This value cannot be stored: {error.__cause__ or error}.") from error


def _decrypted(type_: str, blob: bytes) -> Value:
    """Read an encrypted value; without its key it comes back as `Unreadable`."""
    try:
        plain = cipher.decrypt(blob)
    except cipher.CannotDecrypt as error:
        why = f": {str(error).rstrip('.')}" if cipher.has_key() else ""
        return Unreadable(f"{_why_not(type_)}{why}", blob)
    return decode(type_.rpartition("+")[0], plain)


def _why_not(type_: str | None) -> str:
    """Say why a stored type is not read."""
    if type_ is None:
        return "the kind of value is not recorded"
    kind, plus, name = type_.partition("+")
    if plus:
        return f"encrypted with {name or 'an unnamed cipher'}"
    if kind == "pickle":
        return "pickled: reading it would run code"
    return f"of an unknown kind, {kind!r}"


def _unpack(blob: bytes, depth: int) -> Value:
    """Unpack msgpack; what is broken comes back as `Unreadable`."""
    try:
        return ormsgpack.unpackb(blob, ext_hook=partial(_extension, depth), option=_READ)
    except ValueError as error:
        return Unreadable(f"broken msgpack: {error}", bytes(blob))


def _extension(depth: int, code: int, payload: bytes) -> Value:
    """Keep one extension; a payload that does not decode is kept as bytes."""
    if code not in _CODES:
        return Ext(code, bytes(payload))
    if depth >= _DEEPEST_EXTENSION:
        return Ext(code, Unreadable("objects nested too deeply", bytes(payload)))
    return Ext(code, _unpack(payload, depth + 1))


def _pack(value: object) -> Any:
    """Pack what msgpack has no form of its own for."""
    if isinstance(value, Ext):
        if isinstance(value.data, Unreadable):
            return ormsgpack.Ext(value.code, value.data.raw)
        return ormsgpack.Ext(value.code, value.data if value.code not in _CODES else encode(value.data))
    if isinstance(value, Unreadable):
        raise TypeError(f"a part of it is unreadable ({value.reason})")
    raise TypeError(f"it holds an object of type {type(value).__name__}")


def _from_old_json(blob: bytes) -> Value:
    """Read the JSON of files from before msgpack; its constructors become the `Ext` of today."""
    try:
        return json.loads(blob, object_hook=_constructor)
    except (ValueError, RecursionError) as error:
        return Unreadable(f"broken JSON: {error}", bytes(blob))


def _constructor(found: dict[str, Value]) -> Value:
    """Turn a stored constructor call into an object record, as msgpack keeps it."""
    path = found.get("id")
    if found.get("type") != "constructor" or found.get("lc") not in (1, 2):
        return found
    if not isinstance(path, list) or len(path) < 2 or not all(isinstance(part, str) for part in path):
        return found
    module, name = ".".join(path[:-1]), path[-1]
    keywords, arguments, method = found.get("kwargs"), found.get("args"), found.get("method")
    if found["lc"] == 1:
        return Ext(PYDANTIC_2, [_MESSAGES.get(name, module), name, keywords or {}, "model_validate_json"])
    if keywords:
        code = PYDANTIC_2 if isinstance(method, list) else KEYWORDS
        return Ext(code, [module, name, keywords, *(["model_validate_json"] if code == PYDANTIC_2 else [])])
    if isinstance(arguments, list) and len(arguments) == 1:
        if isinstance(method, str):
            return Ext(METHOD, [module, name, arguments[0], method])
        return Ext(ONE_ARGUMENT, [module, name, arguments[0]])
    return Ext(ARGUMENTS, [module, name, arguments or []])
