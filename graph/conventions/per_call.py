"""LangChain's HumanInTheLoopMiddleware, per call: one question for each tool call, with its own schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..questions import Choice, Operation, Refused, Value
from ..reading.messages import last_turn
from .base import AskContext, Schema, one_choice_each, short
from .decisions import check_decision, choices_for, decision, edit_warnings, explain_rejects
from .payload import said_with
from .schemas import branches, constant, misfit, resolved, unusable

_READ = ("type", "tool_call_id", "name", "args")


class PerCall:
    """One tool call in one question; what may be decided stands in the response schema."""

    name = "per-call"
    about = (
        "One question for each tool call: one decision is sent; "
        'LangChain\'s HumanInTheLoopMiddleware asks so with interrupt_mode="per_call".'
    )

    def recognise(self, value: Value, schema: Schema, context: AskContext) -> str | None:
        """Recognise it by its type `tool_approval` and a schema that lists decisions."""
        is_asked_so = (
            isinstance(value, dict)
            and value.get("type") == "tool_approval"
            and isinstance(value.get("name"), str)
            and isinstance(value.get("args"), dict)
        )
        if not is_asked_so or schema is None or unusable(schema) or not _types(schema):
            return None
        return "LangChain per call, because of type tool_approval with a decision schema"

    def operations(self, value: Value, schema: Schema, context: AskContext) -> tuple[Operation, ...]:
        """Return the one tool call."""
        call_id = value.get("tool_call_id")
        turn = last_turn(context.messages)
        place = turn.call_for(value["name"], value["args"], id=call_id) if turn else None
        said, _ = said_with(turn, place)
        return (
            Operation(
                name=value["name"],
                arguments=value["args"],
                reason=said,
                reason_source="message" if said else "none",
                allowed=choices_for(_types(schema or {})),
                explain_rejects=explain_rejects(_types(schema or {})),
                schema=_arguments_schema(schema or {}),
                tool_call_id=call_id if isinstance(call_id, str) else None,
                rest={key: inner for key, inner in value.items() if key not in _READ},
            ),
        )

    def answer(self, value: Value, schema: Schema, choices: Sequence[Choice], context: AskContext) -> Value:
        """Send one decision."""
        operations = self.operations(value, schema, context)
        one_choice_each(choices, operations)
        answer = decision(choices[0], operations[0], _types(schema or {}), context.settings)
        self.check(value, schema, answer, context)
        return answer

    def check(self, value: Value, schema: Schema, answer: Value, context: AskContext) -> None:
        """Refuse what LangGraph would refuse, and an edit that runs another tool."""
        (operation,) = self.operations(value, schema, context)
        check_decision(answer, operation, _types(schema or {}), context.settings)
        if answer["type"] == "edit" and answer["edited_action"]["name"] != operation.name:
            other = short(str(answer["edited_action"]["name"]))
            raise Refused(f"An edit cannot switch the tool here: {short(operation.name)} stays, not {other}.")
        if what := misfit(schema or {}, answer):
            raise Refused(f"The answer does not fit: {what}.")

    def warnings(self, value: Value, schema: Schema, answer: Value, context: AskContext) -> tuple[str, ...]:
        """Warn of added arguments: a tool ignores those it does not declare."""
        (operation,) = self.operations(value, schema, context)
        return tuple(edit_warnings(answer, operation))


def _types(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the decision types that the branches of a schema stand for."""
    types = [_type(branch) for branch in branches(schema, schema)]
    return tuple(kind for kind in types if isinstance(kind, str))


def _type(branch: Mapping[str, Any]) -> Any:
    properties = branch.get("properties")
    return constant(resolved(properties.get("type"), branch)) if isinstance(properties, Mapping) else None


def _arguments_schema(schema: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the schema of the tool's arguments from the edit branch, with the definitions it needs."""
    for branch in branches(schema, schema):
        if _type(branch) == "edit":
            action = resolved(branch["properties"].get("edited_action"), schema)
            properties = action.get("properties")
            arguments = resolved(properties.get("args"), schema) if isinstance(properties, Mapping) else {}
            definitions = {"$defs": schema["$defs"]} if "$defs" in schema else {}
            return {**definitions, **arguments} if arguments else None
    return None
