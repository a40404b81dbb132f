"""The Agent Inbox protocol, in a list and bare."""

from __future__ import annotations

from typing import Any

import pytest

from agent_lab_tui.graph.conventions import AskContext, named
from agent_lab_tui.graph.questions import Choice, Refused
from agent_lab_tui.graph.settings.file import Rule, Settings

CONTEXT = AskContext(node="review")
INBOX = named("agent-inbox")
ARGS = {"to": "bob@example.com", "amount": 7, "urgent": False}


def asks(**switches: bool) -> dict[str, Any]:
    allowed = {"allow_ignore": True, "allow_respond": True, "allow_edit": True, "allow_accept": True}
    return {
        "action_request": {"action": "send_email", "args": ARGS},
        "config": {**allowed, **switches},
        "description": "The customer is **30 days** overdue.",
    }


CHOICES = [
    (Choice("approve"), {"type": "accept", "args": None}),
    (
        Choice("edit", arguments={**ARGS, "amount": 8}),
        {"type": "edit", "args": {"action": "send_email", "args": {**ARGS, "amount": 8}}},
    ),
    (Choice("respond", text="be kinder"), {"type": "response", "args": "be kinder"}),
    (Choice("reject", text="no"), {"type": "ignore", "args": None}),
    (Choice("explain", text="why?"), {"type": "response", "args": "why?"}),
]


@pytest.mark.parametrize(("choice", "response"), CHOICES)
def test_the_answer_is_a_list_exactly_if_the_question_is_one(choice: Choice, response: Any) -> None:
    assert INBOX.answer(asks(), None, [choice], CONTEXT) == response
    assert INBOX.answer([asks()], None, [choice], CONTEXT) == [response]


def test_the_wrong_wrapping_is_refused() -> None:
    accept = {"type": "accept", "args": None}
    with pytest.raises(Refused, match="must be a list too"):
        INBOX.check([asks()], None, accept, CONTEXT)
    with pytest.raises(Refused, match="not a list"):
        INBOX.check(asks(), None, [accept], CONTEXT)
    with pytest.raises(Refused, match=r"^2 responses for 1 action\.$"):
        INBOX.check([asks()], None, [accept, accept], CONTEXT)


def test_a_reject_becomes_a_response_where_ignoring_is_not_allowed() -> None:
    answer = INBOX.answer(asks(allow_ignore=False), None, [Choice("reject", text="no")], CONTEXT)
    assert answer == {"type": "response", "args": "no"}


def test_without_ignore_and_respond_nothing_can_be_rejected() -> None:
    value = asks(allow_ignore=False, allow_respond=False)
    (operation,) = INBOX.operations(value, None, CONTEXT)
    assert operation.allowed == ("approve", "edit")
    with pytest.raises(Refused, match="`reject` is not allowed here for send_email: approve, edit"):
        INBOX.answer(value, None, [Choice("reject", text="no")], CONTEXT)


def test_a_reason_is_needed_even_where_it_stays_in_the_journal() -> None:
    with pytest.raises(Refused, match="needs a reason"):
        INBOX.answer(asks(), None, [Choice("reject")], CONTEXT)


@pytest.mark.parametrize(
    ("response", "cause"),
    [
        ("accept", "exactly the keys `type` and `args`"),
        ({"type": "accept"}, "exactly the keys `type` and `args`"),
        ({"type": "approve", "args": None}, "`approve` is not allowed here"),
        ({"type": "accept", "args": "yes"}, "must be null"),
        ({"type": "response", "args": " "}, "must carry its text"),
        ({"type": "response", "args": {"a": 1}}, "must carry its text"),
        ({"type": "edit", "args": {"to": "x"}}, "must carry exactly `action` and `args`"),
        ({"type": "edit", "args": {"action": "", "args": {}}}, "must name an action"),
        ({"type": "edit", "args": {"action": "send_email", "args": "x"}}, "must stay an object"),
    ],
)
def test_a_response_of_the_wrong_form_is_refused(response: Any, cause: str) -> None:
    with pytest.raises(Refused) as refused:
        INBOX.check(asks(), None, response, CONTEXT)
    assert cause in str(refused.value)


def test_an_accept_may_repeat_the_request_as_the_inbox_does() -> None:
    INBOX.check(asks(), None, {"type": "accept", "args": {"action": "send_email", "args": ARGS}}, CONTEXT)


def test_the_description_is_the_reason_and_the_rest_is_kept() -> None:
    value = {**asks(), "ticket": 7}
    (operation,) = INBOX.operations(value, None, CONTEXT)
    assert operation.reason == "The customer is **30 days** overdue."
    assert operation.rest == {"ticket": 7}
    assert operation.arguments == ARGS


def test_a_list_of_two_takes_two_responses_in_order() -> None:
    value = [asks(), asks(allow_accept=False)]
    choices = [Choice("approve"), Choice("respond", text="later")]
    answer = INBOX.answer(value, None, choices, CONTEXT)
    assert [one["type"] for one in answer] == ["accept", "response"]


def test_another_action_needs_the_explicit_second_step_and_is_warned_of() -> None:
    answer = INBOX.answer(asks(), None, [Choice("edit", arguments={"n": 1}, name="send_sms")], CONTEXT)
    assert answer["args"] == {"action": "send_sms", "args": {"n": 1}}
    assert INBOX.warnings(asks(), None, answer, CONTEXT) == ("The edit runs send_sms instead of send_email.",)
    with pytest.raises(Refused, match="was not asked with `n`"):
        INBOX.answer(asks(), None, [Choice("edit", arguments={**ARGS, "n": 1})], CONTEXT)


def test_locked_arguments_hold_in_typed_answers_too() -> None:
    context = AskContext(settings=Settings(rules=(Rule("send_*", locked=("to",)),)))
    edit = {"type": "edit", "args": {"action": "send_email", "args": {**ARGS, "to": "eve@example.com"}}}
    with pytest.raises(Refused, match="A rule locks the argument `to`"):
        INBOX.check(asks(), None, edit, context)


@pytest.mark.parametrize("value", [[], [1], {"action_request": {"action": "x"}, "config": {}}, "x", None])
def test_other_values_are_left_to_other_conventions(value: Any) -> None:
    assert INBOX.recognise(value, None, CONTEXT) is None
