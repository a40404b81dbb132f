"""Replies: an empty reason is none, and what the answer cannot carry is kept as a note."""

from __future__ import annotations

from typing import Any

import pytest

from agent_lab_tui.graph.conventions.base import AskContext
from agent_lab_tui.graph.conventions.registry import recognise
from agent_lab_tui.graph.deciding.replies import reply, reply_with
from agent_lab_tui.graph.questions import EXPLAIN_NOT_OFFERED, EXPLAIN_REJECTS, Choice, Question, Refused
from agent_lab_tui.graph.reading.impact import finish
from agent_lab_tui.graph.settings.file import Settings

BATCHED = {
    "action_requests": [
        {"name": "push", "args": {"branch": "main"}, "description": ""},
        {"name": "mail", "args": {"to": "ann"}, "description": ""},
    ],
    "review_configs": [
        {"action_name": "push", "allowed_decisions": ["approve", "reject"]},
        {"action_name": "mail", "allowed_decisions": ["approve", "edit", "reject"]},
    ],
}


def asks(value: Any, context: AskContext) -> Question:
    convention, why = recognise(value, None, context)
    operations = finish(convention.operations(value, None, context), context.settings)
    return Question("a" * 32, "review", ("review",), value, None, convention.name, why, operations, "d")


def with_templates(**templates: Any) -> AskContext:
    return AskContext(node="review", settings=Settings(answers={"*:review": templates}))


def test_choices_become_the_answer_of_the_convention() -> None:
    question = asks(BATCHED, AskContext(node="review"))
    made = reply(question, [Choice("approve"), Choice("reject", text="not ann")], AskContext(node="review"))
    assert made.answer == {"decisions": [{"type": "approve"}, {"type": "reject", "message": "not ann"}]}
    assert made.said() == [{"approve": {}}, {"reject": "not ann"}]
    assert made.note() == ""
    assert made.operations == ("push", "mail")


@pytest.mark.parametrize("reason", ["", "   ", "\n"])
def test_an_empty_reason_is_refused(reason: str) -> None:
    question = asks(BATCHED, AskContext(node="review"))
    choices = [Choice("reject", text=reason), Choice("approve")]
    with pytest.raises(Refused, match="reason"):
        reply(question, choices, AskContext(node="review"))


def test_a_reason_without_a_place_in_the_answer_is_kept_as_a_note() -> None:
    context = with_templates(approve=True, reject=False)
    made = reply(asks("deploy?", context), [Choice("reject", text="too late today")], context)
    assert made.answer is False
    assert made.note() == "too late today"


def test_a_reason_with_a_place_in_the_answer_is_no_note() -> None:
    context = with_templates(reject={"approved": False, "why": "{reason}"})
    made = reply(asks("deploy?", context), [Choice("reject", text="too late today")], context)
    assert made.answer == {"approved": False, "why": "too late today"}
    assert made.note() == ""


def test_a_value_is_sent_as_it_is() -> None:
    made = reply_with(asks("how many?", AskContext(node="review")), 0, AskContext(node="review"))
    assert made.answer == 0
    assert made.said() == {"value": 0}


def test_a_value_that_the_convention_cannot_read_is_refused() -> None:
    question = asks(BATCHED, AskContext(node="review"))
    with pytest.raises(Refused):
        reply_with(question, "yes", AskContext(node="review"))


def test_an_edit_into_another_operation_is_decided_about_both() -> None:
    question = asks(BATCHED, AskContext(node="review"))
    choices = [Choice("approve"), Choice("edit", {"to": "bob"}, name="push")]
    made = reply(question, choices, AskContext(node="review"))
    assert made.operations == ("push", "mail", "push")


@pytest.mark.parametrize(
    ("value", "answer"),
    [
        (
            BATCHED,
            {
                "decisions": [
                    {"type": "approve"},
                    {"type": "edit", "edited_action": {"name": "wipe", "args": {"to": "bob"}}},
                ]
            },
        ),
        (
            [{"action_request": {"action": "mail", "args": {"to": "ann"}}, "config": {"allow_edit": True}}],
            [{"type": "edit", "args": {"action": "wipe", "args": {"to": "bob"}}}],
        ),
    ],
)
def test_a_written_edit_into_another_operation_is_decided_about_both_and_is_odd(
    value: Any, answer: Any
) -> None:
    context = AskContext(node="review")
    made = reply_with(asks(value, context), answer, context)
    assert made.operations[-2:] == ("mail", "wipe")
    assert any("The edit runs wipe instead of mail" in odd for odd in made.warnings)


def test_an_answer_unlike_those_given_before_is_odd_and_may_be_sent() -> None:
    context = AskContext(node="review", answers_given=("yes", "no"))
    question = asks("deploy?", context)
    assert reply_with(question, "yes", context).warnings == ()
    (odd,) = reply_with(question, {"approved": True}, context).warnings
    assert odd.startswith("Unlike every earlier answer at this node")


def test_an_answer_made_by_the_configured_template_is_not_odd() -> None:
    settings = Settings(answers={"*:review": {"approve": {"approved": True}}})
    context = AskContext(node="review", settings=settings, answers_given=("yes", "no"))
    made = reply(asks("deploy?", context), [Choice("approve")], context)
    assert (made.answer, made.warnings) == ({"approved": True}, ())


def test_an_explanation_that_can_only_be_a_rejection_is_said_to_be_one() -> None:
    request = {"name": "mail", "args": {"to": "ann"}}
    config = {"action_name": "mail", "allowed_decisions": ["approve", "reject"]}
    value = {"action_requests": [request], "review_configs": [config]}
    context = AskContext(node="review")
    made = reply(asks(value, context), [Choice("explain", text="why ann?")], context)
    assert made.answer == {"decisions": [{"type": "reject", "message": "why ann?"}]}
    assert made.warnings == (EXPLAIN_REJECTS,)
    gate = asks({"action_requests": [{**request, "reason": "due"}], "review_configs": [config]}, context)
    assert reply(gate, [Choice("explain", text="why ann?")], context).warnings == (EXPLAIN_NOT_OFFERED,)
    known = {**config, "allowed_decisions": ["approve", "reject", "explain"]}
    question = asks({"action_requests": [request], "review_configs": [known]}, context)
    assert reply(question, [Choice("explain", text="why ann?")], context).warnings == ()
