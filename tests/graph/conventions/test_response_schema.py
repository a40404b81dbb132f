"""Typed questions: judged by their schema, answered by a form."""

from __future__ import annotations

import time
from typing import Any

import pytest

from agent_lab_tui.graph.conventions import AskContext, named, recognise
from agent_lab_tui.graph.conventions.schemas import unusable
from agent_lab_tui.graph.questions import Choice, Refused
from agent_lab_tui.graph.settings.file import Settings
from agent_lab_tui.store.values import Ext

TYPED = named("response-schema")
CONTEXT = AskContext(node="ask", graph="agent")
VALUE = {"question": "Approve the purchase?", "amount": 900}
SCHEMA: dict[str, Any] = {
    "title": "Decision",
    "type": "object",
    "properties": {
        "approved": {"type": "boolean"},
        "limit": {"type": "integer", "minimum": 0, "maximum": 1000, "default": 0},
        "comment": {"type": "string", "default": ""},
    },
    "required": ["approved"],
}


def test_it_is_recognised_by_its_schema() -> None:
    convention, why = recognise(VALUE, SCHEMA, CONTEXT)
    assert convention is TYPED
    assert why == "typed, because LangGraph gives a response schema Decision"


@pytest.mark.parametrize(
    ("answer", "cause"),
    [
        ({"approved": "maybe"}, "`approved` must be boolean, not maybe"),
        ({"approved": "true"}, "`approved` must be boolean, not true"),
        ({"limit": 5}, "key `approved` is missing"),
        ({"approved": True, "limit": "500"}, "`limit` must be integer, not 500"),
        ({"approved": True, "limit": 5000}, "`limit` must be at most 1000, not 5000"),
        ("yes", "the value must be object, not yes"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_sentence(answer: Any, cause: str) -> None:
    with pytest.raises(Refused) as refused:
        TYPED.check(VALUE, SCHEMA, answer, CONTEXT)
    assert str(refused.value) == f"The answer does not fit its schema: {cause}."


@pytest.mark.parametrize(("least", "said"), [(1, "at least 1 character."), (2, "at least 2 characters.")])
def test_one_is_counted_in_the_singular(least: int, said: str) -> None:
    with pytest.raises(Refused, match=said):
        TYPED.check(VALUE, {"type": "string", "minLength": least}, "", CONTEXT)


def test_yes_and_no_are_read_from_the_schema() -> None:
    (operation,) = TYPED.operations(VALUE, SCHEMA, CONTEXT)
    assert operation.allowed == ("approve", "reject", "explain")
    assert TYPED.answer(VALUE, SCHEMA, [Choice("approve")], CONTEXT) == {"approved": True}
    assert TYPED.answer(VALUE, SCHEMA, [Choice("reject", text="too dear")], CONTEXT) == {
        "approved": False,
        "comment": "too dear",
    }


@pytest.mark.parametrize(
    ("schema", "allowed", "approved"),
    [
        ({"type": "boolean"}, ("approve", "reject"), True),
        ({"enum": ["yes", "no"]}, ("approve", "reject"), "yes"),
        ({"type": "string"}, ("respond",), None),
        ({"type": "integer"}, (), None),
        ({"type": "object", "properties": {"urgent": {"type": "boolean"}}}, (), None),
        (
            {
                "type": "object",
                "properties": {"approved": {"type": "boolean"}, "by": {"type": "string"}},
                "required": ["approved", "by"],
            },
            (),
            None,
        ),
        (
            {
                "$defs": {
                    "Yes": {
                        "type": "object",
                        "properties": {"type": {"const": "approve"}},
                        "required": ["type"],
                    },
                    "No": {
                        "type": "object",
                        "properties": {
                            "type": {"const": "reject"},
                            "why": {"type": "string", "minLength": 3},
                        },
                        "required": ["type", "why"],
                    },
                },
                "oneOf": [{"$ref": "#/$defs/Yes"}, {"$ref": "#/$defs/No"}],
            },
            ("approve", "reject", "explain"),
            {"type": "approve"},
        ),
    ],
)
def test_only_choices_with_one_place_in_the_schema_are_offered(
    schema: Any, allowed: Any, approved: Any
) -> None:
    (operation,) = TYPED.operations(VALUE, schema, CONTEXT)
    assert operation.allowed == allowed
    if approved is not None:
        assert TYPED.answer(VALUE, schema, [Choice("approve")], CONTEXT) == approved


def test_a_template_wins_if_it_fits_and_is_not_offered_if_it_does_not() -> None:
    def context(template: Any) -> AskContext:
        return AskContext("ask", "agent", Settings(answers={"agent:ask": {"approve": template}}))

    fits = context({"approved": True, "limit": 100})
    assert TYPED.answer(VALUE, SCHEMA, [Choice("approve")], fits) == {"approved": True, "limit": 100}
    (operation,) = TYPED.operations(VALUE, SCHEMA, context({"approved": "yes"}))
    assert "approve" not in operation.allowed


def test_objects_are_judged_by_their_json() -> None:
    schema = {"type": "object", "properties": {"cost": {"type": "string", "pattern": r"^\d+\.\d\d$"}}}
    TYPED.check(VALUE, schema, {"cost": Ext(0, ["decimal", "Decimal", "12.50"])}, CONTEXT)


@pytest.mark.parametrize(
    ("form", "good", "bad"),
    [
        ("date", "2026-01-31", "31.1.2026"),
        ("date-time", "2026-01-31T10:00:00Z", "tomorrow"),
        ("uuid", "00000000-0000-0000-0000-000000000007", "7"),
    ],
)
def test_dates_and_ids_are_held_against_their_form(form: str, good: str, bad: str) -> None:
    schema = {"type": "string", "format": form}
    TYPED.check(VALUE, schema, good, CONTEXT)
    with pytest.raises(Refused, match=f"must be a {form}"):
        TYPED.check(VALUE, schema, bad, CONTEXT)


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ({"$ref": "http://127.0.0.1:9/schema.json"}, "nothing is fetched"),
        ({"properties": {"a": {"$ref": "file:///etc/passwd"}}}, "nothing is fetched"),
        ({"$ref": "#/$defs/none"}, "refers to what it does not hold"),
        ({"$ref": "#"}, "refers to itself without end"),
        ({"type": "strin"}, "no JSON schema"),
        ({"type": 7}, "no JSON schema"),
        ([], "no object"),
    ],
)
def test_a_schema_that_cannot_judge_leaves_the_question_to_others(schema: Any, why: str) -> None:
    assert why in str(unusable(schema))
    convention, said = recognise(VALUE, schema, CONTEXT)
    assert convention.name == "plain"
    assert said == "plain, because its response schema cannot be used"


def test_a_reference_in_a_default_or_a_constant_is_just_a_value() -> None:
    assert unusable({"properties": {"a": {"default": {"$ref": "http://x"}, "const": {"$ref": "y"}}}}) is None


def test_an_answer_among_alternatives_is_refused_by_the_alternative_it_names() -> None:
    schema = {
        "oneOf": [
            {"type": "object", "properties": {"type": {"const": "yes"}}, "required": ["type"]},
            {
                "type": "object",
                "properties": {"type": {"const": "limit"}, "n": {"type": "integer"}},
                "required": ["type", "n"],
            },
        ]
    }
    with pytest.raises(Refused, match=r"`n` must be integer, not many"):
        TYPED.check(VALUE, schema, {"type": "limit", "n": "many"}, CONTEXT)


def test_a_large_answer_makes_a_short_sentence() -> None:
    started = time.monotonic()
    with pytest.raises(Refused) as refused:
        TYPED.check(VALUE, {"type": "integer"}, "x" * 1_000_000, CONTEXT)
    assert len(str(refused.value)) < 300
    assert time.monotonic() - started < 2
