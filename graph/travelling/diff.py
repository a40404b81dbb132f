"""Compare two states: what was added, removed, changed, and where (pure)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from agent_lab_tui.store.values import Ext, encode

from ..questions import Value

DEEPEST = 60
"""Below this many levels two different values are one change, not looked into."""
ALIGNED = 1_000_000
"""Lists are aligned by content while the product of their lengths is at most this."""

_PLAIN = re.compile(r"[^\W\d]\w*(-\w+)*")
_SETS = ("set", "frozenset")


@dataclass(frozen=True, slots=True)
class ById:
    """A part of a path: the element of a list that has this id."""

    id: str


Part = str | int | ById
Path = tuple[Part, ...]
Kind = Literal["added", "removed", "changed"]


@dataclass(frozen=True, slots=True)
class Difference:
    """One place in which two states differ."""

    path: Path
    kind: Kind
    before: Value = None
    """The raw value there; None too when it was added."""
    after: Value = None
    """The raw value there; None too when it was removed."""

    @property
    def place(self) -> str:
        """The path in one word, such as `messages[m1].content`; raw foreign text."""
        return place(self.path)


def place(path: Path) -> str:
    """Write a path in one word."""
    text = ""
    for part in path:
        if isinstance(part, ById):
            text += f"[{part.id}]"
        elif isinstance(part, int):
            text += f"[{part}]"
        elif _PLAIN.fullmatch(part):
            text += f".{part}" if text else part
        else:
            text += f'["{part}"]'
    return text


def differences(before: Value, after: Value, path: Path = ()) -> Iterator[Difference]:
    """Yield what differs between two raw values, in the order of the first.

    Messages and other elements with an id are matched by it, other lists by
    content, sets by membership, objects of one class by their fields.
    """
    if before is after or _key(before) == _key(after):
        return
    if len(path) >= DEEPEST:
        yield Difference(path, "changed", before, after)
        return
    if isinstance(before, Ext) and isinstance(after, Ext):
        yield from _objects(before, after, path)
    elif isinstance(before, dict) and isinstance(after, dict):
        yield from _mappings(before, after, path, str)
    elif isinstance(before, list) and isinstance(after, list):
        yield from _lists(before, after, path)
    else:
        yield Difference(path, "changed", before, after)


def _objects(before: Ext, after: Ext, path: Path) -> Iterator[Difference]:
    is_alike = before.code == after.code and (before.module, before.name) == (after.module, after.name)
    if (
        is_alike
        and before.name in _SETS
        and isinstance(before.fields, list)
        and isinstance(after.fields, list)
    ):
        yield from _aligned(sorted(before.fields, key=_key), sorted(after.fields, key=_key), path)
    elif is_alike and isinstance(before.fields, (dict, list)) and type(before.fields) is type(after.fields):
        yield from differences(before.fields, after.fields, path)
    else:
        yield Difference(path, "changed", before, after)


def _mappings(
    before: Mapping[Value, Value], after: Mapping[Value, Value], path: Path, part: Callable[[Value], Part]
) -> Iterator[Difference]:
    for key, value in before.items():
        here = (*path, part(key))
        if key in after:
            yield from differences(value, after[key], here)
        else:
            yield Difference(here, "removed", before=value)
    for key, value in after.items():
        if key not in before:
            yield Difference((*path, part(key)), "added", after=value)


def _lists(before: Sequence[Value], after: Sequence[Value], path: Path) -> Iterator[Difference]:
    ids, new_ids = _ids(before), _ids(after)
    if ids is not None and new_ids is not None and (ids or new_ids):
        yield from _mappings(ids, new_ids, path, ById)
        if list(ids) != list(new_ids) and sorted(ids) == sorted(new_ids):
            yield Difference(path, "changed", list(ids), list(new_ids))
    else:
        yield from _aligned(before, after, path)


def _aligned(before: Sequence[Value], after: Sequence[Value], path: Path) -> Iterator[Difference]:
    """Compare two lists by content; an index is the old one for what is gone, else the new one."""
    old, new = [_key(value) for value in before], [_key(value) for value in after]
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    old_middle, new_middle = old[start : len(old) - end], new[start : len(new) - end]
    if len(old_middle) * len(new_middle) > ALIGNED:
        blocks: Sequence[tuple[str, int, int, int, int]] = [
            ("replace", 0, len(old_middle), 0, len(new_middle))
        ]
    else:
        blocks = SequenceMatcher(None, old_middle, new_middle, autojunk=False).get_opcodes()
    for tag, a, a_end, b, b_end in blocks:
        if tag == "equal":
            continue
        both = min(a_end - a, b_end - b)
        for offset in range(both):
            here = (*path, start + b + offset)
            yield from differences(before[start + a + offset], after[start + b + offset], here)
        for index in range(start + a + both, start + a_end):
            yield Difference((*path, index), "removed", before=before[index])
        for index in range(start + b + both, start + b_end):
            yield Difference((*path, index), "added", after=after[index])


def _common(one: Sequence[bytes], other: Sequence[bytes]) -> int:
    """Count the elements that two lists have in common at their beginning."""
    count = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        count += 1
    return count


def _ids(values: Sequence[Value]) -> dict[str, Value] | None:
    """Return the elements by their ids, or None when one has none or two share one."""
    found: dict[str, Value] = {}
    for value in values:
        fields = value.fields if isinstance(value, Ext) else value
        own = fields.get("id") if isinstance(fields, dict) else None
        if not isinstance(own, str) or not own or own in found:
            return None
        found[own] = value
    return found


def _key(value: Value) -> bytes:
    """Return bytes that are equal for equal values of equal types."""
    try:
        return encode(value)
    except ValueError:
        return repr(value).encode("utf-8", "surrogatepass")
