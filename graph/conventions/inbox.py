"""The Agent Inbox protocol: a HumanInterrupt, bare or in a list, answered by a HumanResponse likewise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..deciding.said import is_said
from ..questions import Choice, ChoiceKind, Operation, Refused, Value
from ..reading.messages import last_turn
from .base import (
    AskContext,
    Schema,
    count,
    edited_arguments,
    locked_by_rule,
    one_choice_each,
    refuse_locked,
    same,
    short,
)
from .payload import Taker, said_with

_SWITCHES = {
    "allow_accept": "accept",
    "allow_edit": "edit",
    "allow_respond": "response",
    "allow_ignore": "ignore",
}


class AgentInbox:
    """One operation, or a list of them, as LangChain's Agent Inbox and Agent Chat UI know it.

    A rejection is sent as `ignore` where that is allowed: it alone says that nothing shall be done. It has no
    place for words, so the reason stays in the journal. Where ignoring is not allowed the reason goes as a
    `response`, which the agent reads as feedback. Asking for an explanation is always such a `response`.
    """

    name = "agent-inbox"
    about = (
        "An Agent Inbox request: accept, edit, response or ignore is sent, in a list if the question is one; "
        "a reject is an ignore (its reason stays in the journal) or, where that is not allowed, a response."
    )

    def recognise(self, value: Value, schema: Schema, context: AskContext) -> str | None:
        """Recognise it by `action_request` with a `config` of allowances."""
        if not _requests(value):
            return None
        form = "in a list" if isinstance(value, list) else "bare"
        return f"Agent Inbox, because of action_request with allow_… ({form})"

    def operations(self, value: Value, schema: Schema, context: AskContext) -> tuple[Operation, ...]:
        """List the requests; a description counts as the reason: the protocol has no other place for it."""
        turn = last_turn(context.messages)
        found = []
        for request in _requests(value):
            action = request["action_request"]
            place = turn.call_for(action["action"], action["args"]) if turn else None
            found.append(_operation(request, *said_with(turn, place)))
        return tuple(found)

    def answer(self, value: Value, schema: Schema, choices: Sequence[Choice], context: AskContext) -> Value:
        """Send one response for each request; a list exactly if the question is one."""
        operations = self.operations(value, schema, context)
        one_choice_each(choices, operations)
        responses = [
            _response(
                choice, replace(operation, locked=locked_by_rule(operation.name, context.settings)), types
            )
            for choice, operation, types in zip(choices, operations, _types(value), strict=True)
        ]
        answer = responses if isinstance(value, list) else responses[0]
        self.check(value, schema, answer, context)
        return answer

    def check(self, value: Value, schema: Schema, answer: Value, context: AskContext) -> None:
        """Refuse the wrong wrapping, a response that is not allowed, and one without its part."""
        if isinstance(value, list) and not isinstance(answer, list):
            raise Refused("The question is a list, so the answer must be a list too.")
        if not isinstance(value, list) and isinstance(answer, list):
            raise Refused("The question is no list, so the answer must be one response, not a list.")
        operations = self.operations(value, schema, context)
        responses = answer if isinstance(answer, list) else [answer]
        if len(responses) != len(operations):
            raise Refused(f"{count(len(responses), 'response')} for {count(len(operations), 'action')}.")
        for response, operation, types in zip(responses, operations, _types(value), strict=True):
            ruled = replace(operation, locked=locked_by_rule(operation.name, context.settings))
            _check_response(response, ruled, types)

    def warnings(self, value: Value, schema: Schema, answer: Value, context: AskContext) -> tuple[str, ...]:
        """Warn of an edit that runs another action."""
        responses = answer if isinstance(answer, list) else [answer]
        found = []
        for response, operation in zip(responses, self.operations(value, schema, context), strict=True):
            other = response["args"]["action"] if response["type"] == "edit" else operation.name
            if other != operation.name:
                found.append(f"The edit runs {short(other)} instead of {short(operation.name)}.")
        return tuple(found)


def _requests(value: Value) -> list[dict[str, Any]]:
    listed = value if isinstance(value, list) else [value]
    return listed if listed and all(map(_is_request, listed)) else []


def _is_request(request: Value) -> bool:
    if not isinstance(request, dict):
        return False
    action, config = request.get("action_request"), request.get("config")
    return (
        isinstance(action, dict)
        and isinstance(action.get("action"), str)
        and "args" in action
        and isinstance(config, dict)
        and any(switch in config for switch in _SWITCHES)
    )


def _types(value: Value) -> list[tuple[str, ...]]:
    """Return for each request the response types its config lets through."""
    configs = [request["config"] for request in _requests(value)]
    return [tuple(kind for switch, kind in _SWITCHES.items() if config.get(switch)) for config in configs]


def _allowed(types: tuple[str, ...]) -> tuple[ChoiceKind, ...]:
    offers: dict[ChoiceKind, bool] = {
        "approve": "accept" in types,
        "edit": "edit" in types,
        "reject": "ignore" in types or "response" in types,
        "respond": "response" in types,
        "explain": "response" in types,
    }
    return tuple(kind for kind, is_offered in offers.items() if is_offered)


def _operation(request: Mapping[str, Any], said: str | None, call_id: str | None) -> Operation:
    action, config = request["action_request"], request["config"]
    taker = Taker({key: inner for key, inner in request.items() if key not in ("action_request", "config")})
    reason = taker.text(("reason",)) or taker.text(("description",)) or None
    more = {key: inner for key, inner in action.items() if key not in ("action", "args")}
    switches = {key: inner for key, inner in config.items() if key not in _SWITCHES}
    return Operation(
        name=action["action"],
        arguments=action["args"],
        reason=reason or said,
        reason_source="request" if reason else ("message" if said else "none"),
        allowed=_allowed(tuple(kind for switch, kind in _SWITCHES.items() if config.get(switch))),
        tool_call_id=call_id,
        rest={
            **taker.left,
            **({"action_request": more} if more else {}),
            **({"config": switches} if switches else {}),
        },
    )


def _response(choice: Choice, operation: Operation, types: tuple[str, ...]) -> dict[str, Value]:
    if choice.kind == "approve":
        return {"type": "accept", "args": None}
    if choice.kind == "edit":
        arguments = edited_arguments(operation, choice)
        return {"type": "edit", "args": {"action": choice.name or operation.name, "args": arguments}}
    if choice.kind == "reject" and "ignore" in types:
        return {"type": "ignore", "args": None}
    return {"type": "response", "args": choice.text}


def _check_response(response: Value, operation: Operation, types: tuple[str, ...]) -> None:
    if not isinstance(response, dict) or set(response) != {"type", "args"}:
        raise Refused("A response must be an object with exactly the keys `type` and `args`.")
    kind, args = response["type"], response["args"]
    if not isinstance(kind, str) or kind not in types:
        offered = ", ".join(types) or "nothing"
        raise Refused(f"`{short(str(kind))}` is not allowed here for {short(operation.name)}: {offered}.")
    original = {"action": operation.name, "args": operation.arguments}
    if kind in ("accept", "ignore") and not (args is None or same(args, original)):
        raise Refused(f"`{kind}` carries no `args`: they must be null.")
    if kind == "response" and not (isinstance(args, str) and is_said(args)):
        raise Refused("`response` must carry its text under `args`.")
    if kind == "edit":
        _check_edit(args, operation)


def _check_edit(action: Value, operation: Operation) -> None:
    if not isinstance(action, dict) or set(action) != {"action", "args"}:
        raise Refused("`edit` must carry exactly `action` and `args` under `args`.")
    if not isinstance(action["action"], str) or not is_said(action["action"]):
        raise Refused("`edit` must name an action.")
    if isinstance(operation.arguments, dict) and not isinstance(action["args"], dict):
        raise Refused("The arguments of an edit must stay an object.")
    refuse_locked(operation, action["args"], action["action"])
