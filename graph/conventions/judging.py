"""What a JSON schema says of a value; the one place that knows jsonschema, whose import takes 60 ms."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import regex
from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import SchemaError, UnknownType, ValidationError, best_match
from referencing.exceptions import NoSuchAnchor, PointerToNowhere, Unresolvable
from referencing.jsonschema import EMPTY_REGISTRY

from .judge import Judge
from .patience import TooCostlyError, patience

SECONDS = 2.0
"""Of the processor's time for one judgement; a value of a megabyte takes less."""

_FORMATS = FormatChecker(("date", "email", "ipv4", "ipv6", "uuid"))
_UNRESOLVED = (Unresolvable, NoSuchAnchor, PointerToNowhere)
_NO_SCHEMA = (UnknownType, regex.error, LookupError, TypeError, ValueError, AttributeError)
"""What comes of a reference that leads to what is no schema, which nothing has looked at before."""


@_FORMATS.checks("date-time", raises=ValueError)
def _is_date_time(text: object) -> bool:
    """Hold a text against the form of RFC 3339, as far as Python reads it."""
    return not isinstance(text, str) or bool(datetime.datetime.fromisoformat(text))


@lru_cache(maxsize=1000)
def unusable(text: str) -> str | None:
    """Tell why a schema, given as JSON, cannot judge values; looked at once, because looking takes 30 ms."""
    schema = json.loads(text)
    try:
        if outside := next(_outside_references(schema), None):
            return f"it refers to {outside[:60]}, and nothing is fetched"
        if _has_both(schema, "patternProperties", "unevaluatedProperties"):
            return "its patterns decide which keys are unevaluated, which cannot be judged in a set time"
        Draft202012Validator.check_schema(schema)
        with patience(SECONDS):
            _judge(schema).is_valid(None)
            _judge(schema).is_valid({})
    except SchemaError as error:
        return f"it is no JSON schema: {error.message[:80]}"
    except _UNRESOLVED as error:
        return f"it refers to what it does not hold: {error}"[:120]
    except RecursionError:
        return "it refers to itself without end, or is nested too deep"
    except (TooCostlyError, ArithmeticError, *_NO_SCHEMA) as error:
        return f"it cannot judge values: {error}"[:120]
    return None


def misfit(schema: Mapping[str, Any], value: Any) -> str | None:
    """Say in a few words what of a JSON value does not fit a usable schema; None when all fits."""
    try:
        with patience(SECONDS):
            errors = sorted(_judge(schema).iter_errors(value), key=lambda error: len(error.path))
    except TooCostlyError as error:
        return str(error)
    except ArithmeticError:
        return "a number is too large to be judged by the schema"
    except (*_UNRESOLVED, *_NO_SCHEMA, RecursionError) as error:
        return f"the schema cannot be used here ({type(error).__name__})"
    if not errors:
        return None
    best = best_match(errors)
    return _sentence(_chosen(best if best is not None else errors[0]))


def _judge(schema: Mapping[str, Any]) -> Any:
    return Judge(schema, registry=EMPTY_REGISTRY, format_checker=_FORMATS)


def _has_both(schema: object, *words: str) -> bool:
    """Tell whether words stand anywhere in a schema as keys."""
    keys: set[str] = set()
    left = [schema]
    while left:
        part = left.pop()
        if isinstance(part, Mapping):
            keys.update(part)
            left.extend(part.values())
        elif isinstance(part, list):
            left.extend(part)
    return keys.issuperset(words)


def _outside_references(schema: object) -> Iterator[str]:
    if isinstance(schema, Mapping):
        for key, inner in schema.items():
            if key in ("$ref", "$dynamicRef") and isinstance(inner, str) and not inner.startswith("#"):
                yield inner
            elif key not in ("const", "enum", "default", "examples"):
                yield from _outside_references(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from _outside_references(inner)


def _chosen(error: ValidationError) -> ValidationError:
    """Of an alternative that fits in no branch take the error of the branch whose fixed keys fit."""
    while error.validator in ("oneOf", "anyOf") and error.context:
        fixed = {sub.schema_path[0] for sub in error.context if sub.validator in ("const", "enum", "type")}
        fitting = [sub for sub in error.context if sub.schema_path[0] not in fixed]
        found = best_match(fitting) if fitting else None
        if found is None:
            return error
        error = found
    return error


def _sentence(error: ValidationError) -> str:
    instance: Any = error.instance
    place = "".join(
        f"[{part}]" if isinstance(part, int) else f".{_key(part)}" for part in error.absolute_path
    )
    name = f"`{place.lstrip('.')}`" if place else "the value"
    what = error.validator
    limit: Any = error.validator_value
    if what == "required":
        missing = [key for key in limit if key not in instance]
        return f"{name} lacks `{_key(missing[0])}`" if place else f"key `{_key(missing[0])}` is missing"
    if what == "additionalProperties" and limit is False:
        known = error.schema.get("properties", {}) if isinstance(error.schema, Mapping) else {}
        extra = [key for key in instance if key not in known]
        return (
            f"{name} has a key `{str(extra[0])[:40]}` that is not in the schema" if extra else error.message
        )
    if template := _WORDS.get(str(what)):
        return template.format(
            name=name, limit=_listed(limit), got=_short(instance), s="" if limit == 1 else "s"
        )
    return f"{name}: {_short(error.message, 140)}"


def _key(key: str) -> str:
    return key if key.strip() else f'"{key}"'


_WORDS = {
    "type": "{name} must be {limit}, not {got}",
    "enum": "{name} must be one of {limit}, not {got}",
    "const": "{name} must be {limit}, not {got}",
    "minimum": "{name} must be at least {limit}, not {got}",
    "maximum": "{name} must be at most {limit}, not {got}",
    "exclusiveMinimum": "{name} must be more than {limit}, not {got}",
    "exclusiveMaximum": "{name} must be less than {limit}, not {got}",
    "multipleOf": "{name} must be a multiple of {limit}, not {got}",
    "minLength": "{name} must have at least {limit} character{s}",
    "maxLength": "{name} must have at most {limit} character{s}",
    "minItems": "{name} must have at least {limit} item{s}",
    "maxItems": "{name} must have at most {limit} item{s}",
    "pattern": "{name} must fit the pattern {limit}, not {got}",
    "format": "{name} must be a {limit}, not {got}",
    "oneOf": "{name} fits none of the forms offered: {got}",
    "anyOf": "{name} fits none of the forms offered: {got}",
}


def _listed(limit: object) -> str:
    return ", ".join(map(str, limit)) if isinstance(limit, list) else str(limit)


def _short(value: object, limit: int = 60) -> str:
    text = value if isinstance(value, str) else str(value)
    line = " ".join(text.split()) or "an empty text"
    return line if len(line) <= limit else line[: limit - 1] + "…"
