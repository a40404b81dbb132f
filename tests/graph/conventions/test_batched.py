"""LangChain's batched form and the gate's: exact decisions, and refusals with their cause."""

from __future__ import annotations

from typing import Any

import pytest

from agent_lab_tui.graph.conventions import AskContext, named, recognise
from agent_lab_tui.graph.questions import Choice, Refused, Risk
from agent_lab_tui.graph.settings.file import Rule, Settings
from agent_lab_tui.store.values import Ext

CONTEXT = AskContext(node="HumanInTheLoopMiddleware.after_model")
BATCHED = named("batched")
ALL = ["approve", "edit", "reject", "respond"]


def request(name: str, args: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"name": name, "args": args, "description": f"about {name}", **more}


def asks(*requests: dict[str, Any], allowed: list[str] | None = None) -> dict[str, Any]:
    configs = [{"action_name": one["name"], "allowed_decisions": allowed or ALL} for one in requests]
    return {"action_requests": list(requests), "review_configs": configs}


DROP = asks(
    request("drop_index", {"index": "orders-2024", "cluster": "prod"}),
    allowed=["approve", "edit", "reject"],
)


def refusal(value: Any, answer: Any, context: AskContext = CONTEXT) -> str:
    with pytest.raises(Refused) as refused:
        BATCHED.check(value, None, answer, context)
    sentence = str(refused.value)
    assert sentence.endswith(".")
    return sentence


def test_a_count_that_does_not_fit_is_refused_with_both_numbers() -> None:
    assert refusal(DROP, {"decisions": []}) == "0 decisions for 1 action."


def test_a_missing_key_is_named() -> None:
    assert refusal(DROP, {"decision": "approve"}) == "Key `decisions` is missing from the answer."
    assert "must be an object" in refusal(DROP, "approve")


def test_a_decision_that_is_not_allowed_is_named() -> None:
    answer = {"decisions": [{"type": "respond", "message": "x"}]}
    assert refusal(DROP, answer) == "`respond` is not allowed here for drop_index: approve, edit, reject."


@pytest.mark.parametrize(
    ("decision", "cause"),
    [
        ("approve", "must be an object"),
        ({}, "no key `type`"),
        ({"type": 3}, "`3` is not allowed here"),
        ({"type": "reject"}, "without its reason"),
        ({"type": "reject", "message": "  "}, "without its reason"),
        (
            {"type": "reject", "feedback": "no"},
            "a key `feedback` that nobody reads; the words go under `message`",
        ),
        ({"type": "approve", "message": "ok"}, "a key `message` that nobody reads"),
        ({"type": "edit"}, "must hold exactly `name` and `args`"),
        ({"type": "edit", "edited_action": {"name": "drop_index"}}, "must hold exactly `name` and `args`"),
        ({"type": "edit", "edited_action": {"name": "", "args": {}}}, "must name a tool"),
        ({"type": "edit", "edited_action": {"name": "x", "args": []}}, "`args` must be an object"),
    ],
)
def test_a_decision_of_the_wrong_form_is_refused(decision: Any, cause: str) -> None:
    assert cause in refusal(DROP, {"decisions": [decision]})


def test_a_key_beside_decisions_is_refused() -> None:
    assert "key `note` that nobody reads" in refusal(DROP, {"decisions": [{"type": "approve"}], "note": 1})


def test_an_edit_is_sent_with_name_and_arguments() -> None:
    edit = Choice("edit", arguments={"index": "orders-2024", "cluster": "staging"})
    assert BATCHED.answer(DROP, None, [edit], CONTEXT) == {
        "decisions": [
            {
                "type": "edit",
                "edited_action": {
                    "name": "drop_index",
                    "args": {"index": "orders-2024", "cluster": "staging"},
                },
            }
        ]
    }


def test_a_reject_carries_its_reason() -> None:
    assert BATCHED.answer(DROP, None, [Choice("reject", text="not on a Friday")], CONTEXT) == {
        "decisions": [{"type": "reject", "message": "not on a Friday"}]
    }


@pytest.mark.parametrize("text", ["", "   ", "\n"])
def test_an_empty_reason_is_none(text: str) -> None:
    with pytest.raises(Refused, match="needs a reason"):
        BATCHED.answer(DROP, None, [Choice("reject", text=text)], CONTEXT)


def test_every_operation_needs_its_choice() -> None:
    two = asks(request("a", {}), request("b", {}))
    with pytest.raises(Refused, match=r"^1 choice for 2 operations: each needs one\.$"):
        BATCHED.answer(two, None, [Choice("approve")], CONTEXT)


