"""Which classes named in a checkpoint may be rebuilt: those that the loaded graph brought along.

LangGraph's strict mode rebuilds only classes that it finds in the annotations of a state. A state that says
`list` and holds a user's dataclasses would come back as dicts, and its node would fail after the approval;
its permissive mode imports and calls whatever a file names. Between the two stands this: a class may be
rebuilt when a graph has already imported it and it is a plain record: pydantic, dataclass, named tuple, enum.
"""

from __future__ import annotations

import copy
import dataclasses
import enum
import sys
from collections.abc import Iterable
from types import ModuleType
from typing import Any

import ormsgpack
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from pydantic import BaseModel

TypeName = tuple[str, str]
"""(module, class) as a checkpoint names it."""


class KnownTypes(JsonPlusSerializer):
    """LangGraph's serializer, strict, which learns the record types that are in memory as it meets them."""

    def __init__(self, files: Iterable[ModuleType] = ()) -> None:
        """Keep the modules of the graph files, where a class of a script run as `__main__` is looked for."""
        super().__init__(allowed_msgpack_modules=None)
        self._strict = JsonPlusSerializer(allowed_msgpack_modules=None)
        self._files = tuple(files)
        self._known: set[TypeName] = set()

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """Rebuild a value; records of classes that no graph has brought along stay plain data."""
        if data[0] == "msgpack":
            new = {named for named in type_names(data[1]) - self._known if self._is_record(named)}
            if new:
                self._strict = self._strict.with_msgpack_allowlist(new)
                self._known |= new
        return self._strict.loads_typed(data)

    def with_msgpack_allowlist(self, extra_allowlist: Iterable[tuple[str, ...] | type]) -> KnownTypes:
        """Return a copy that rebuilds more classes."""
        clone = copy.copy(self)
        clone._strict = self._strict.with_msgpack_allowlist(extra_allowlist)
        clone._known = set(self._known)
        return clone

    def _is_record(self, named: TypeName) -> bool:
        module, name = named
        if module == "__main__":
            self._lend_to_main(name)
        found = getattr(sys.modules.get(module), name, None)
        return is_record_type(found)

    def _lend_to_main(self, name: str) -> None:
        """Let a class be found in `__main__` when the file was run as a script while it was stored."""
        main = sys.modules["__main__"]
        for file in self._files:
            if is_record_type(getattr(file, name, None)) and not hasattr(main, name):
                setattr(main, name, getattr(file, name))


def is_record_type(found: object) -> bool:
    """Return whether making an object of this class only fills its fields."""
    return isinstance(found, type) and (
        issubclass(found, BaseModel | enum.Enum)
        or dataclasses.is_dataclass(found)
        or (issubclass(found, tuple) and hasattr(found, "_fields"))
    )


def type_names(blob: bytes) -> set[TypeName]:
    """Return the classes that a msgpack value names, without importing any."""
    names: set[TypeName] = set()

    def visit(code: int, data: bytes) -> None:
        inner = ormsgpack.unpackb(data, ext_hook=visit, option=ormsgpack.OPT_NON_STR_KEYS)
        if code != _DELTA and isinstance(inner, list) and len(inner) > 1:
            names.add((str(inner[0]), str(inner[1])))

    ormsgpack.unpackb(blob, ext_hook=visit, option=ormsgpack.OPT_NON_STR_KEYS)
    return names


_DELTA = 7
"""The extension of a DeltaChannel's snapshot: a value, no class."""
