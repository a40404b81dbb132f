"""LangChain's HumanInTheLoopMiddleware, batched: one question for all calls of a turn; so asks our gate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..questions import Choice, Operation, Refused, Risk, Value
from ..reading.messages import last_turn
from .base import AskContext, Schema, count, one_choice_each, short
from .decisions import check_decision, choices_for, decision, edit_warnings, explain_rejects
from .payload import Taker, said_with
from .schemas import misfit, unusable

_GATE_KEYS = ("reason", "impact", "risk", "key")


@dataclass(frozen=True, slots=True)
class _Request:
    """One action request with the review config that belongs to it."""

    fields: dict[str, Any]
    config: dict[str, Any]

    @property
    def types(self) -> tuple[str, ...]:
        """The decision types its agent takes."""
        return tuple(kind for kind in self.config["allowed_decisions"] if isinstance(kind, str))


class Batched:
    """Several operations in one question, one decision each, in their order."""

    name = "batched"
    about = (
        "One question for every tool call of a turn: one decision each is sent, in the order of the calls; "
        "LangChain's HumanInTheLoopMiddleware and agent-lab-tui's own gate ask in this way."
    )

    def recognise(self, value: Value, schema: Schema, context: AskContext) -> str | None:
        """Recognise it by `action_requests` with a review config for each."""
        requests = _requests(value)
        if not requests:
            return None
        who = "the gate's form" if any(map(_is_gate, requests)) else "LangChain batched"
        return f"{who}, because of action_requests with review_configs"

    def operations(self, value: Value, schema: Schema, context: AskContext) -> tuple[Operation, ...]:
        """List the action requests; what a request does not say of its reason the AI message may."""
        turn = last_turn(context.messages)
        extra = {
            key: inner for key, inner in value.items() if key not in ("action_requests", "review_configs")
        }
        taken: set[int] = set()
        found = []
        for request in _requests(value):
            name, arguments = request.fields["name"], request.fields["args"]
            place = turn.call_for(name, arguments, taken=frozenset(taken)) if turn else None
            if place is not None:
                taken.add(place)
            found.append(_operation(request, extra, *said_with(turn, place)))
        return tuple(found)

    def answer(self, value: Value, schema: Schema, choices: Sequence[Choice], context: AskContext) -> Value:
        """Send one decision for each request; position decides which is whose."""
        operations = self.operations(value, schema, context)
        one_choice_each(choices, operations)
        answer = {
            "decisions": [
                decision(choice, operation, request.types, context.settings)
                for choice, operation, request in zip(choices, operations, _requests(value), strict=True)
            ]
        }
        self.check(value, schema, answer, context)
        return answer

    def check(self, value: Value, schema: Schema, answer: Value, context: AskContext) -> None:
        """Refuse what the middleware would choke on: it keeps a wrong answer for good."""
        decisions = _decisions(answer)
        operations = self.operations(value, schema, context)
        if len(decisions) != len(operations):
            raise Refused(f"{count(len(decisions), 'decision')} for {count(len(operations), 'action')}.")
        for number, (one, request) in enumerate(zip(decisions, _requests(value), strict=True), 1):
            label = "The decision" if len(decisions) == 1 else f"Decision {number}"
            operation = operations[number - 1]
            check_decision(one, operation, request.types, context.settings, label)
            _check_edit(one, operation, label, may_switch=not _is_gate(request))

    def warnings(self, value: Value, schema: Schema, answer: Value, context: AskContext) -> tuple[str, ...]:
        """Warn of edits that run another tool or add arguments."""
        operations = self.operations(value, schema, context)
        pairs = zip(_decisions(answer), operations, strict=True)
        return tuple(warning for one, operation in pairs for warning in edit_warnings(one, operation))


def _decisions(answer: Value) -> list[Value]:
    if not isinstance(answer, dict):
        raise Refused("The answer must be an object with the key `decisions`.")
    if "decisions" not in answer:
        raise Refused("Key `decisions` is missing from the answer.")
    if unread := [key for key in answer if key != "decisions"]:
        raise Refused(f"The answer has a key `{unread[0]}` that nobody reads beside `decisions`.")
    if not isinstance(answer["decisions"], list):
        raise Refused("`decisions` must be a list with one decision for each action.")
    return answer["decisions"]


def _check_edit(decision: Value, operation: Operation, label: str, *, may_switch: bool) -> None:
    """Hold edited arguments against the author's schema; our gate lets no edit switch the operation."""
    if decision["type"] != "edit":
        return
    name, arguments = decision["edited_action"]["name"], decision["edited_action"]["args"]
    if name != operation.name and not may_switch:
        raise Refused(f"{label} turns {short(operation.name)} into {short(name)}, which its author excluded.")
    schema = operation.schema
    if name != operation.name or schema is None or unusable(schema):
        return
    if what := misfit(schema, arguments):
        raise Refused(f"{label} does not fit the arguments of {short(name)}: {what}.")


def _requests(value: Value) -> list[_Request]:
    """Return the requests with their configs; none where the value is of another form."""
    requests, configs = _lists(value)
    if not requests or not all(map(_is_request, requests)) or not all(map(_is_config, configs)):
        return []
    if len(requests) == len(configs):
        return [_Request(*pair) for pair in zip(requests, configs, strict=True)]
    by_name = {config["action_name"]: config for config in reversed(configs)}
    if not all(request["name"] in by_name for request in requests):
        return []
    return [_Request(request, by_name[request["name"]]) for request in requests]


def _lists(value: Value) -> tuple[list[Value], list[Value]]:
    parts = value if isinstance(value, dict) else {}
    requests, configs = parts.get("action_requests"), parts.get("review_configs")
    return (requests, configs) if isinstance(requests, list) and isinstance(configs, list) else ([], [])


def _is_request(request: Value) -> bool:
    return (
        isinstance(request, dict)
        and isinstance(request.get("name"), str)
        and isinstance(request.get("args"), dict)
    )


def _is_config(config: Value) -> bool:
    return (
        isinstance(config, dict)
        and isinstance(config.get("allowed_decisions"), list)
        and isinstance(config.get("action_name"), str)
    )


def _is_gate(request: _Request) -> bool:
    return "explain" in request.types or any(key in request.fields for key in _GATE_KEYS)


def _operation(
    request: _Request, extra: dict[str, Value], said: str | None, call_id: str | None
) -> Operation:
    taker = Taker({key: inner for key, inner in request.fields.items() if key not in ("name", "args")})
    reason, impact = taker.text(("reason",)), taker.text(("impact",))
    schema = request.config.get("args_schema")
    if taker.left.get("description") == reason:
        taker.text(("description",))
    read = {"allowed_decisions"} | ({"args_schema"} if isinstance(schema, dict) else set())
    if request.config["action_name"] == request.fields["name"]:
        read.add("action_name")
    left = {key: inner for key, inner in request.config.items() if key not in read}
    return Operation(
        name=request.fields["name"],
        arguments=request.fields["args"],
        reason=reason or said,
        reason_source="request" if reason else ("message" if said else "none"),
        impact=impact,
        impact_source="request" if impact else "none",
        risk=taker.risk() or Risk.MEDIUM,
        allowed=choices_for(request.types),
        explain_rejects=explain_rejects(request.types, is_gate=_is_gate(request)),
        schema=schema if isinstance(schema, dict) else None,
        key=taker.text(("key",)),
        tool_call_id=call_id,
        rest={**extra, **({"review_config": left} if left else {}), **taker.left},
    )
