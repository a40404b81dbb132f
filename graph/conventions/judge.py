"""The judge of JSON schemas: that of jsonschema, but with an end to what a foreign schema may cost.

The `re` of Python cannot be stopped while it searches: `regex` searches for patterns, and for a short time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

import regex
from jsonschema import Draft202012Validator, validators
from jsonschema.exceptions import ValidationError

from .base import short
from .patience import TooCostlyError, demand_time

SEARCH_SECONDS = 0.05
LONGEST_PATTERN = 10_000
"""Characters of a pattern; longer ones take seconds to read."""

Keyword = Callable[[Any, Any, Any, Any], Iterable[ValidationError] | None]

_LITERAL_BRACE = re.compile(r"(\\[pPN]\{[^}]*\}|\\.|\{(?:\d+(?:,\d*)?|,\d*)\})|\{", re.DOTALL)
"""A brace that repeats nothing stands for itself; `regex` would take some for fuzzy matching."""


def found(pattern: str, text: str) -> bool:
    """Tell whether a pattern is found in a text.

    Raises:
        TooCostlyError: It takes too long to find out.
    """
    demand_time()
    try:
        return _compiled(pattern).search(text, timeout=SEARCH_SECONDS) is not None
    except (TimeoutError, MemoryError):
        raise TooCostlyError(f"the pattern {short(pattern)} is too costly to judge") from None


@lru_cache(maxsize=1000)
def _compiled(pattern: str) -> regex.Pattern[str]:
    if len(pattern) > LONGEST_PATTERN:
        raise TooCostlyError(f"the pattern {short(pattern)} is too costly to judge")
    return regex.compile(_LITERAL_BRACE.sub(lambda brace: brace[1] or r"\{", pattern))


def _pattern(judge: Any, pattern: str, value: Any, _: Any) -> Iterator[ValidationError]:
    if judge.is_type(value, "string") and not found(pattern, value):
        yield ValidationError(f"{value!r} does not match {pattern!r}")


def _pattern_properties(
    judge: Any, parts: Mapping[str, Any], value: Any, _: Any
) -> Iterator[ValidationError]:
    if judge.is_type(value, "object"):
        for pattern, part in parts.items():
            for key, inner in value.items():
                if found(pattern, key):
                    yield from judge.descend(inner, part, path=key, schema_path=pattern)


def _additional_properties(
    judge: Any, allowed: Any, value: Any, schema: Mapping[str, Any]
) -> Iterator[ValidationError]:
    if not judge.is_type(value, "object"):
        return
    named, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    extra = [key for key in value if key not in named and not any(found(one, key) for one in patterns)]
    if judge.is_type(allowed, "object"):
        for key in extra:
            yield from judge.descend(value[key], allowed, path=key)
    elif not allowed and extra:
        yield ValidationError(f"{short(str(extra[0]))} is not in the schema")


def _in_time(keyword: Keyword) -> Keyword:
    """Look at the time before each keyword: references can multiply the work without end."""

    def judged(judge: Any, limit: Any, value: Any, schema: Any) -> Iterable[ValidationError] | None:
        demand_time()
        return keyword(judge, limit, value, schema)

    return judged


_KEYWORDS: dict[str, Keyword] = {
    **Draft202012Validator.VALIDATORS,
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
}
_extend: Any = validators.extend
Judge: Any = _extend(Draft202012Validator, {word: _in_time(keyword) for word, keyword in _KEYWORDS.items()})
_evolve = Judge.evolve


def _evolve_as_judge(judge: Any, **changes: Any) -> Any:
    """Stay this judge: a part of a schema with `$schema` in it would be judged by one without an end."""
    schema = changes.get("schema", judge.schema)
    if isinstance(schema, Mapping) and "$schema" in schema:
        changes["schema"] = {word: part for word, part in schema.items() if word != "$schema"}
    return _evolve(judge, **changes)


Judge.evolve = _evolve_as_judge
