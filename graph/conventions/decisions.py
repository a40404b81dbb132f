"""LangChain's decisions on tool calls: approve, edit, reject, respond; the gate adds explain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..deciding.said import is_said
from ..questions import (
    EXPLAIN_NOT_OFFERED,
    EXPLAIN_REJECTS,
    Choice,
    ChoiceKind,
    Operation,
    Refused,
    Value,
)
from ..settings.file import Settings
from .base import edited_arguments, locked_by_rule, not_allowed, refuse_locked, short

KINDS: tuple[ChoiceKind, ...] = ("approve", "edit", "reject", "respond", "explain")

_KEYS = {
    "approve": ("type",),
    "edit": ("type", "edited_action"),
    "reject": ("type", "message"),
    "respond": ("type", "message"),
    "explain": ("type", "message"),
}


def choices_for(types: Sequence[str]) -> tuple[ChoiceKind, ...]:
    """Return the choices that a list of decision types can carry.

    Where the agent knows no `explain`, a rejection carries the question as its reason. LangChain's `respond`
    never does: the model would take the question for the tool's result.
    """
    return tuple(kind for kind in KINDS if kind in types or (kind == "explain" and "reject" in types))


def explain_rejects(types: Sequence[str], *, is_gate: bool = False) -> str:
    """Say why asking for an explanation can only be sent as a rejection; "" where it is not so."""
    if "reject" not in types or "explain" in types:
        return ""
    return EXPLAIN_NOT_OFFERED if is_gate else EXPLAIN_REJECTS


def decision(
    choice: Choice, operation: Operation, types: Sequence[str], settings: Settings
) -> dict[str, Value]:
    """Return the decision that says an allowed choice.

    Raises:
        Refused: An edit changes what it must not change.
    """
    if choice.kind == "approve":
        return {"type": "approve"}
    if choice.kind != "edit":
        kind = "reject" if choice.kind == "explain" and "explain" not in types else choice.kind
        return {"type": kind, "message": choice.text}
    ruled = replace(operation, locked=locked_by_rule(operation.name, settings))
    arguments = edited_arguments(ruled, choice)
    return {
        "type": "edit",
        "edited_action": {"name": choice.name or operation.name, "args": arguments},
    }


def check_decision(
    decision: Value,
    operation: Operation,
    types: Sequence[str],
    settings: Settings,
    label: str = "The decision",
) -> None:
    """Refuse a decision that the agent would choke on or read otherwise than it was meant.

    Raises:
        Refused: With the cause in one sentence that begins with the label.
    """
    if not isinstance(decision, dict):
        raise Refused(f"{label} must be an object with a key `type`.")
    if "type" not in decision:
        raise Refused(f"{label} has no key `type`: one of {', '.join(types)}.")
    kind = decision["type"]
    if not isinstance(kind, str) or kind not in types:
        raise Refused(not_allowed(short(str(kind)), operation.name, types))
    allowed_keys = _KEYS.get(kind)
    if allowed_keys is None:
        return
    for key in decision:
        if key not in allowed_keys:
            hint = "; the words go under `message`" if "message" in allowed_keys else ""
            raise Refused(f"{label} has a key `{short(str(key))}` that nobody reads{hint}.")
    if kind == "edit":
        _check_edit(decision.get("edited_action"), operation, settings, label)
    elif "message" in allowed_keys:
        message = decision.get("message")
        if not isinstance(message, str) or not is_said(message):
            what = {"reject": "its reason", "respond": "its message", "explain": "its question"}[kind]
            raise Refused(f"{label} is a `{kind}` without {what}, as text under `message`.")


def _check_edit(action: Value, operation: Operation, settings: Settings, label: str) -> None:
    if not isinstance(action, dict) or set(action) != {"name", "args"}:
        raise Refused(f"{label} is an edit: `edited_action` must hold exactly `name` and `args`.")
    if not isinstance(action["name"], str) or not is_said(action["name"]):
        raise Refused(f"{label} is an edit: `name` must name a tool.")
    if not isinstance(action["args"], dict):
        raise Refused(f"{label} is an edit: `args` must be an object.")
    ruled = replace(operation, locked=locked_by_rule(operation.name, settings))
    refuse_locked(ruled, action["args"], action["name"])


def edit_warnings(decision: Value, operation: Operation) -> list[str]:
    """Say what an edit does beyond changing arguments: another tool, arguments that were not there."""
    if not (isinstance(decision, dict) and decision.get("type") == "edit"):
        return []
    action = decision["edited_action"]
    found = []
    if action["name"] != operation.name:
        found.append(f"The edit runs {short(action['name'])} instead of {short(operation.name)}.")
    before = operation.arguments if isinstance(operation.arguments, dict) else {}
    if added := [key for key in action["args"] if key not in before]:
        names = ", ".join(f"`{short(str(key))}`" for key in added)
        found.append(f"The edit adds {names}, which {short(operation.name)} was not asked with.")
    return found
