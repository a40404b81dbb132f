"""Answers that a plain question may expect: what was answered before, and what the question itself lists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from agent_lab_tui.store.values import to_json, type_name

from ..questions import Value
from .base import AskContext, count, same
from .payload import fields_of
from .templates import Form, Gap

Tone = Literal["approve", "reject"]

YES = frozenset(
    {"yes", "y", "ok", "okay", "true", "approve", "approved", "accept", "accepted", "allow", "allowed"}
    | {"confirm", "confirmed", "continue", "go", "proceed", "是", "同意", "批准", "确认"}
)
NO = frozenset(
    {"no", "n", "false", "reject", "rejected", "deny", "denied", "decline", "declined", "refuse", "refused"}
    | {"cancel", "cancelled", "stop", "abort", "否", "不同意", "拒绝", "取消"}
)
_FLAGS = frozenset(
    {"approved", "approve", "accepted", "accept", "allowed", "allow", "confirmed", "confirm", "ok", "yes"}
    | {"proceed", "continue", "go"}
)
_WORDS = ("decision", "action", "type", "status", "answer", "response", "choice", "verdict", "result")
REASON_KEYS = ("reason", "why", "message", "comment", "note", "feedback", "rationale", "explanation")
_OPTIONS = ("options", "choices", "allowed", "allowed_answers", "buttons")

_MOST_OPTIONS = 20


@dataclass(frozen=True, slots=True)
class Proposal:
    """One value that may be the answer; the operator looks at it before it is sent."""

    value: Value
    source: str
    """Where it comes from, for a person."""
    tone: Tone | None = None
    """A yes or a no, where that can be told."""


def proposals(value: Value, context: AskContext) -> tuple[Proposal, ...]:
    """Return what was answered before at this node, newest first, then what the question lists."""
    found: list[Proposal] = []
    for answer in context.answers_given:
        if not any(same(answer, proposal.value) for proposal in found):
            times = sum(same(answer, other) for other in context.answers_given)
            source = "answered before" if times == 1 else f"answered before, {count(times, 'time')}"
            found.append(Proposal(answer, source, tone_of(answer)))
    for option in _options(value):
        if not any(same(option, proposal.value) for proposal in found):
            found.append(Proposal(option, "listed in the question", tone_of(option)))
    return tuple(found)


def tone_of(answer: Value) -> Tone | None:
    """Tell whether an answer is a plain yes or no: a flag, a word, or an object with one of them."""
    if isinstance(answer, bool):
        return "approve" if answer else "reject"
    if isinstance(answer, str):
        word = answer.strip().casefold()
        return "approve" if word in YES else ("reject" if word in NO else None)
    if not isinstance(answer, dict):
        return None
    tones = {tone_of(answer[key]) for key in _tone_keys(answer)}
    return tones.pop() if len(tones) == 1 else None


def form_of(answer: Value, tone: Tone) -> Form | None:
    """Return the form of an earlier yes or no that can be said again; None if it was about its own case.

    Besides the yes or no itself it may hold one text for the reason, which becomes a gap in a no. Anything
    more, such as an amount, belonged to the earlier question.
    """
    if tone_of(answer) != tone:
        return None
    if not isinstance(answer, dict):
        return answer
    rest = [key for key in answer if key not in _tone_keys(answer)]
    if not all(key in REASON_KEYS and _is_words(answer[key]) for key in rest) or len(rest) > 1:
        return None
    if tone == "approve":
        return answer if all(not answer[key] for key in rest) else None
    return {key: Gap(("reason",)) if key in rest else inner for key, inner in answer.items()}


def unlike_earlier(answer: Value, answers_given: tuple[Value, ...]) -> str | None:
    """Say that an answer has another shape than all that this node got before; None when it has not."""
    if not answers_given or any(_is_like(answer, other) for other in answers_given):
        return None
    earlier = " or ".join(dict.fromkeys(_describe(other) for other in answers_given[:5]))
    return f"Unlike every earlier answer at this node, which was {earlier}, this one is {_describe(answer)}."


def _tone_keys(answer: Mapping[str, Value]) -> list[str]:
    flags = [key for key in answer if key in _FLAGS and isinstance(answer[key], bool)]
    words = [key for key in answer if key in _WORDS and isinstance(answer[key], str) and tone_of(answer[key])]
    return flags + words


def _is_words(value: Value) -> bool:
    return value is None or isinstance(value, str)


def _options(value: Value) -> list[Value]:
    """Return the answers a question lists, where it lists some; of objects the part that stands for them."""
    fields = fields_of(value) or {}
    for key in _OPTIONS:
        listed = fields.get(key)
        if isinstance(listed, list) and listed:
            return [_option(option) for option in listed[:_MOST_OPTIONS]]
    return []


def _option(option: Value) -> Value:
    fields = fields_of(option) or {}
    return next((fields[key] for key in ("value", "id", "name") if key in fields), option)


def _is_like(answer: Value, other: Value) -> bool:
    """Tell whether two answers have a like shape; an object may leave keys of the earlier one out."""
    if isinstance(answer, dict) and isinstance(other, dict) and answer:
        return all(key in other and _kind(inner) == _kind(other[key]) for key, inner in answer.items())
    return _kind(answer) == _kind(other) and not (isinstance(answer, dict) and other)


def _kind(value: Value) -> str:
    if isinstance(value, bool) or value is None:
        return "null" if value is None else "true or false"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "text"
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    return f"a {type_name(value)}"


def _describe(value: Value) -> str:
    """Name a shape, with its keys: "an object with `approved` (true or false)"."""
    if not isinstance(value, dict):
        return _kind(value)
    keys = ", ".join(f"`{to_json(key)}` ({_kind(inner)})" for key, inner in list(value.items())[:4])
    return f"an object with {keys}" if keys else "an empty object"
