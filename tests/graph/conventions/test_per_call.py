"""LangChain's per-call form: one decision, held against its own schema."""

from __future__ import annotations

from typing import Any

import pytest

from agent_lab_tui.graph.conventions import AskContext, named, recognise
from agent_lab_tui.graph.questions import Choice, Refused
from agent_lab_tui.store.values import Ext

CONTEXT = AskContext(node="tools")
PER_CALL = named("per-call")
VALUE = {
    "type": "tool_approval",
    "tool_call_id": "call_mail",
    "name": "send_email",
    "args": {"to": "bob@example.com", "body": "hi"},
    "description": "Tool execution requires approval",
}


def message(kind: str) -> dict[str, Any]:
    properties = {"type": {"const": kind, "type": "string"}, "message": {"type": "string"}}
    return {"type": "object", "properties": properties, "required": ["type"]}


SCHEMA: dict[str, Any] = {
    "$defs": {
        "ApproveDecision": {
            "type": "object",
            "properties": {"type": {"const": "approve", "type": "string"}},
            "required": ["type"],
        },
        "EditDecision": {
            "type": "object",
            "properties": {
                "type": {"const": "edit", "type": "string"},
                "edited_action": {"$ref": "#/$defs/EditedAction"},
            },
            "required": ["type", "edited_action"],
        },
        "EditedAction": {
            "type": "object",
            "properties": {
                "name": {"const": "send_email", "type": "string"},
                "args": {"$ref": "#/$defs/send_email"},
            },
            "required": ["name", "args"],
        },
        "RejectDecision": message("reject"),
        "send_email": {
            "type": "object",
            "properties": {
                "to": {"type": "string"},
                "body": {"type": "string"},
                "copies": {"type": "integer"},
            },
            "required": ["to", "body"],
        },
    },
    "discriminator": {"propertyName": "type"},
    "oneOf": [
        {"$ref": "#/$defs/ApproveDecision"},
        {"$ref": "#/$defs/EditDecision"},
        {"$ref": "#/$defs/RejectDecision"},
    ],
}


def test_it_is_recognised_before_the_schema_alone() -> None:
    convention, why = recognise(VALUE, SCHEMA, CONTEXT)
    assert convention is PER_CALL
    assert "tool_approval" in why


def test_what_may_be_decided_stands_in_the_schema() -> None:
    (operation,) = PER_CALL.operations(VALUE, SCHEMA, CONTEXT)
    assert operation.allowed == ("approve", "edit", "reject", "explain")
    assert operation.tool_call_id == "call_mail"
    assert operation.rest == {"description": "Tool execution requires approval"}
    assert operation.schema is not None
    assert list(operation.schema["properties"]) == ["to", "body", "copies"]


def test_a_tool_with_one_decision_has_a_schema_without_alternatives() -> None:
    (operation,) = PER_CALL.operations(VALUE, SCHEMA["$defs"]["ApproveDecision"], CONTEXT)
    assert operation.allowed == ("approve",)


@pytest.mark.parametrize(
    ("choice", "answer"),
    [
        (Choice("approve"), {"type": "approve"}),
        (Choice("reject", text="no"), {"type": "reject", "message": "no"}),
        (Choice("explain", text="why?"), {"type": "reject", "message": "why?"}),
        (
            Choice("edit", arguments={"to": "ann@example.com", "body": "hi"}),
            {
                "type": "edit",
                "edited_action": {"name": "send_email", "args": {"to": "ann@example.com", "body": "hi"}},
            },
        ),
        (
            Choice("edit", arguments={"to": "bob@example.com", "body": "hi", "copies": 2}),
            {
                "type": "edit",
                "edited_action": {
                    "name": "send_email",
                    "args": {"to": "bob@example.com", "body": "hi", "copies": 2},
                },
            },
        ),
    ],
)
def test_one_decision_is_sent_by_itself(choice: Choice, answer: Any) -> None:
    assert PER_CALL.answer(VALUE, SCHEMA, [choice], CONTEXT) == answer


def test_an_edit_cannot_switch_the_tool() -> None:
    with pytest.raises(Refused, match="cannot switch the tool here"):
        PER_CALL.answer(VALUE, SCHEMA, [Choice("edit", arguments=VALUE["args"], name="delete_file")], CONTEXT)


def test_edited_arguments_are_held_against_the_tools_schema() -> None:
    wrong = Choice("edit", arguments={"to": "a", "body": "b", "copies": "2"})
    with pytest.raises(Refused, match="must be integer, not 2"):
        PER_CALL.answer(VALUE, SCHEMA, [wrong], CONTEXT)
    with pytest.raises(Refused, match="`body` is missing"):
        PER_CALL.answer(VALUE, SCHEMA, [Choice("edit", arguments={"to": "a"})], CONTEXT)


def test_the_batched_form_is_refused() -> None:
    with pytest.raises(Refused, match="no key `type`"):
        PER_CALL.check(VALUE, SCHEMA, {"decisions": [{"type": "approve"}]}, CONTEXT)


def test_a_decision_the_schema_leaves_out_is_refused() -> None:
    with pytest.raises(Refused, match="`respond` is not allowed here"):
        PER_CALL.check(VALUE, SCHEMA, {"type": "respond", "message": "x"}, CONTEXT)


def test_without_a_schema_it_is_somebody_elses_form() -> None:
    assert PER_CALL.recognise(VALUE, None, CONTEXT) is None


def test_the_reason_comes_from_the_message_with_this_call() -> None:
    calls = [{"name": "send_email", "args": {}, "id": "call_mail"}]
    blocks = [{"type": "text", "text": "Bob waits."}, {"type": "tool_use", "id": "call_mail"}]
    said = Ext(5, ["m", "AIMessage", {"type": "ai", "content": blocks, "tool_calls": calls}])
    (operation,) = PER_CALL.operations(VALUE, SCHEMA, AskContext(messages=[said]))
    assert (operation.reason, operation.reason_source) == ("Bob waits.", "message")
