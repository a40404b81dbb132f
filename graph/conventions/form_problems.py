"""What is not right yet with what is typed into a form, each in words and at its own input."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from agent_lab_tui.store.values import Json, to_json

from ..questions import Refused, Value
from .form import ABSENT, Field
from .form_entry import Path, children, is_left_out, of_kind
from .form_input import Picked, Typed, is_filled, parse, parse_part
from .patience import patience
from .schemas import misfit

SECONDS = 0.2
"""Of the processor's time for judging a form, which is done at each key."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Why what is typed at one place cannot be sent."""

    path: Path
    sentence: str
    is_blank: bool
    """Nothing is typed there yet."""


@dataclass(frozen=True, slots=True)
class Filled:
    """What a form says as it is filled in now."""

    value: Json = None
    """JSON-able; only where there are no problems."""
    problems: tuple[Problem, ...] = ()
    """In the order of the inputs."""

    @property
    def is_ready(self) -> bool:
        """Whether the value fits the schema."""
        return not self.problems


def read(form: Field, typed: Typed) -> Filled:
    """Return the value that is typed into a whole form, or everything that keeps it from being one.

    What cannot be judged in time keeps it from being one.
    """
    with patience(SECONDS):
        return _read(form, of_kind(form, typed))


def _read(form: Field, typed: Typed) -> Filled:
    what: str | None
    try:
        value: Value = parse(form, typed)
        what = misfit(form.schema, value)
    except Refused as refused:
        value, what = None, str(refused)
    if what is None:
        return Filled(to_json(value))
    return Filled(problems=tuple(_problems(form, typed, ())) or (Problem((), what, is_blank=False),))


def as_far(field: Field, typed: Typed) -> Json:
    """Return what is typed as JSON as far as it goes: blanks left out, what is no value as its text."""
    if field.kind == "object" and isinstance(typed, Mapping):
        parts = tuple(children(field, typed))
        filled = [(step, as_far(inner, part)) for step, inner, part in parts if _stands(inner, part)]
        return {str(step): part for step, part in filled}
    if field.kind == "list" and isinstance(typed, list):
        return [as_far(inner, part) for _, inner, part in children(field, typed)]
    if field.kind == "variant" and isinstance(typed, Picked):
        return next((as_far(inner, part) for _, inner, part in children(field, typed)), None)
    try:
        value = parse_part(field, typed)
    except Refused:
        return typed if isinstance(typed, str | bool) else None
    return None if value is ABSENT else to_json(value)


def _stands(field: Field, typed: Typed) -> bool:
    return is_filled(typed) or (field.kind == "constant" and field.is_required)


def _problems(field: Field, typed: Typed, path: Path) -> list[Problem]:
    """Look at the inner parts first: where one of them is wrong, the whole is not judged."""
    if is_left_out(field, typed):
        return []
    found = [
        problem
        for step, inner, part in children(field, typed)
        for problem in _problems(inner, part, (*path, step))
    ]
    if found:
        return found
    is_blank = not is_filled(typed)
    try:
        value = parse_part(field, typed)
    except Refused as refused:
        return [Problem(path, str(refused), is_blank)]
    if value is ABSENT or (value is None and field.is_nullable):
        return []
    what = misfit(field.schema, value)
    return [Problem(path, f"{what[:1].upper()}{what[1:]}.", is_blank)] if what else []
