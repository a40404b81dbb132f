"""Answer forms with gaps: `{reason}`, `{message}` and `{arguments…}` are filled in, types kept."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from agent_lab_tui.store.values import to_json

from ..questions import Refused, Value
from .payload import fields_of

_GAP = re.compile(r"\{(reason|message|arguments(?:\.[^{}.]+)*|null)\}")
_LOOKS_LIKE_GAP = re.compile(r"\{([A-Za-z_][\w.]*)\}")


@dataclass(frozen=True, slots=True)
class Gap:
    """A place in a form that a choice fills: its words or its arguments."""

    path: tuple[str, ...]
    """("reason",), ("message",), ("null",), or ("arguments", key, …)."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text with gaps in it; what fills them becomes text too."""

    parts: tuple[str | Gap, ...]


Form = Any
"""A JSON-like tree with `Gap` and `Text` among its leaves."""


def compile_form(template: Value) -> Form:
    """Turn a template as written in agent-lab.toml into a form; unknown `{words}` stay text.

    TOML has no null: the text `{null}` stands for it.
    """
    if isinstance(template, str):
        return _compile_text(template)
    if isinstance(template, Mapping):
        return {key: compile_form(inner) for key, inner in template.items()}
    if isinstance(template, list):
        return [compile_form(inner) for inner in template]
    return template


def unknown_gaps(template: Value) -> tuple[str, ...]:
    """Return what looks like a gap in a template but is none, such as `{resaon}`."""
    if isinstance(template, str):
        words = [match[0] for match in _LOOKS_LIKE_GAP.finditer(template)]
        return tuple(word for word in words if not _GAP.fullmatch(word))
    inner = template.values() if isinstance(template, Mapping) else template
    return tuple(word for part in inner for word in unknown_gaps(part)) if _is_tree(template) else ()


def gaps(form: Form) -> Iterator[Gap]:
    """Yield every gap of a form."""
    if isinstance(form, Gap):
        yield form
    elif isinstance(form, Text):
        yield from (part for part in form.parts if isinstance(part, Gap))
    elif isinstance(form, Mapping):
        for inner in form.values():
            yield from gaps(inner)
    elif isinstance(form, list):
        for inner in form:
            yield from gaps(inner)


def carries_words(form: Form) -> bool:
    """Tell whether a reason or a message has a place in a form."""
    return any(gap.path[0] in ("reason", "message") for gap in gaps(form))


def carried_arguments(form: Form) -> frozenset[str] | None:
    """Return the names of the arguments that have a place in a form; None when all have."""
    paths = [gap.path for gap in gaps(form) if gap.path[0] == "arguments"]
    return None if ("arguments",) in paths else frozenset(path[1] for path in paths)


def fill(form: Form, words: str, arguments: Value) -> Value:
    """Return a form with its gaps filled; a gap alone in its text keeps the value's type.

    Raises:
        Refused: A gap names an argument that the operation has not.
    """
    if isinstance(form, Gap):
        return _value(form, words, arguments)
    if isinstance(form, Text):
        return "".join(
            part if isinstance(part, str) else _as_text(_value(part, words, arguments)) for part in form.parts
        )
    if isinstance(form, Mapping):
        return {key: fill(inner, words, arguments) for key, inner in form.items()}
    if isinstance(form, list):
        return [fill(inner, words, arguments) for inner in form]
    return form


def _compile_text(text: str) -> Form:
    if match := _GAP.fullmatch(text):
        return Gap(tuple(match[1].split(".")))
    pieces = _GAP.split(text)
    if len(pieces) == 1:
        return text
    parts = [Gap(tuple(piece.split("."))) if place % 2 else piece for place, piece in enumerate(pieces)]
    return Text(tuple(part for part in parts if part))


def _value(gap: Gap, words: str, arguments: Value) -> Value:
    if gap.path[0] in ("reason", "message"):
        return words
    if gap.path[0] == "null":
        return None
    value = arguments
    for key in gap.path[1:]:
        value = _step(value, key, gap)
    return value


def _step(value: Value, key: str, gap: Gap) -> Value:
    fields = fields_of(value)
    if fields is not None and key in fields:
        return fields[key]
    if isinstance(value, list) and key.isdecimal() and int(key) < len(value):
        return value[int(key)]
    raise Refused(f"The answer form names {{{'.'.join(gap.path)}}}, which this operation has not.")


def _as_text(value: Value) -> str:
    return value if isinstance(value, str) else json.dumps(to_json(value), ensure_ascii=False)


def _is_tree(value: Value) -> bool:
    return isinstance(value, Mapping | list)
