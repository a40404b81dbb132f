"""A form while it is filled in: its inputs one after another, each with its place in what is typed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .form import Field
from .form_input import Picked, Typed, is_filled

Step = str | int | None
"""A key of an object, an index of a list, or None for the inside of a picked alternative."""
Path = tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a form."""

    path: Path
    field: Field
    typed: Typed
    depth: int = 0
    """Levels that it stands in; 0 for the fields of the whole answer."""
    is_element: bool = False
    """It is an element of a list, and can be removed."""

    @property
    def is_group(self) -> bool:
        """Whether it is the heading of what stands below it, and takes no input of its own."""
        return self.field.kind == "object" and not isinstance(self.typed, str)

    @property
    def takes_json(self) -> bool:
        """Whether its input is JSON: nothing else can hold it, or what stands in it does not fit the form."""
        holds_text = isinstance(self.typed, str) and bool(self.typed)
        return self.field.kind == "json" or (self.field.kind in ("object", "list", "variant") and holds_text)


def entries(form: Field, typed: Typed) -> tuple[Entry, ...]:
    """Lay a form out as lines, in the order in which they are filled in."""
    return tuple(_entries(Entry((), form, of_kind(form, typed))))


def at(typed: Typed, path: Path) -> Typed:
    """Return what is typed at a place; "" where nothing is."""
    for step in path:
        if step is None and isinstance(typed, Picked):
            typed = typed.typed
        elif isinstance(typed, Mapping) and isinstance(step, str):
            typed = typed.get(step, "")
        elif isinstance(typed, list) and isinstance(step, int) and step < len(typed):
            typed = typed[step]
        else:
            return ""
    return typed


def put(typed: Typed, path: Path, value: Typed) -> Typed:
    """Return what is typed with another value at one place."""
    if not path:
        return value
    step, rest = path[0], path[1:]
    if step is None and isinstance(typed, Picked):
        return Picked(typed.place, put(typed.typed, rest, value))
    if isinstance(step, int) and isinstance(typed, list):
        return [put(one, rest, value) if place == step else one for place, one in enumerate(typed)]
    inner = typed if isinstance(typed, Mapping) else {}
    return {**inner, str(step): put(inner.get(str(step), ""), rest, value)}


def with_element(typed: Typed, path: Path) -> Typed:
    """Add a blank element to the list at a place."""
    listed = at(typed, path)
    return put(typed, path, [*(listed if isinstance(listed, list) else ()), ""])


def without(typed: Typed, path: Path) -> Typed:
    """Take out the element at a place."""
    listed = at(typed, path[:-1])
    if not isinstance(listed, list):
        return typed
    return put(typed, path[:-1], [one for place, one in enumerate(listed) if place != path[-1]])


def children(field: Field, typed: Typed) -> Iterator[tuple[Step, Field, Typed]]:
    """Give the parts of a field with their places in it and what is typed into them."""
    if field.kind == "object" and isinstance(typed, Mapping):
        for inner in field.fields:
            yield inner.name, inner, of_kind(inner, typed.get(inner.name, ""))
    elif field.kind == "list" and isinstance(typed, list) and field.element is not None:
        for place, one in enumerate(typed):
            yield place, field.element, of_kind(field.element, one)
    elif field.kind == "variant" and isinstance(typed, Picked) and 0 <= typed.place < len(field.fields):
        yield None, field.fields[typed.place], of_kind(field.fields[typed.place], typed.typed)


def is_left_out(field: Field, typed: Typed) -> bool:
    """Tell whether nothing is typed into a field that need not be there."""
    return not field.is_required and not is_filled(typed)


def of_kind(field: Field, typed: Typed) -> Typed:
    """Take a blank object as one whose fields are blank; so is null where it cannot be null."""
    is_blank = typed == "" or (typed is None and not field.is_nullable)
    return {} if field.kind == "object" and is_blank else typed


def _entries(entry: Entry) -> Iterator[Entry]:
    is_bare = entry.is_group and (not entry.path or entry.path[-1] is None)
    if not is_bare:
        yield entry
    deeper = entry.depth if is_bare else entry.depth + 1
    for step, field, typed in children(entry.field, entry.typed):
        path = (*entry.path, step)
        yield from _entries(Entry(path, field, typed, deeper, is_element=isinstance(step, int)))
