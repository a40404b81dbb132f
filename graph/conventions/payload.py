"""A question's value read by the keys that people usually give such things; nothing of it gets lost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agent_lab_tui.store.values import Ext, to_json

from ..questions import Operation, Risk, Value
from ..reading.messages import Turn, last_turn

_NAMES = ("operation", "action", "tool", "tool_name", "function", "command_name", "name", "type", "kind")
_ASKS = ("question", "prompt", "query", "title", "confirm", "message", "text")
_ARGUMENTS = ("arguments", "args", "params", "parameters", "input", "inputs", "tool_input", "kwargs")
_REASONS = ("reason", "why", "rationale", "justification", "because", "motivation")
_IMPACTS = ("impact", "scope", "effect", "effects", "consequence", "consequences", "affects", "blast_radius")
_RISKS = ("risk", "risk_level", "severity")
_KEYS = ("idempotency_key", "operation_id", "key")
_CALL_IDS = ("tool_call_id",)

_SAYS_ONLY_THAT_IT_ASKS = frozenset(
    {"approval", "approve", "ask", "confirm", "confirmation", "input", "interrupt", "question", "request"}
    | {"review", "human", "human_input", "human_review", "approval_request", "confirmation_request"}
)
"""Kinds that name no operation: `{"type": "approval", "question": …}`."""

_LONGEST_NAME = 120
"""Characters of a text question that stand for its operation; a longer one is shown as arguments too."""


class Taker:
    """The keys of a payload; each is taken once, and what nobody took is left to be shown."""

    def __init__(self, fields: Mapping[str, Value]) -> None:
        self._left = dict(fields)

    def text(self, keys: tuple[str, ...]) -> str | None:
        """Take the first of the keys that holds some text."""
        for key in keys:
            value = self._left.get(key)
            if isinstance(value, str) and value.strip():
                return str(self._left.pop(key))
        return None

    def risk(self) -> Risk | None:
        """Take the first of the usual keys that holds one of our words for risk."""
        for key in _RISKS:
            if key in self._left and (risk := risk_of(self._left[key])):
                del self._left[key]
                return risk
        return None

    def any(self, keys: tuple[str, ...]) -> tuple[bool, Value]:
        """Take the first of the keys that is there, whatever it holds."""
        for key in keys:
            if key in self._left:
                return True, self._left.pop(key)
        return False, None

    @property
    def left(self) -> dict[str, Value]:
        """What was not taken."""
        return self._left


def fields_of(value: Value) -> Mapping[Any, Value] | None:
    """Return the fields of a dict, a pydantic object or a dataclass; None for anything else."""
    fields = value.fields if isinstance(value, Ext) and isinstance(to_json(value), dict) else value
    return fields if isinstance(fields, dict) else None


def risk_of(value: Value) -> Risk | None:
    """Return the risk that a value names, also as an enum of the graph's own; None for other words."""
    word = to_json(value) if isinstance(value, Ext) else value
    return Risk(word.lower()) if isinstance(word, str) and word.lower() in list(Risk) else None


def read(value: Value, node: str, messages: Value = None) -> Operation:
    """Return the one operation of a value in no known form; its `allowed` is left empty.

    Without an argument key everything that is not a name, reason, impact, risk or key counts as arguments.
    """
    fields = fields_of(value)
    if fields is None:
        return _of_text(value, node) if isinstance(value, str) else _bare(node, value)
    taker = Taker(fields)
    name = _name(taker) or node
    has_arguments, arguments = taker.any(_ARGUMENTS)
    reason, impact, risk = taker.text(_REASONS), taker.text(_IMPACTS), taker.risk()
    key, call_id = taker.text(_KEYS), taker.text(_CALL_IDS)
    turn = last_turn(messages)
    place = turn.call_for(name, arguments, id=call_id) if turn else None
    said, made = said_with(turn, place)
    return Operation(
        name=name,
        arguments=arguments if has_arguments else taker.left,
        reason=reason or said,
        reason_source="request" if reason else ("message" if said else "none"),
        impact=impact,
        impact_source="request" if impact else "none",
        risk=risk or Risk.MEDIUM,
        allowed=(),
        key=key,
        tool_call_id=call_id or made,
        rest=taker.left if has_arguments else {},
    )


def said_with(turn: Turn | None, place: int | None) -> tuple[str | None, str | None]:
    """Return what the model wrote beside a call, and the call's id."""
    if turn is None or place is None:
        return None, None
    return turn.text or None, turn.calls[place].id


def _name(taker: Taker) -> str | None:
    """Take the operation's name: a word for it before a question, a question before a word for asking."""
    words = [key for key in _NAMES if _text_at(taker.left, key) not in _SAYS_ONLY_THAT_IT_ASKS]
    return taker.text(tuple(words)) or taker.text(_ASKS) or taker.text(_NAMES)


def _text_at(fields: Mapping[str, Value], key: str) -> str:
    value = fields.get(key)
    return value.strip().lower() if isinstance(value, str) else ""


def _of_text(text: str, node: str) -> Operation:
    """Read a question in words: a short one is its own name, of a longer one the first line."""
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    if not first:
        return _bare(node, text)
    is_whole = first == text and len(text) <= _LONGEST_NAME
    name = first if len(first) <= _LONGEST_NAME else first[: _LONGEST_NAME - 1] + "…"
    return Operation(name=name, arguments=None if is_whole else text, allowed=())


def _bare(node: str, value: Value) -> Operation:
    return Operation(name=node, arguments=value, allowed=())