def test_position_decides_which_review_config_belongs_to_a_request() -> None:
    value = asks(request("run", {"n": 1}), request("run", {"n": 2}))
    value["review_configs"] = [
        {"action_name": "run", "allowed_decisions": ["approve"]},
        {"action_name": "run", "allowed_decisions": ["reject"]},
    ]
    first, second = BATCHED.operations(value, None, CONTEXT)
    assert first.allowed == ("approve",)
    assert second.allowed == ("reject", "explain")
    answer = BATCHED.answer(value, None, [Choice("approve"), Choice("reject", text="no")], CONTEXT)
    assert answer == {"decisions": [{"type": "approve"}, {"type": "reject", "message": "no"}]}
    assert "not allowed here" in refusal(value, {"decisions": answer["decisions"][::-1]})


def test_one_config_for_several_requests_of_a_name_serves_them_all() -> None:
    value = asks(request("run", {"n": 1}), request("run", {"n": 2}))
    value["review_configs"] = value["review_configs"][:1]
    assert len(BATCHED.operations(value, None, CONTEXT)) == 2
    value["review_configs"] = [{"action_name": "other", "allowed_decisions": ALL}]
    assert BATCHED.recognise(value, None, CONTEXT) is None


def test_another_tool_needs_the_explicit_second_step() -> None:
    kept = Choice("edit", arguments={"index": "x", "cluster": "prod"})
    switched = Choice("edit", arguments={"path": "x"}, name="delete_file")
    assert (
        BATCHED.answer(DROP, None, [kept], CONTEXT)["decisions"][0]["edited_action"]["name"] == "drop_index"
    )
    answer = BATCHED.answer(DROP, None, [switched], CONTEXT)
    assert answer["decisions"][0]["edited_action"] == {"name": "delete_file", "args": {"path": "x"}}
    assert BATCHED.warnings(DROP, None, answer, CONTEXT) == (
        "The edit runs delete_file instead of drop_index.",
        "The edit adds `path`, which drop_index was not asked with.",
    )


def test_an_undeclared_argument_needs_the_explicit_second_step() -> None:
    arguments = {"index": "orders-2024", "cluster": "prod", "force": True}
    with pytest.raises(Refused, match="was not asked with `force`"):
        BATCHED.answer(DROP, None, [Choice("edit", arguments=arguments)], CONTEXT)
    answer = BATCHED.answer(DROP, None, [Choice("edit", arguments=arguments, name="drop_index")], CONTEXT)
    assert answer["decisions"][0]["edited_action"]["args"] == arguments


def test_an_edit_that_changes_nothing_sends_the_very_original() -> None:
    money = Ext(0, ["decimal", "Decimal", "12.50"])
    value = asks(request("pay", {"amount": money, "note": "a\x1b[2Jb", "n": 1.0}))
    as_shown = {"amount": "12.50", "note": "a\x1b[2Jb", "n": 1.0}
    for arguments in (value["action_requests"][0]["args"], as_shown):
        answer = BATCHED.answer(value, None, [Choice("edit", arguments=arguments)], CONTEXT)
        sent = answer["decisions"][0]["edited_action"]["args"]
        assert sent == value["action_requests"][0]["args"]
        assert isinstance(sent["n"], float)


def test_a_changed_part_leaves_the_others_in_their_types() -> None:
    money = Ext(0, ["decimal", "Decimal", "12.50"])
    value = asks(request("pay", {"amount": money, "to": "ann"}))
    edit = Choice("edit", arguments={"amount": "12.50", "to": "bob"})
    answer = BATCHED.answer(value, None, [edit], CONTEXT)
    assert answer["decisions"][0]["edited_action"]["args"] == {"amount": money, "to": "bob"}


def test_explain_is_a_reject_whose_reason_is_the_question_and_never_a_respond() -> None:
    value = asks(request("search", {}))
    answer = BATCHED.answer(value, None, [Choice("explain", text="why now?")], CONTEXT)
    assert answer == {"decisions": [{"type": "reject", "message": "why now?"}]}
    only_respond = asks(request("search", {}), allowed=["approve", "respond"])
    (operation,) = BATCHED.operations(only_respond, None, CONTEXT)
    assert "explain" not in operation.allowed


GATE = asks(
    request(
        "mail",
        {"to": "ann@example.com"},
        reason="She asked for it.",
        impact="Sends one mail.",
        risk="critical",
        key="run-7:4:1",
        draft="Dear Ann",
    ),
    allowed=["approve", "edit", "reject", "explain"],
)


def test_the_gates_form_fills_reason_impact_risk_and_key() -> None:
    convention, why = recognise(GATE, None, CONTEXT)
    (operation,) = convention.operations(GATE, None, CONTEXT)
    assert why == "the gate's form, because of action_requests with review_configs"
    assert (operation.reason, operation.reason_source) == ("She asked for it.", "request")
    assert (operation.impact, operation.impact_source) == ("Sends one mail.", "request")
    assert (operation.risk, operation.key) == (Risk.CRITICAL, "run-7:4:1")
    assert operation.rest == {"description": "about mail", "draft": "Dear Ann"}


def test_the_gate_has_an_explain_of_its_own() -> None:
    answer = BATCHED.answer(GATE, None, [Choice("explain", text="which Ann?")], CONTEXT)
    assert answer == {"decisions": [{"type": "explain", "message": "which Ann?"}]}


