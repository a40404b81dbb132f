"""Edited JSON as a raw value again: what was not touched stays the very value that was stored."""

from __future__ import annotations

import ast
import json
import sys
from collections import defaultdict
from typing import Final

from .jsonable import Json, key_names, send_parts, to_json
from .raw import ARRAY, Ext, Unreadable, Value
from .scalars import reread, shown

_NOT_FINITE: Final = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


def from_json(edited: Json, like: Value) -> Value:
    """Give edited JSON as a raw value; each part that still reads as it did keeps its original.

    Args:
        edited: the JSON of `to_json(like)`, or a changed form of it.
        like: the raw value that was shown.

    Raises:
        ValueError: a changed number, date, identifier or array cannot be rebuilt in its type.
    """
    return _merge(edited, to_json(like), like)


def _merge(edited: Json, shown_as: Json, like: Value) -> Value:
    if same_json(edited, shown_as):
        return like
    if isinstance(like, Ext):
        return _object(edited, shown_as, like)
    if isinstance(like, dict) and isinstance(edited, dict):
        return _dict(edited, shown_as, like)
    if isinstance(like, list) and isinstance(edited, list):
        return _list(edited, shown_as, like)
    if isinstance(like, float):
        return _float(edited)
    if isinstance(like, bytes) and isinstance(edited, str):
        return _bytes(edited)
    if isinstance(like, Unreadable):
        raise ValueError(f"A part that cannot be read ({like.reason}) cannot be changed either.")
    return edited


def same_json(one: Json, other: Json) -> bool:
    """Whether two JSON values are the same, true and 1 apart; 1 and 1.0 are one number to JSON tools."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return one == other and (type(one) is type(other) or isinstance(other, float))
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same_json(part, other[key]) for key, part in one.items())
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same_json, one, other))
    return bool(one == other)


def _object(edited: Json, shown_as: Json, like: Ext) -> Value:
    """Rebuild an object around what was changed in it."""
    if like.code == ARRAY:
        raise ValueError("The numbers of an array cannot be changed here.")
    if isinstance(like.data, (bytes, Unreadable)):
        raise ValueError("An extension that cannot be read cannot be changed either.")
    if shown(like) is not None:
        if isinstance(edited, str) or (isinstance(edited, (int, float)) and not isinstance(edited, bool)):
            return reread(str(edited), like)
        return edited
    if (parts := send_parts(like)) is not None:
        if not isinstance(edited, dict) or not {"node", "arg"} <= edited.keys() <= {"node", "arg", "timeout"}:
            raise ValueError("A Send has a node and an arg.")
        changed = _dict(edited, shown_as, parts)
        return _with_fields(like, [changed[name] for name in ("node", "arg", "timeout") if name in changed])
    if edited is None or (
        isinstance(like.fields, (dict, list)) and not isinstance(edited, type(like.fields))
    ):
        return edited
    return _with_fields(like, _merge(edited, shown_as, like.fields))


def _with_fields(like: Ext, fields: Value) -> Ext:
    if not like.is_object:
        return Ext(like.code, fields)
    return Ext(like.code, [*like.data[:2], fields, *like.data[3:]])


def _dict(edited: dict[str, Json], shown_as: dict[str, Json], like: dict[Value, Value]) -> dict[Value, Value]:
    """Keep the keys of the original, also those that are no text."""
    keys = {name: key for key, name in key_names(like).items()}
    return {
        keys.get(name, name): _merge(part, shown_as[name], like[keys[name]]) if name in keys else part
        for name, part in edited.items()
    }


_LARGEST: Final = int(sys.float_info.max)


def _float(edited: Json) -> Value:
    if isinstance(edited, str) and edited in _NOT_FINITE:
        return _NOT_FINITE[edited]
    if isinstance(edited, int) and not isinstance(edited, bool) and abs(edited) <= _LARGEST:
        return float(edited)
    return edited


def _bytes(edited: str) -> bytes:
    """Read bytes as Python writes them; other text is taken as it stands, in UTF-8."""
    try:
        found = ast.literal_eval(edited)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        found = None
    return found if isinstance(found, bytes) else edited.encode("utf-8")


def _list(edited: list[Json], shown_as: list[Json], like: list[Value]) -> list[Value]:
    """Keep every element that is still there, wherever it went; a new one is made like its neighbours."""
    result: list[Value] = [None] * len(edited)
    kept = {
        place for place in range(min(len(edited), len(like))) if same_json(edited[place], shown_as[place])
    }
    for place in kept:
        result[place] = like[place]
    moved: defaultdict[str, list[int]] = defaultdict(list)
    for place in range(len(like)):
        if place not in kept:
            moved[_text(shown_as[place])].append(place)
    changed: list[int] = []
    for place in range(len(edited)):
        if place in kept:
            continue
        if found := moved.get(_text(edited[place])):
            result[place] = like[found.pop(0)]
        else:
            changed.append(place)
    left = sorted(place for places in moved.values() for place in places)
    for place in changed:
        result[place] = _new_element(edited[place], shown_as, like, _neighbour(place, left))
    return result


def _text(part: Json) -> str:
    return json.dumps(part, sort_keys=True)


def _neighbour(place: int, left: list[int]) -> int | None:
    """Choose the original of a changed element: the one in its place, else the next that is left."""
    if not left:
        return None
    return left.pop(left.index(place) if place in left else 0)


def _new_element(edited: Json, shown_as: list[Json], like: list[Value], place: int | None) -> Value:
    if place is None:
        kinds = {(part.code, part.module, part.name) if isinstance(part, Ext) else None for part in like}
        if len(kinds) != 1 or kinds == {None}:
            return edited
        place = 0
    return _merge(edited, shown_as[place], like[place])
