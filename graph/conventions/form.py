"""A JSON schema as a form that a screen can draw: fields with kinds, options, limits, defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Literal

from ..questions import Value
from .schemas import constant, resolved

FieldKind = Literal[
    "text", "number", "integer", "boolean", "choice", "constant", "object", "list", "variant", "json"
]
"""`constant` needs no input, `variant` is one of several fields, `json` takes whatever JSON there is."""

_DEEPEST = 8
"""Levels of a schema that become fields; below them a field takes JSON."""
_MOST = 400
"""Fields of one form, those of all alternatives together; what has more takes JSON for the rest."""
MOST_LINES = 60
"""Fields of a form that can be on the screen at once, before lists grow; an object with more takes JSON."""

_PLAIN_KINDS: Mapping[str, FieldKind] = {
    "string": "text",
    "number": "number",
    "integer": "integer",
    "boolean": "boolean",
    "object": "object",
    "array": "list",
}


class Absent(Enum):
    """Stands for no value at all, which is not null."""

    ABSENT = "absent"


ABSENT = Absent.ABSENT


@dataclass(frozen=True, slots=True)
class Field:
    """One input of a form; an object's field holds fields in turn."""

    name: str
    """The key it fills; "" for a whole answer, an element or a variant."""
    kind: FieldKind
    label: str
    description: str = ""
    is_required: bool = True
    is_nullable: bool = False
    default: Value | Absent = ABSENT
    options: tuple[Value, ...] = ()
    """For choice the values to choose from, for constant the only one."""
    fields: tuple[Field, ...] = ()
    """For object its fields, for variant the alternatives."""
    element: Field | None = None
    """For list what each element is."""
    limits: str = ""
    """What a value must keep to, in a few words."""
    schema: Mapping[str, Any] = field(default_factory=dict)
    """The part of the schema it was made from, with the definitions that part needs."""


def read_form(schema: Mapping[str, Any]) -> Field:
    """Return the form of a usable schema."""
    return _Reader(schema).field(None, schema, is_required=True, level=0)


