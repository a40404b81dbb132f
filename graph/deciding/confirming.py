"""How much it takes to confirm a choice: a key, a key twice, or a value typed from the arguments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from agent_lab_tui.store.values import to_json

from ..questions import Choice, Operation, Risk

_LONGEST_TYPED = 80
"""Characters that somebody can be asked to type."""

_LAST_RESORT = "yes"
"""Typed where neither an argument nor the operation's name can be."""


@dataclass(frozen=True, slots=True)
class Confirmation:
    """What the operator must do before a choice counts."""

    kind: Literal["key", "twice", "type"]
    argument: str = ""
    """For type: which argument; "" for the operation's name."""
    expected: str = ""
    """For type: exactly what must be typed; raw foreign text."""

    def is_met_by(self, typed: str) -> bool:
        """Tell whether what was typed is what is asked for; blanks around it do not count."""
        return self.kind != "type" or typed.strip() == self.expected.strip()


def confirmation(operation: Operation, choice: Choice) -> Confirmation:
    """Return what a choice about a finished operation takes.

    Only what lets it run needs more than a key. A rule says what; else the risk: up to medium a key, high a
    key twice, critical a typed value. An edit types the new value.

    Args:
        operation: With the operator's rules applied; for an edit as it would run.
        choice: What was chosen.
    """
    if choice.kind not in ("approve", "edit"):
        return Confirmation("key")
    if operation.confirm.startswith("type:"):
        return _typed(operation, choice, operation.confirm.removeprefix("type:"))
    if operation.confirm in ("key", "twice"):
        return Confirmation("twice" if operation.confirm == "twice" else "key")
    if operation.risk is Risk.CRITICAL:
        return _typed(operation, choice, _first_short(operation, choice))
    return Confirmation("twice" if operation.risk is Risk.HIGH else "key")


def _typed(operation: Operation, choice: Choice, argument: str) -> Confirmation:
    fields = _shown(operation, choice)
    if argument and argument in fields and _is_typeable(fields[argument]):
        return Confirmation("type", argument, _text(fields[argument]))
    name = choice.name or operation.name
    return Confirmation("type", "", name if _is_typeable(name) else _LAST_RESORT)


def _first_short(operation: Operation, choice: Choice) -> str:
    """Return the first argument that is short enough to be typed; "" when there is none."""
    fields = _shown(operation, choice)
    return next((key for key, value in fields.items() if _is_typeable(value)), "")


def _shown(operation: Operation, choice: Choice) -> dict[str, object]:
    shown = to_json(choice.arguments if choice.kind == "edit" else operation.arguments)
    return shown if isinstance(shown, dict) else {}


def _is_typeable(value: object) -> bool:
    text = _text(value)
    return (
        isinstance(value, str | int | float)
        and text.isprintable()
        and 0 < len(text.strip()) <= _LONGEST_TYPED
    )


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
