"""Choices as JSON, the way the command line takes them and the journal keeps them for people to read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from agent_lab_tui.store.values import Json, from_json, to_json

from ..conventions.base import count
from ..questions import Choice, ChoiceKind, Operation, Refused

_TEXTS: tuple[ChoiceKind, ...] = ("reject", "respond", "explain")

FORMS = (
    '{"approve": {}}, {"reject": "why"}, {"edit": {"arguments": {…}, "name": "…"}},'
    ' {"respond": "…"} or {"explain": "…"}'
)
"""What a choice looks like, for sentences."""


def choice_to_json(choice: Choice) -> dict[str, Json]:
    """Return a choice as `choice_from_json` reads it."""
    if choice.kind in _TEXTS:
        return {choice.kind: choice.text}
    if choice.kind == "edit":
        name = {"name": choice.name} if choice.name is not None else {}
        return {"edit": {"arguments": to_json(choice.arguments), **name}}
    return {"approve": {}}


def choices_from_json(given: Any, operations: Sequence[Operation]) -> tuple[Choice, ...]:
    """Return the choices of a list with one of `FORMS` for each operation.

    Raises:
        ValueError: It has another form; the message is one sentence.
        Refused: There is not one for each.
    """
    if not isinstance(given, list):
        raise ValueError(f"The choices must be a list with one of {FORMS} for each operation.")
    if len(given) != len(operations):
        each = f"{count(len(given), 'choice')} for {count(len(operations), 'operation')}"
        raise Refused(f"{each}: each needs one.")
    return tuple(map(choice_from_json, given, operations))


def choice_from_json(given: Any, operation: Operation) -> Choice:
    """Return one choice about an operation; unchanged parts of edited arguments keep their types.

    Raises:
        ValueError: It has another form than `FORMS`.
        Refused: An edited number or date cannot be rebuilt in its type.
    """
    if not isinstance(given, Mapping) or len(given) != 1:
        raise ValueError(f"A choice must be one of {FORMS}.")
    ((kind, said),) = given.items()
    if kind in _TEXTS and isinstance(said, str):
        return Choice(cast(ChoiceKind, kind), text=said)
    if kind == "approve" and said in ({}, None, True):
        return Choice("approve")
    if (
        kind == "edit"
        and isinstance(said, Mapping)
        and "arguments" in said
        and set(said) <= {"arguments", "name"}
    ):
        return edited(said["arguments"], operation, said.get("name"))
    raise ValueError(f"A choice must be one of {FORMS}.")


def edited(arguments: Json, operation: Operation, name: str | None = None) -> Choice:
    """Return the choice to run an operation with other arguments, given as the JSON that was shown.

    Raises:
        Refused: An edited number or date cannot be rebuilt in its type.
    """
    try:
        return Choice("edit", arguments=from_json(arguments, operation.arguments), name=name)
    except ValueError as error:
        raise Refused(str(error)) from error
