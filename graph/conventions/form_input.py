"""What is typed into a form, as JSON values and back: numbers stay numbers, and nothing is guessed."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..questions import Refused, Value
from .base import same, short
from .form import ABSENT, MOST_LINES, Absent, Field
from .form_text import is_quoted, json_of, quoted, read_json, unquoted
from .schemas import misfit

EMPTY = '""'
"""What is typed for an empty text; an input left blank means no value."""

_WHOLE = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
_DIGITS = 4000
"""Characters of a whole number; Python reads few more."""
_MOST_LINES = 2 * MOST_LINES
"""Inputs that a value may fill; with more of them, in lists, its fullest part is written as JSON."""
_TRUE, _FALSE = ("true", "yes", "y"), ("false", "no", "n")


@dataclass(frozen=True, slots=True)
class Picked:
    """Which alternative of a variant was chosen, and what was typed into it."""

    place: int
    typed: Typed


Typed = str | bool | None | Picked | Mapping[str, Any] | list[Any]
"""Text; True or False; None for an explicit null; a mapping for an object; a list; a picked variant.

Text typed for an object, a list or a variant is read as JSON.
"""


def parse(form: Field, typed: Typed) -> Value:
    """Return the value that was typed into a whole form.

    Raises:
        Refused: An input is missing or is not of its kind; the sentence names it.
    """
    value = _parse(form, typed)
    return None if value is ABSENT else value


def typed_for(form: Field, value: Value | Absent) -> Typed:
    """Return what must be typed to get a value: the inverse of `parse`."""
    if value is ABSENT:
        return {} if form.kind == "object" else ""
    if value is None and form.kind not in ("constant", "choice", "json"):
        return None
    typed = _write(form, value)
    return json_of(value) if _lines(typed) > _MOST_LINES else typed


def _write(form: Field, value: Value) -> Typed:
    match form.kind:
        case "text":
            return _write_text(value)
        case "integer" | "number":
            return _write_number(form, value)
        case "boolean":
            return value if isinstance(value, bool) else json_of(value)
        case "choice":
            return _write_choice(form, value)
        case "object":
            return _write_object(form, value)
        case "list":
            return _write_list(form, value)
        case "variant":
            return _write_variant(form, value)
    return json_of(value)


def _lines(typed: Typed) -> int:
    """Count the inputs that are filled with what is typed."""
    if isinstance(typed, Picked):
        return 1 + _lines(typed.typed)
    parts = typed.values() if isinstance(typed, Mapping) else typed if isinstance(typed, list) else ()
    return 1 + sum(map(_lines, parts))


def parse_part(form: Field, typed: Typed) -> Value | Absent:
    """Return the value typed into one field, ABSENT where it is left out.

    Raises:
        Refused: It is missing or is not of its kind; the sentence names it.
    """
    return _parse(form, typed)


def option_texts(form: Field) -> tuple[str, ...]:
    """Return how the options of a choice read; a text that looks like another value gets quotes."""
    others = {json_of(option) for option in form.options if not isinstance(option, str)}
    return tuple(
        option if isinstance(option, str) and option not in others and option.strip() else json_of(option)
        for option in form.options
    )


def _parse(form: Field, typed: Typed) -> Value | Absent:
    if form.kind == "constant":
        return form.options[0]
    if typed is None and form.is_nullable:
        return None
    if form.kind == "object" and typed == "" and form.is_required and form.default is ABSENT:
        typed = {}
    if typed is None or (isinstance(typed, str) and not typed.strip()):
        return _missing(form)
    if form.kind in ("object", "list", "variant", "json") and isinstance(typed, str):
        return _from_json(form, typed)
    return _PARSERS[form.kind](form, typed)


def _missing(form: Field) -> Value | Absent:
    if not form.is_required:
        return ABSENT
    if form.default is not ABSENT:
        return form.default
    if form.is_nullable:
        return None
    if form.kind == "list":
        return []
    hint = f"; type {EMPTY} for an empty text" if form.kind == "text" else ""
    raise Refused(f"{_name(form)} needs a value{hint}.")


def _parse_text(form: Field, typed: Typed) -> Value:
    if not isinstance(typed, str):
        raise Refused(f"{_name(form)} must be text.")
    return unquoted(typed) if is_quoted(typed) else typed


def _parse_integer(form: Field, typed: Typed) -> Value:
    if isinstance(typed, str) and _WHOLE.fullmatch(typed.strip()) and len(typed) <= _DIGITS:
        return int(typed)
    raise Refused(f"{_name(form)} must be a whole number, not {short(str(typed))}.")


def _parse_number(form: Field, typed: Typed) -> Value:
    text = typed.strip() if isinstance(typed, str) else ""
    if _WHOLE.fullmatch(text) and len(text) <= _DIGITS:
        return int(text)
    number = float(text) if _NUMBER.fullmatch(text) else math.nan
    if not math.isfinite(number):
        raise Refused(f"{_name(form)} must be a number, not {short(str(typed))}.")
    return number


def _parse_boolean(form: Field, typed: Typed) -> Value:
    if isinstance(typed, bool):
        return typed
    word = typed.strip().lower() if isinstance(typed, str) else ""
    if word in _TRUE or word in _FALSE:
        return word in _TRUE
    raise Refused(f"{_name(form)} must be true or false, not {short(str(typed))}.")


def _parse_choice(form: Field, typed: Typed) -> Value:
    texts = option_texts(form)
    if typed in texts:
        return form.options[texts.index(str(typed))]
    raise Refused(f"{_name(form)} must be one of {', '.join(map(short, texts))}, not {short(str(typed))}.")


def _parse_object(form: Field, typed: Typed) -> Value | Absent:
    if not isinstance(typed, Mapping):
        raise Refused(f"{_name(form)} must be an object.")
    known = {inner.name for inner in form.fields}
    if unknown := [key for key in typed if key not in known]:
        raise Refused(f"{_name(form)} has no field {short(str(unknown[0]))}.")
    if not form.is_required and not any(map(is_filled, typed.values())):
        return ABSENT
    values = {inner.name: _parse(inner, typed.get(inner.name, "")) for inner in form.fields}
    return {key: value for key, value in values.items() if value is not ABSENT}


def _parse_list(form: Field, typed: Typed) -> Value:
    if not isinstance(typed, list) or form.element is None:
        raise Refused(f"{_name(form)} must be a list.")
    return [_parse(form.element, one) for one in typed]


def _parse_variant(form: Field, typed: Typed) -> Value | Absent:
    if not isinstance(typed, Picked) or not 0 <= typed.place < len(form.fields):
        raise Refused(f"{_name(form)} needs one of {len(form.fields)} forms chosen.")
    return _parse(form.fields[typed.place], typed.typed)


def _parse_json(form: Field, typed: Typed) -> Value:
    raise Refused(f"{_name(form)} must be written as JSON, not {short(str(typed))}.")


def _from_json(form: Field, text: str) -> Value:
    try:
        return read_json(text)
    except ValueError as error:
        raise Refused(f"{_name(form)} is not JSON: {error}.") from None


def is_filled(typed: Typed) -> bool:
    """Tell whether anything is typed: a choice made, a text that is not blank, a list that is there."""
    if isinstance(typed, Mapping):
        return any(map(is_filled, typed.values()))
    return not (isinstance(typed, str) and not typed.strip())


_PARSERS = {
    "text": _parse_text,
    "integer": _parse_integer,
    "number": _parse_number,
    "boolean": _parse_boolean,
    "choice": _parse_choice,
    "object": _parse_object,
    "list": _parse_list,
    "variant": _parse_variant,
    "json": _parse_json,
}


def _write_text(value: Value) -> Typed:
    if not isinstance(value, str):
        return json_of(value)
    is_plain = value.strip() and value.isprintable() and not is_quoted(value)
    return value if is_plain else quoted(value)


def _write_number(form: Field, value: Value) -> Typed:
    if isinstance(value, bool) or not isinstance(value, int | float) or not _is_finite(value):
        return json_of(value)
    return str(int(value)) if form.kind == "integer" and value == int(value) else repr(value)


def _is_finite(value: float) -> bool:
    return isinstance(value, int) or math.isfinite(value)


def _write_choice(form: Field, value: Value) -> Typed:
    places = [place for place, option in enumerate(form.options) if same(option, value)]
    return option_texts(form)[places[0]] if places else json_of(value)


def _write_object(form: Field, value: Value) -> Typed:
    """Fill the fields; an object with other keys, or without a fixed one, is written as JSON."""
    if not isinstance(value, dict) or value.keys() - {inner.name for inner in form.fields}:
        return json_of(value)
    lacks_constant = any(inner.kind == "constant" and inner.name not in value for inner in form.fields)
    if lacks_constant or (not value and not form.is_required):
        return json_of(value)
    return {inner.name: typed_for(inner, value.get(inner.name, ABSENT)) for inner in form.fields}


def _write_list(form: Field, value: Value) -> Typed:
    if not isinstance(value, list) or form.element is None:
        return json_of(value)
    return [typed_for(form.element, one) for one in value]


def _write_variant(form: Field, value: Value) -> Typed:
    """Choose the first alternative that the value fits."""
    for place, inner in enumerate(form.fields):
        if misfit(inner.schema, value) is None:
            return Picked(place, typed_for(inner, value))
    for place, inner in enumerate(form.fields):
        if _is_marked_as(inner, value):
            return Picked(place, typed_for(inner, value))
    return json_of(value)


def _is_marked_as(form: Field, value: Value) -> bool:
    """Tell whether a value has the fixed keys by which one alternative is told from the others."""
    fixed = [inner for inner in form.fields if inner.kind == "constant"]
    if not fixed or not isinstance(value, dict):
        return False
    return all(inner.name in value and same(inner.options[0], value[inner.name]) for inner in fixed)


def _name(form: Field) -> str:
    return f"`{short(form.label or form.name or 'the answer')}`"
