"""What a convention is, and what every one of them needs to know and to refuse."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from agent_lab_tui.store.values import Ext, Unreadable, from_json, to_json

from ..deciding.said import is_said
from ..questions import Choice, Operation, Refused, Value
from ..settings.file import Settings

Schema = Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class AskContext:
    """What is known around a question; none of it comes from the question itself."""

    node: str = ""
    """The node that asks, the deepest one."""
    graph: str | None = None
    """Name of the graph that owns the thread, where it is known."""
    settings: Settings = field(default_factory=Settings)
    messages: Value = None
    """The raw `messages` channel, where the state has one."""
    answers_given: tuple[Value, ...] = ()
    """Answers that this node got before, newest first."""
    plain_only: bool = False
    """The answer can only be sent plain, in which form LangGraph reads some values as something else."""


class Convention(Protocol):
    """One way of asking: its questions are recognised by shape, its answers are exact."""

    name: str
    about: str
    """What is asked in this way and what is sent, in one sentence for a person."""

    def recognise(self, value: Value, schema: Schema, context: AskContext) -> str | None:
        """Tell by what the question was recognised, in one short sentence; None when it is another's."""

    def operations(self, value: Value, schema: Schema, context: AskContext) -> tuple[Operation, ...]:
        """List what the question asks leave for, in its order."""

    def answer(self, value: Value, schema: Schema, choices: Sequence[Choice], context: AskContext) -> Value:
        """Turn one choice for each operation into the exact answer.

        Raises:
            Refused: A choice is missing, not allowed here, or says nothing.
        """

    def check(self, value: Value, schema: Schema, answer: Value, context: AskContext) -> None:
        """Refuse an answer that the asking node cannot read.

        Raises:
            Refused: With the cause in one sentence.
        """

    def warnings(self, value: Value, schema: Schema, answer: Value, context: AskContext) -> tuple[str, ...]:
        """Say in sentences what is odd about an answer that may be sent all the same."""


def one_choice_each(choices: Sequence[Choice], operations: Sequence[Operation]) -> None:
    """Refuse unless there is exactly one allowed choice, with its words, for every operation."""
    if len(choices) != len(operations):
        raise Refused(
            f"{count(len(choices), 'choice')} for {count(len(operations), 'operation')}: each needs one."
        )
    for choice, operation in zip(choices, operations, strict=True):
        if choice.kind not in operation.allowed:
            raise Refused(not_allowed(choice.kind, operation.name, operation.allowed))
        if choice.kind in _WORDS and not is_said(choice.text):
            raise Refused(_WORDS[choice.kind])


_WORDS = {
    "reject": "A rejection needs a reason: an empty one is none.",
    "respond": "A response needs a message.",
    "explain": "To ask for an explanation, write what is not clear.",
}


def not_allowed(kind: str, name: str, allowed: Sequence[str]) -> str:
    """Say that a choice is not offered for an operation, and what is."""
    offered = ", ".join(allowed) if allowed else "only a typed value can be sent"
    return f"`{kind}` is not allowed here for {short(name)}: {offered}."


def edited_arguments(operation: Operation, choice: Choice) -> Value:
    """Return the arguments an edit sends: the very original where nothing was changed.

    Raises:
        Refused: A locked argument was changed, or an undeclared one added without naming the operation.
    """
    original, new = operation.arguments, choice.arguments
    if same(original, new):
        return original
    if not holds_ext(new):
        try:
            new = from_json(new, original)
        except ValueError as error:
            raise Refused(str(error)) from None
    if choice.name is None:
        _refuse_missing(operation, new)
    refuse_locked(operation, new, choice.name or operation.name)
    if isinstance(original, dict) and not isinstance(new, dict):
        raise Refused(f"The arguments of {short(operation.name)} must stay an object.")
    if isinstance(new, dict) and isinstance(original, dict) and choice.name is None:
        properties = (operation.schema or {}).get("properties")
        declared = {*original, *(properties if isinstance(properties, dict) else ())}
        if added := [key for key in new if key not in declared]:
            names = ", ".join(f"`{short(str(key))}`" for key in added)
            raise Refused(
                f"{short(operation.name)} was not asked with {names}: "
                f"to add it all the same, name the operation in the edit, {_second_step(operation, new)}."
            )
    return new


def _refuse_missing(operation: Operation, arguments: Value) -> None:
    """Refuse an edit that leaves out an argument which the schema does not call optional."""
    original = operation.arguments
    if not (isinstance(original, dict) and isinstance(arguments, dict)):
        return
    schema = operation.schema or {}
    declared, required = schema.get("properties"), schema.get("required", [])
    optional = [key for key in declared if key not in required] if isinstance(declared, dict) else []
    missing = [key for key in original if key not in arguments]
    if names := ", ".join(f"`{short(str(key))}`" for key in missing if key not in optional):
        verb = "is" if len(missing) == 1 else "are"
        raise Refused(
            f"{names} {verb} missing: an edit replaces all arguments, so give every one. "
            f"To leave it out all the same, name the operation in the edit, "
            f"{_second_step(operation, arguments)}."
        )


def _second_step(operation: Operation, arguments: Value) -> str:
    """Write the edit that names its operation, exactly as `--choices` takes it."""
    edit = {"arguments": to_json(arguments), "name": operation.name}
    return f"with --choices JSON: {json.dumps([{'edit': edit}], ensure_ascii=False)}"


def refuse_locked(operation: Operation, arguments: Value, name: str) -> None:
    """Refuse arguments in which one that a rule locks is missing or changed."""
    if not operation.locked:
        return
    if name != operation.name:
        raise Refused(f"A rule locks arguments of {short(operation.name)}: it cannot become {short(name)}.")
    original = operation.arguments if isinstance(operation.arguments, dict) else {}
    new = arguments if isinstance(arguments, dict) else {}
    for key in operation.locked:
        if key in original and key not in new:
            raise Refused(f"The argument `{key}` of {short(operation.name)} is missing, and a rule locks it.")
        if key in original and not same(original[key], new[key]):
            raise Refused(f"A rule locks the argument `{key}` of {short(operation.name)}.")
        if key in new and key not in original:
            raise Refused(
                f"A rule locks the argument `{key}` of {short(operation.name)}: it cannot be added."
            )


def locked_by_rule(name: str, settings: Settings) -> tuple[str, ...]:
    """Return the arguments that the operator's rules lock for an operation."""
    rule = settings.rule_for(name)
    return rule.locked if rule else ()


def same(one: Value, other: Value) -> bool:
    """Tell whether two raw values are the same in every part and type: 1, 1.0 and True differ."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, Ext):
        return one.code == other.code and same(one.data, other.data)
    return bool(one == other) or (one != one and other != other)


def holds_ext(value: Value) -> bool:
    """Tell whether any part of a value is more than JSON can say."""
    if isinstance(value, dict):
        return any(holds_ext(inner) for inner in value.values())
    if isinstance(value, list | tuple):
        return any(holds_ext(inner) for inner in value)
    return isinstance(value, Ext | Unreadable | bytes)


def count(number: int, noun: str) -> str:
    """Write a number with its noun: `1 action`, `2 actions`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def short(text: str, limit: int = 60) -> str:
    """Cut foreign text for use in a sentence."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
