"""Plain questions: read by the usual keys, answered by forms from the settings or from earlier answers."""

from __future__ import annotations

from typing import Any

import pytest

from agent_lab_tui.graph.conventions import AskContext, named, recognise
from agent_lab_tui.graph.conventions.base import same
from agent_lab_tui.graph.conventions.proposals import proposals
from agent_lab_tui.graph.questions import Choice, Operation, Refused, Risk
from agent_lab_tui.graph.settings.file import Rule, Settings
from agent_lab_tui.store.values import Ext, Unreadable

PLAIN = named("plain")
REFUND = {
    "type": "approval",
    "action": "refund",
    "args": {"order": "A-1001", "amount": 120.0},
    "hint": "approved: true|false",
}


def context(*given: Any, rules: tuple[Rule, ...] = (), **templates: Any) -> AskContext:
    answers = {"agent:gate": templates} if templates else {}
    settings = Settings(answers=answers, rules=rules)
    return AskContext(node="gate", graph="agent", settings=settings, answers_given=given)


def read(value: Any, ask: AskContext | None = None) -> Operation:
    (operation,) = PLAIN.operations(value, None, ask or context())
    return operation


# Reading


def test_the_usual_keys_fill_the_operation_and_the_rest_is_shown() -> None:
    operation = read(REFUND)
    assert (operation.name, operation.arguments) == ("refund", {"order": "A-1001", "amount": 120.0})
    assert operation.rest == {"type": "approval", "hint": "approved: true|false"}


def test_operation_arguments_reason_and_scope_are_found() -> None:
    operation = read(
        {"operation": "sign", "arguments": {"n": 1}, "reason": "legal must agree", "scope": "contract C-9"}
    )
    assert (operation.name, operation.arguments) == ("sign", {"n": 1})
    assert (operation.reason, operation.reason_source) == ("legal must agree", "request")
    assert (operation.impact, operation.impact_source) == ("contract C-9", "request")
    assert operation.rest == {}


def test_without_an_argument_key_what_is_left_are_the_arguments() -> None:
    operation = read(
        {"kind": "report_approval", "operation_id": "op-1", "preview": "text", "question": "write?"}
    )
    assert (operation.name, operation.key) == ("report_approval", "op-1")
    assert operation.arguments == {"preview": "text", "question": "write?"}


def test_a_kind_that_only_says_that_it_asks_gives_way_to_the_question() -> None:
    assert read({"type": "approval", "question": "apply?", "patch": "p"}).name == "apply?"
    assert read({"type": "approval", "patch": "p"}).name == "approval"
    assert read({"type": "wipe_disk", "question": "sure?"}).name == "wipe_disk"


def test_a_payload_without_usual_keys_is_named_after_its_node() -> None:
    operation = read({"fetch": "https://example.com/a"})
    assert (operation.name, operation.arguments) == ("gate", {"fetch": "https://example.com/a"})


def test_a_short_text_is_its_own_name_and_a_long_one_is_shown_whole() -> None:
    assert (read("Which environment?").name, read("Which environment?").arguments) == (
        "Which environment?",
        None,
    )
    long = "Publish this draft?\n\nThree facts about otters."
    assert (read(long).name, read(long).arguments) == ("Publish this draft?", long)
    endless = "x" * 5000
    assert len(read(endless).name) <= 120
    assert read(endless).arguments == endless


@pytest.mark.parametrize("value", [None, False, 0, "", [], {}, 3.5, ["a"], {"a" * 32: 1}, b"raw"])
def test_any_value_is_a_question(value: Any) -> None:
    convention, why = recognise(value, None, context())
    assert convention is PLAIN
    assert why == "plain, because it has no known form"
    operation = read(value)
    assert operation.name == "gate"
    assert operation.arguments == value or operation.arguments is value


def test_objects_of_the_graphs_own_are_read_by_their_fields_and_kept_raw() -> None:
    high = Ext(0, ["graph", "Risk", "high"])
    step = Ext(2, ["graph", "Step", {"by": 1}])
    operation = read({"move": [step], "risk": high})
    assert operation.risk is Risk.HIGH
    assert operation.arguments == {"move": [step]}
    ticket = Ext(5, ["graph", "Ask", {"operation": "close", "args": {"ticket": step}}, "model_validate_json"])
    assert (read(ticket).name, read(ticket).arguments) == ("close", {"ticket": step})


def test_a_risk_in_other_words_is_shown_and_counts_for_nothing() -> None:
    operation = read({"action": "x", "args": {}, "risk": "enormous"})
    assert operation.risk is Risk.MEDIUM
    assert operation.rest == {"risk": "enormous"}