def test_the_gates_form_lets_no_edit_switch_the_operation() -> None:
    with pytest.raises(Refused, match="turns mail into send_sms"):
        BATCHED.answer(GATE, None, [Choice("edit", arguments={}, name="send_sms")], CONTEXT)


def test_an_edit_is_held_against_the_authors_schema() -> None:
    value = asks(request("pay", {"amount": 5}))
    value["review_configs"][0]["args_schema"] = {
        "type": "object",
        "properties": {"amount": {"type": "integer", "maximum": 100}, "note": {"type": "string"}},
    }
    with pytest.raises(Refused, match="`amount` must be at most 100, not 500"):
        BATCHED.answer(value, None, [Choice("edit", arguments={"amount": 500})], CONTEXT)
    declared = Choice("edit", arguments={"amount": 7, "note": "n"})
    answer = BATCHED.answer(value, None, [declared], CONTEXT)
    assert answer["decisions"][0]["edited_action"]["args"] == {"amount": 7, "note": "n"}


def test_nothing_of_the_value_is_hidden() -> None:
    value = asks(request("run", {"a": 1}, risk="enormous", reason=["odd"]))
    value["problem"] = "The last answer did not fit."
    value["review_configs"][0]["quota"] = 3
    (operation,) = BATCHED.operations(value, None, CONTEXT)
    assert operation.risk is Risk.MEDIUM
    assert operation.rest == {
        "problem": "The last answer did not fit.",
        "review_config": {"quota": 3},
        "description": "about run",
        "risk": "enormous",
        "reason": ["odd"],
    }


def test_a_locked_argument_cannot_be_edited_nor_lost_nor_walked_around() -> None:
    context = AskContext(settings=Settings(rules=(Rule("drop_*", locked=("cluster",)),)))
    fine = Choice("edit", arguments={"index": "other", "cluster": "prod"})
    assert BATCHED.answer(DROP, None, [fine], context)
    for choice in (
        Choice("edit", arguments={"index": "orders-2024", "cluster": "staging"}),
        Choice("edit", arguments={"index": "orders-2024"}),
        Choice("edit", arguments={"cluster": "staging"}, name="drop_any"),
    ):
        with pytest.raises(Refused, match=r"A rule locks|`cluster` is missing"):
            BATCHED.answer(DROP, None, [choice], context)
    action = {"name": "drop_index", "args": {"index": "orders-2024", "cluster": "staging"}}
    typed = {"decisions": [{"type": "edit", "edited_action": action}]}
    assert "A rule locks the argument `cluster`" in refusal(DROP, typed, context)


def test_an_argument_left_out_of_an_edit_is_said_to_be_missing_locked_or_not() -> None:
    context = AskContext(settings=Settings(rules=(Rule("drop_*", locked=("cluster",)),)))
    left_out = Choice("edit", arguments={"index": "orders-2024"})
    for ask in (AskContext(), context):
        with pytest.raises(Refused, match=r"^`cluster` is missing: an edit replaces all arguments") as caught:
            BATCHED.answer(DROP, None, [left_out], ask)
        assert '[{"edit": {"arguments": {"index": "orders-2024"}, "name": "drop_index"}}]' in str(
            caught.value
        )
    named = Choice("edit", arguments={"index": "orders-2024"}, name="drop_index")
    with pytest.raises(Refused, match="`cluster` of drop_index is missing, and a rule locks it"):
        BATCHED.answer(DROP, None, [named], context)
    answer = BATCHED.answer(DROP, None, [named], AskContext())
    assert answer["decisions"][0]["edited_action"]["args"] == {"index": "orders-2024"}


def test_the_reason_is_what_the_model_wrote_beside_the_call() -> None:
    calls = [
        {"name": "drop_index", "args": {"index": "other"}, "id": "call-0"},
        {"name": "drop_index", "args": {"index": "orders-2024", "cluster": "prod"}, "id": "call-1"},
    ]
    said = Ext(
        5, ["langchain_core.messages.ai", "AIMessage", {"type": "ai", "content": "Old.", "tool_calls": calls}]
    )
    (operation,) = BATCHED.operations(DROP, None, AskContext(messages=[said]))
    assert (operation.reason, operation.reason_source) == ("Old.", "message")
    assert operation.tool_call_id == "call-1"


@pytest.mark.parametrize(
    "value",
    [
        {"action_requests": [], "review_configs": []},
        {
            "action_requests": [{"name": "x"}],
            "review_configs": [{"action_name": "x", "allowed_decisions": []}],
        },
        {"action_requests": [{"name": "x", "args": {}}]},
        {"action_requests": {"name": "x"}, "review_configs": []},
        [],
        "text",
    ],
)
def test_other_values_are_left_to_other_conventions(value: Any) -> None:
    assert BATCHED.recognise(value, None, CONTEXT) is None
