"""For authors of agents: ask a person before an operation, and do what was approved once.

Needs LangGraph and the standard library only. One question looks like this to whoever answers it
(LangChain's batched form, with reason, impact, risk and key added; what is not given is left out)::

    {"action_requests": [{"name": "mail", "args": {"to": "ann@example.com"}, "description": "...",
                          "reason": "...", "impact": "...", "risk": "high", "key": "run-7:4:1"}],
     "review_configs": [{"action_name": "mail",
                         "allowed_decisions": ["approve", "edit", "reject", "explain"]}]}

and takes one decision for each request, in the same order::

    {"decisions": [{"type": "approve"}]}
    {"decisions": [{"type": "edit", "edited_action": {"name": "mail", "args": {"to": "..."}}}]}
    {"decisions": [{"type": "reject", "message": "why not"}]}
    {"decisions": [{"type": "explain", "message": "what is unclear"}]}

An answer that does not fit is not an error of the node: the gate asks again and says under `problem` what
was wrong, so that no wrong answer can spoil a thread for good.

LangGraph runs the whole node again when an answer comes, so what stands before `ask` in the same node runs
twice. Keep that harmless, and do the approved thing in a node of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from langgraph.types import interrupt

from agent_lab_tui.store.effects import Busy, Conflict
from agent_lab_tui.store.freshness import file_version, moved, row_version

from .answers import Kind, Misfit, Verdict, verdicts
from .effects import Evidence, NotDone, Stopped, aonce, done, not_done, once, unknown
from .unknown import UnknownOutcome

__all__ = [
    "Busy",
    "Conflict",
    "Evidence",
    "NotDone",
    "Request",
    "Stopped",
    "UnknownOutcome",
    "Verdict",
    "aonce",
    "ask",
    "ask_all",
    "done",
    "file_version",
    "moved",
    "not_done",
    "once",
    "row_version",
    "unknown",
]

Check = Callable[[Mapping[str, Any]], str | None]
"""Tells in one sentence what is wrong with edited arguments, None when they will do."""

EVERY_CHOICE: tuple[Kind, ...] = ("approve", "edit", "reject", "explain")


@dataclass(frozen=True, slots=True)
class Request:
    """One operation an agent wants to do."""

    operation: str
    arguments: Mapping[str, Any]
    reason: str | None = None
    """Why, in the agent's words; an operator sees it when it is missing, and the risk rises."""
    impact: str | None = None
    """What a yes does to the world, and whether it can be undone."""
    risk: Literal["low", "medium", "high", "critical"] | None = None
    key: str | None = None
    """The key under which `once` will do it: `run:step:call`, the same at every retry."""
    allowed: Sequence[Kind] = EVERY_CHOICE
    schema: Mapping[str, Any] | None = None
    """JSON schema of the arguments; edits are held against it before they are sent."""
    check: Check | None = None
    """What no schema can say about edited arguments."""
    rest: Mapping[str, Any] = field(default_factory=dict)
    """Whatever else the operator should see: a draft, a link, the data it was made from."""

    def as_payload(self) -> dict[str, Any]:
        """Return the entry of `action_requests`."""
        given = {"reason": self.reason, "impact": self.impact, "risk": self.risk, "key": self.key}
        return {
            **self.rest,
            "name": self.operation,
            "args": dict(self.arguments),
            "description": self.reason or f"{self.operation}: no reason was given",
            **{name: value for name, value in given.items() if value is not None},
        }

    def as_review(self) -> dict[str, Any]:
        """Return the entry of `review_configs`."""
        review: dict[str, Any] = {"action_name": self.operation, "allowed_decisions": list(self.allowed)}
        if self.schema is not None:
            review["args_schema"] = dict(self.schema)
        return review


def ask(
    operation: str,
    arguments: Mapping[str, Any],
    reason: str | None = None,
    impact: str | None = None,
    risk: Literal["low", "medium", "high", "critical"] | None = None,
    key: str | None = None,
    allowed: Sequence[Kind] = EVERY_CHOICE,
    *,
    data: Sequence[Mapping[str, Any]] = (),
    **more: Any,
) -> Verdict:
    """Stop until a person has decided about one operation; return what they said.

    The process may end meanwhile. `more` takes the other fields of `Request`; `data` is that of `ask_all`.
    """
    request = Request(operation, arguments, reason, impact, risk, key, allowed, **more)
    (verdict,) = ask_all([request], data=data)
    return verdict


def ask_all(requests: Sequence[Request], *, data: Sequence[Mapping[str, Any]] = ()) -> tuple[Verdict, ...]:
    """Stop until a person has decided about several operations at once, each on its own.

    Args:
        requests: What the agent wants to do, in the order of the verdicts.
        data: The versions of what the requests were made from, as `file_version` and `row_version`
            give them: a desk that knows them refuses an answer as stale when one has moved meanwhile.
    """
    if not requests:
        return ()
    payload: dict[str, Any] = {
        "action_requests": [request.as_payload() for request in requests],
        "review_configs": [request.as_review() for request in requests],
    }
    if data:
        payload["made_from"] = [dict(version) for version in data]
    while True:
        answer = interrupt(payload)
        try:
            return verdicts(requests, answer)
        except Misfit as misfit:
            payload = {**payload, "problem": f"The last answer did not fit: {misfit}"}
