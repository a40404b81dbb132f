"""What a person said to the gate's requests, read strictly."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

Kind = Literal["approve", "edit", "reject", "explain", "respond"]


class Misfit(Exception):
    """An answer that does not fit its question; the message says what is wrong."""


class Asked(Protocol):
    """What an answer is held against."""

    @property
    def operation(self) -> str:
        """The operation asked for."""

    @property
    def arguments(self) -> Mapping[str, Any]:
        """The arguments asked for."""

    @property
    def allowed(self) -> Sequence[Kind]:
        """The choices offered."""

    @property
    def check(self) -> Callable[[Mapping[str, Any]], str | None] | None:
        """What edited arguments must satisfy besides."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a person said to one operation."""

    kind: Kind
    operation: str
    arguments: Mapping[str, Any]
    """What may be done: the arguments as asked for, or as edited."""
    text: str = ""
    """The reason of a reject, the question of an explain, the words of a respond."""

    @property
    def may_run(self) -> bool:
        """Whether the operation may be done, with `arguments`."""
        return self.kind in ("approve", "edit")

    @property
    def is_edited(self) -> bool:
        """Whether the arguments are the person's, not the agent's."""
        return self.kind == "edit"


def verdicts(requests: Sequence[Asked], answer: Any) -> tuple[Verdict, ...]:
    """Read an answer: one verdict for each request, in order.

    Raises:
        Misfit: It is not of the form asked for; nothing is guessed.
    """
    decisions = answer.get("decisions") if isinstance(answer, Mapping) else None
    if not isinstance(decisions, Sequence) or isinstance(decisions, str):
        raise Misfit('it takes {"decisions": [...]}')
    if len(decisions) != len(requests):
        raise Misfit(f"it takes {len(requests)} decisions, there were {len(decisions)}")
    return tuple(_verdict(request, decision) for request, decision in zip(requests, decisions, strict=True))


def _verdict(request: Asked, decision: Any) -> Verdict:
    if not isinstance(decision, Mapping):
        raise Misfit(f"the decision on {request.operation} is not an object")
    kind: Kind | None = decision.get("type")
    if kind is None or kind not in request.allowed:
        raise Misfit(f"{kind!r} is not offered for {request.operation}, only {', '.join(request.allowed)}")
    if kind == "edit":
        return Verdict("edit", request.operation, _edited(request, decision))
    text = decision.get("message", "")
    if not isinstance(text, str):
        raise Misfit(f"the message to {request.operation} is not a text")
    if kind in ("explain", "respond") and not text.strip():
        raise Misfit(f"{kind} of {request.operation} needs a message")
    return Verdict(kind, request.operation, dict(request.arguments), text.strip())


def _edited(request: Asked, decision: Mapping[str, Any]) -> Mapping[str, Any]:
    action = decision.get("edited_action")
    if not isinstance(action, Mapping) or not isinstance(action.get("args"), Mapping):
        raise Misfit(f'an edit of {request.operation} takes {{"edited_action": {{"name", "args"}}}}')
    if action.get("name", request.operation) != request.operation:
        raise Misfit(f"an edit cannot turn {request.operation} into {action['name']}")
    arguments = dict(action["args"])
    problem = request.check(arguments) if request.check else None
    if problem:
        raise Misfit(problem)
    return arguments
