"""What an agent asks and what an operator says: questions, operations, choices, answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

Value = Any
"""A raw value as `store.values.decode` gives it: plain Python or `store.values.Ext`."""

ChoiceKind = Literal["approve", "edit", "reject", "respond", "explain"]


class Risk(StrEnum):
    """How much harm a yes can do; confirmation grows with it."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"

    @property
    def rank(self) -> int:
        """0 for low up to 3 for critical."""
        return list(Risk).index(self)


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing an agent wants to do."""

    name: str
    """The operation as the agent names it; raw foreign text."""
    arguments: Value
    """Usually a dict; any raw value where the question has no arguments of its own."""
    reason: str | None = None
    """Why, in the agent's words; None when no reason was given."""
    reason_source: Literal["request", "message", "none"] = "none"
    """The request itself, the AI message that made the call, or nowhere."""
    impact: str | None = None
    """What happens on a yes, by the request itself or by a rule; None when nobody says."""
    impact_source: Literal["request", "rule", "none"] = "none"
    rule_impact: str | None = None
    """What a rule says of the impact beside the request's own words, where the two differ."""
    risk: Risk = Risk.MEDIUM
    allowed: tuple[ChoiceKind, ...] = ("approve", "reject")
    """The choices that this operation's convention can carry."""
    schema: Mapping[str, Any] | None = None
    """JSON schema of the arguments, where one is known."""
    locked: tuple[str, ...] = ()
    """Arguments that a rule forbids to edit."""
    confirm: str = ""
    """"" (by risk), "key", "twice" or "type:ARGUMENT"."""
    key: str | None = None
    """Idempotency key under which the effect will be recorded, where the request names it."""
    tool_call_id: str | None = None
    explain_rejects: str = ""
    """What is said where an explanation can only be sent as a rejection; "" where it need not be."""
    rest: Mapping[str, Value] = field(default_factory=dict)
    """What else the question's value holds about this operation: nothing of it is hidden."""


@dataclass(frozen=True, slots=True)
class Question:
    """One interrupt that waits for an answer."""

    id: str
    """LangGraph's interrupt id; unique within one thread of one database only."""
    node: str
    """The node that asks: the deepest one."""
    path: tuple[str, ...]
    """Node names from the root graph down to `node`."""
    value: Value
    """The interrupt's value, raw."""
    schema: Mapping[str, Any] | None
    """LangGraph's response_schema, where the author gave one."""
    convention: str
    """Name of the convention that was recognised."""
    why: str
    """By what it was recognised, in one short sentence."""
    operations: tuple[Operation, ...]
    digest: str
    """Hash of head checkpoint id, interrupt id and raw value: what the operator sees."""
    has_stored_answer: bool = False
    """An answer is stored for it already, and its node failed: stuck."""
    stored_answer: Value = None
    plain_only: bool = False
    """It comes from a subgraph without checkpoints: only the plain resume form reaches it."""
    answers_given: tuple[Value, ...] = ()
    """What was answered before at its node, newest first, raw."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What the operator says to one operation."""

    kind: ChoiceKind
    arguments: Value = None
    """For edit: the whole new arguments (raw values kept where unchanged)."""
    name: str | None = None
    """For edit: another operation's name, an explicit second step."""
    text: str = ""
    """For reject the reason, for respond the message, for explain the question."""


_REJECTS = "the operation is rejected with your question as the reason."
EXPLAIN_REJECTS = f"This convention has no explain: {_REJECTS}"
"""Said where an explanation is asked for in a form that knows none, as LangChain's."""
EXPLAIN_NOT_OFFERED = f"The author does not offer explain here: {_REJECTS}"
"""Said in a form that has one, as our gate's."""
EXPLAIN_UNKNOWN = f"What explain should send is not known here: {_REJECTS}"
"""Said where the answers are the author's own."""


class Refused(Exception):
    """The answer must not be sent; the message says why in one sentence."""
