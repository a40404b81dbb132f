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
"""Fields of one form; a schema that has more, or that goes round in itself, takes JSON for the rest."""

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
    return _Reader(schema).field("", schema, is_required=True, level=0)


class _Reader:
    """Turns the parts of one schema into fields."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._left = _MOST
        self._open: list[str] = []
        self._definitions = {key: root[key] for key in ("$defs", "definitions") if key in root}

    def field(self, name: str, part: Any, *, is_required: bool, level: int) -> Field:
        """Read one part; what has no field of its own takes JSON."""
        reference = str(part.get("$ref", "")) if isinstance(part, Mapping) else ""
        is_endless = bool(reference) and reference in self._open
        self._left -= 1
        self._open.append(reference)
        try:
            return self._field(name, part, is_required, _DEEPEST if is_endless or self._left < 0 else level)
        finally:
            self._open.pop()

    def _field(self, name: str, part: Any, is_required: bool, level: int) -> Field:
        schema = self._merged(resolved(part, self._root))
        alternatives, is_nullable = self._alternatives(schema)
        if len(alternatives) == 1:
            schema = {**alternatives[0], **{key: schema[key] for key in _ABOUT if key in schema}}
            alternatives = ()
        kind: FieldKind = "variant" if alternatives else _kind(schema)
        if level >= _DEEPEST and kind in ("object", "list", "variant"):
            kind, alternatives = "json", ()
        inner = self._inner(schema, kind, level)
        if kind == "variant":
            inner = tuple(self.field("", one, is_required=True, level=level + 1) for one in alternatives)
        return Field(
            name=name,
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

    def _merged(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """Take the one part of an `allOf`: a reference with a description beside it is often written so."""
        parts = schema.get("allOf")
        if isinstance(parts, list) and len(parts) == 1:
            rest = {key: inner for key, inner in schema.items() if key != "allOf"}
            return {**resolved(parts[0], self._root), **rest}
        return schema

    def _alternatives(self, schema: Mapping[str, Any]) -> tuple[tuple[Mapping[str, Any], ...], bool]:
        """Return the alternatives of a schema without null, and whether null is one of them."""
        listed = next(
            (schema[word] for word in ("oneOf", "anyOf") if isinstance(schema.get(word), list)), None
        )
        if listed is None and isinstance(schema.get("type"), list):
            listed = [{**schema, "type": kind} for kind in schema["type"]]
        found = [resolved(one, self._root) for one in listed or ()]
        real = tuple(one for one in found if one.get("type") != "null" and one.get("const", 0) is not None)
        return real, len(real) < len(found)

    def _inner(self, schema: Mapping[str, Any], kind: FieldKind, level: int) -> tuple[Field, ...]:
        if kind != "object":
            return ()
        required = schema.get("required") or ()
        return tuple(
            self.field(key, part, is_required=key in required, level=level + 1)
            for key, part in schema["properties"].items()
        )

    def _element(self, schema: Mapping[str, Any], level: int) -> Field:
        return self.field("", schema["items"], is_required=True, level=level + 1)


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


def _label(schema: Mapping[str, Any], name: str, inner: tuple[Field, ...]) -> str:
    """Name a field: an alternative by the fixed value that tells it apart, the rest by title or key."""
    fixed = [str(one.options[0]) for one in inner if one.kind == "constant"]
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