def test_a_payload_that_claims_to_be_approved_is_not() -> None:
    operation = read({"action": "pay", "approved": True})
    assert operation.arguments == {"approved": True}
    assert operation.allowed == ()


# What can be answered


def test_without_a_known_form_only_a_typed_value_can_be_sent() -> None:
    assert read(REFUND).allowed == ()
    with pytest.raises(Refused, match="only a typed value can be sent"):
        PLAIN.answer(REFUND, None, [Choice("approve")], context())


@pytest.mark.parametrize("answer", [None, False, 0, "", [], {}, {"a": [1, 2.5]}, {"0" * 32: 1}, "yes", True])
def test_any_value_passes_the_check(answer: Any) -> None:
    PLAIN.check(REFUND, None, answer, context())


def test_a_value_that_is_no_json_passes_unharmed() -> None:
    PLAIN.check(REFUND, None, {"when": Ext(1, ["datetime", "date", [2026, 1, 31]])}, context())


def test_what_cannot_be_stored_is_refused() -> None:
    for answer in ({"n": 2**70}, Unreadable("encrypted")):
        with pytest.raises(Refused):
            PLAIN.check(REFUND, None, answer, context())


@pytest.mark.parametrize("answer", [None, {}, {"0123456789abcdef" * 2: True}])
def test_a_question_that_takes_only_the_plain_form_refuses_what_that_form_misreads(answer: Any) -> None:
    with pytest.raises(Refused, match="plain form"):
        PLAIN.check("go?", None, answer, AskContext(node="gate", plain_only=True))


# Forms from the settings

TEMPLATES = {
    "approve": {"approved": True},
    "reject": {"approved": False, "reason": "{reason}"},
    "edit": {
        "approved": True,
        "amount": "{arguments.amount}",
        "note": "{arguments.order}: {arguments.amount}",
    },
    "respond": "{message}",
}


@pytest.mark.parametrize(
    ("choice", "answer"),
    [
        (Choice("approve"), {"approved": True}),
        (Choice("reject", text="no receipt"), {"approved": False, "reason": "no receipt"}),
        (Choice("explain", text="which order?"), {"approved": False, "reason": "which order?"}),
        (
            Choice("edit", arguments={"order": "A-1001", "amount": 40.0}),
            {"approved": True, "amount": 40.0, "note": "A-1001: 40.0"},
        ),
        (Choice("respond", text="ask Ann"), "ask Ann"),
    ],
)
def test_a_template_is_filled_in_and_keeps_types(choice: Choice, answer: Any) -> None:
    ask = context(**TEMPLATES)
    assert read(REFUND, ask).allowed == ("approve", "edit", "reject", "respond", "explain")
    built = PLAIN.answer(REFUND, None, [choice], ask)
    assert built == answer
    assert isinstance(built, dict) is isinstance(answer, dict)


def test_a_template_hands_over_objects_as_they_are() -> None:
    money = Ext(0, ["decimal", "Decimal", "12.50"])
    value = {"action": "pay", "args": {"amount": money, "to": ["ann", "bob"]}}
    ask = context(approve={"pay": "{arguments.amount}", "all": "{arguments}", "first": "{arguments.to.0}"})
    answer = PLAIN.answer(value, None, [Choice("approve")], ask)
    assert answer == {"pay": money, "all": value["args"], "first": "ann"}


def test_null_and_words_that_are_no_gap_can_be_written() -> None:
    ask = context(approve={"args": "{null}", "text": "{hello} {reason"})
    assert PLAIN.answer("go?", None, [Choice("approve")], ask) == {"args": None, "text": "{hello} {reason"}


def test_a_template_that_names_a_missing_argument_is_refused() -> None:
    with pytest.raises(Refused, match=r"names \{arguments\.price\}, which this operation has not"):
        PLAIN.answer(REFUND, None, [Choice("approve")], context(approve={"n": "{arguments.price}"}))


def test_an_edit_that_the_form_would_lose_is_refused() -> None:
    ask = context(edit={"approved": True, "amount": "{arguments.amount}"})
    with pytest.raises(Refused, match="no place for `order`"):
        PLAIN.answer(REFUND, None, [Choice("edit", arguments={"order": "B-2", "amount": 120.0})], ask)


def test_a_form_that_would_lose_the_operators_words_is_not_offered() -> None:
    ask = context(approve="{reason}", edit={"approved": True}, respond="noted", reject=False)
    assert read(REFUND, ask).allowed == ("reject",)