class _Reader:
    """Turns the parts of one schema into fields.

    A part takes room for all its parts before it is looked into; where there is none left, it takes JSON.
    So neither the form nor the work of reading it can grow with what a schema holds.
    """

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._fields = _MOST
        self._lines = MOST_LINES
        self._open: list[str] = []
        self._definitions = {key: root[key] for key in ("$defs", "definitions") if key in root}

    def field(self, name: str | None, part: Any, *, is_required: bool, level: int) -> Field:
        """Read one part; what has no field of its own takes JSON, what fills no key has no name."""
        references = _references(part)
        is_endless = any(one in self._open for one in references)
        self._open.extend(references)
        try:
            return self._field(name, part, is_required, _DEEPEST if is_endless else level)
        finally:
            del self._open[len(self._open) - len(references) :]

    def _field(self, name: str | None, part: Any, is_required: bool, level: int) -> Field:
        schema = self._merged(resolved(part, self._root))
        alternatives, is_nullable = self._alternatives(schema)
        if len(alternatives) == 1:
            only = self._merged(resolved(alternatives[0], self._root))
            schema = {**only, **{key: schema[key] for key in _ABOUT if key in schema}}
            alternatives = ()
        kind: FieldKind = "variant" if alternatives else _kind(schema)
        if kind in ("object", "list", "variant") and not (
            level < _DEEPEST and self._takes_room(kind, schema, alternatives)
        ):
            kind, alternatives = "json", ()
        inner = self._inner(schema, level) if kind == "object" else self._each(alternatives, level)
        return Field(
            name=name or "",
            kind=kind,
            label=_label(schema, name, inner),
            description=_text(schema.get("description")),
            is_required=is_required,
            is_nullable=is_nullable,
            default=schema.get("default", ABSENT),
            options=_options(schema, kind),
            fields=inner,
            element=self._element(schema, level) if kind == "list" else None,
            limits=_limits(schema),
            schema={**self._definitions, **schema},
        )

    def _takes_room(self, kind: FieldKind, schema: Mapping[str, Any], alternatives: tuple[Any, ...]) -> bool:
        """Take room for the parts of a part, or tell that there is none."""
        lines = len(schema["properties"]) if kind == "object" else 0
        parts = lines if kind == "object" else len(alternatives) or 1
        if parts > self._fields or lines > self._lines:
            return False
        self._fields -= parts
        self._lines -= lines
        return True

    def _merged(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """Take the one part of an `allOf`: a reference with a description beside it is often written so."""
        parts = schema.get("allOf")
        if isinstance(parts, list) and len(parts) == 1:
            rest = {key: inner for key, inner in schema.items() if key != "allOf"}
            return {**resolved(parts[0], self._root), **rest}
        return schema

    def _alternatives(self, schema: Mapping[str, Any]) -> tuple[tuple[Any, ...], bool]:
        """Return the alternatives of a schema without null, and whether null is one of them."""
        listed = next(
            (schema[word] for word in ("oneOf", "anyOf") if isinstance(schema.get(word), list)), None
        )
        if listed is None and isinstance(schema.get("type"), list):
            listed = [{**schema, "type": kind} for kind in schema["type"]]
        if listed is None or len(listed) > _MOST:
            return (), False
        real = tuple(one for one in listed if not _is_null(resolved(one, self._root)))
        return real, len(real) < len(listed)

    def _inner(self, schema: Mapping[str, Any], level: int) -> tuple[Field, ...]:
        required = schema.get("required")
        needed = frozenset(map(str, required)) if isinstance(required, list) else frozenset()
        parts = schema["properties"].items()
        return tuple(self.field(key, part, is_required=key in needed, level=level + 1) for key, part in parts)

    def _each(self, alternatives: tuple[Any, ...], level: int) -> tuple[Field, ...]:
        """Read each alternative; only one of them is on the screen at a time."""
        lines = least = self._lines
        found: list[Field] = []
        for one in alternatives:
            self._lines = lines
            found.append(self.field(None, one, is_required=True, level=level + 1))
            least = min(least, self._lines)
        self._lines = least
        return tuple(found)

    def _element(self, schema: Mapping[str, Any], level: int) -> Field:
        return self.field(None, schema["items"], is_required=True, level=level + 1)


def _references(part: Any) -> list[str]:
    """Return where a part leads, by itself or as its one alternative beside null."""
    if not isinstance(part, Mapping):
        return []
    listed = next((part[word] for word in ("oneOf", "anyOf") if isinstance(part.get(word), list)), ())
    few = [one for one in listed if isinstance(one, Mapping)] if len(listed) <= 2 else []
    alone = [one for one in few if len(few) == 1 or any(_is_null(other) for other in few if other is not one)]
    return [str(one["$ref"]) for one in (part, *alone) if "$ref" in one]


def _is_null(schema: Mapping[str, Any]) -> bool:
    return schema.get("type") == "null" or ("const" in schema and schema["const"] is None)


_ABOUT = ("title", "description", "default")


def _kind(schema: Mapping[str, Any]) -> FieldKind:
    if "const" in schema or isinstance(schema.get("enum"), list):
        is_fixed = "const" in schema or len(schema["enum"]) == 1
        return "constant" if is_fixed else "choice"
    kind = _PLAIN_KINDS.get(str(schema.get("type")), "json")
    if kind == "json" and "type" not in schema and isinstance(schema.get("properties"), Mapping):
        kind = "object"
    has_fields = isinstance(schema.get("properties"), Mapping) and bool(schema["properties"])
    has_elements = isinstance(schema.get("items"), Mapping) and "prefixItems" not in schema
    if (kind == "object" and not has_fields) or (kind == "list" and not has_elements):
        return "json"
    return kind


def _options(schema: Mapping[str, Any], kind: FieldKind) -> tuple[Value, ...]:
    if kind == "constant":
        return (constant(schema),)
    return tuple(schema["enum"]) if kind == "choice" else ()


def _label(schema: Mapping[str, Any], name: str | None, inner: tuple[Field, ...]) -> str:
    """Name a field: by its key, in quotes where that is blank; without a key by a fixed value or title."""
    fixed = [str(one.options[0]) for one in inner if one.kind == "constant"]
    if name is not None and not name.strip():
        return f'"{name}"'
    return name or (fixed[0] if fixed else "") or _text(schema.get("title")) or _text(schema.get("type"))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _limits(schema: Mapping[str, Any]) -> str:
    """Say the limits of a value: `0 to 1000`, `at least 1 character`."""
    found = [_span(schema.get("minimum"), schema.get("maximum"), "")]
    found += [f"more than {schema['exclusiveMinimum']}"] if "exclusiveMinimum" in schema else []
    found += [f"less than {schema['exclusiveMaximum']}"] if "exclusiveMaximum" in schema else []
    found.append(_span(schema.get("minLength"), schema.get("maxLength"), " characters"))
    found.append(_span(schema.get("minItems"), schema.get("maxItems"), " elements"))
    found += [f"{word} {schema[word]}" for word in ("pattern", "format") if word in schema]
    return ", ".join(part for part in found if part)


def _span(low: object, high: object, unit: str) -> str:
    if low is None and high is None:
        return ""
    if high is None:
        return f"at least {low}{unit}"
    return f"at most {high}{unit}" if low is None else f"{low} to {high}{unit}"