def test_an_edit_of_nothing_sends_the_original_parts() -> None:
    ask = context(edit="{arguments}")
    assert PLAIN.answer(REFUND, None, [Choice("edit", arguments=REFUND["args"])], ask) == REFUND["args"]
    as_int = Choice("edit", arguments={"order": "A-1001", "amount": 120})
    sent = PLAIN.answer(REFUND, None, [as_int], ask)
    assert isinstance(sent["amount"], float)


def test_an_edit_keeps_locks_and_cannot_become_another_operation() -> None:
    ask = context(rules=(Rule("refund", locked=("order",)),), edit="{arguments}")
    with pytest.raises(Refused, match="A rule locks the argument `order`"):
        PLAIN.answer(REFUND, None, [Choice("edit", arguments={"order": "B", "amount": 120.0})], ask)
    with pytest.raises(Refused, match="cannot turn it into pay"):
        PLAIN.answer(REFUND, None, [Choice("edit", arguments=REFUND["args"], name="pay")], ask)


def test_the_form_is_looked_up_by_graph_and_node() -> None:
    settings = Settings(answers={"other:gate": {"approve": 1}, "*:gate": {"approve": "yes"}})
    ask = AskContext(node="gate", graph="agent", settings=settings)
    assert PLAIN.answer("go?", None, [Choice("approve")], ask) == "yes"


# Forms from earlier answers


@pytest.mark.parametrize("earlier", [True, "yes", "approve", {"approved": True}, {"decision": "approve"}])
def test_an_earlier_yes_is_said_again_exactly(earlier: Any) -> None:
    ask = context(earlier)
    assert read("go?", ask).allowed == ("approve",)
    assert same(PLAIN.answer("go?", None, [Choice("approve")], ask), earlier)


@pytest.mark.parametrize(
    ("earlier", "answer"),
    [
        (False, False),
        ("no", "no"),
        ({"approved": False}, {"approved": False}),
        ({"approved": False, "reason": "no receipt"}, {"approved": False, "reason": "too much"}),
        ({"type": "reject", "message": None}, {"type": "reject", "message": "too much"}),
    ],
)
def test_an_earlier_no_is_said_again_with_the_new_reason(earlier: Any, answer: Any) -> None:
    built = PLAIN.answer("go?", None, [Choice("reject", text="too much")], context(earlier))
    assert built == answer


@pytest.mark.parametrize(
    "earlier",
    [
        {"approved": True, "amount": 40.0},
        {"approved": True, "note": "as agreed"},
        40,
        "DEPLOY",
        {"a": {}},
        [],
        None,
    ],
)
def test_what_an_earlier_answer_said_of_its_own_case_is_never_said_again(earlier: Any) -> None:
    assert read("go?", context(earlier)).allowed == ()


def test_an_earlier_answer_with_braces_is_taken_literally() -> None:
    ask = context({"approved": False, "why": "{arguments.x}"})
    assert PLAIN.answer("go?", None, [Choice("reject", text="{reason}")], ask) == {
        "approved": False,
        "why": "{reason}",
    }


def test_settings_win_over_earlier_answers() -> None:
    ask = context("yes", approve={"approved": True})
    assert PLAIN.answer("go?", None, [Choice("approve")], ask) == {"approved": True}


def test_an_answer_unlike_all_earlier_ones_is_warned_of() -> None:
    ask = context({"approved": True}, {"approved": False})
    assert PLAIN.warnings("go?", None, {"approved": False}, ask) == ()
    for answer in ("yes", True, {"approved": "true"}, {"approved": 1}, {"approved": True, "x": 1}):
        (warning,) = PLAIN.warnings("go?", None, answer, ask)
        assert warning.startswith("Unlike every earlier answer at this node")
        assert "an object with `approved` (true or false)" in warning
    assert PLAIN.warnings("go?", None, "yes", context()) == ()
    assert PLAIN.warnings("go?", None, {"approved": True}, context({"approved": False, "why": "late"})) == ()


def test_proposals_are_the_earlier_answers_then_the_listed_options() -> None:
    value = {"question": "maintenance window?", "options": ["day", "night", "yes"]}
    found = proposals(value, context("night", "never", "night"))
    assert [(one.value, one.source, one.tone) for one in found] == [
        ("night", "answered before, 2 times", None),
        ("never", "answered before", None),
        ("day", "listed in the question", None),
        ("yes", "listed in the question", "approve"),
    ]


def test_true_and_one_are_different_proposals() -> None:
    assert [one.value for one in proposals("go?", context(True, 1, 1.0))] == [True, 1, 1.0]
