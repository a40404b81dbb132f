"""An edit keeps what it does not touch, and a fork past a question is known for what it is."""

from __future__ import annotations

from typing import Any

import pytest

from agent_lab_tui.graph.questions import Operation, Question, Refused, Risk
from agent_lab_tui.graph.travelling.forking import (
    ForkPlan,
    ForkRequest,
    asked_again,
    dropped,
    edited,
    passed_by,
)
from agent_lab_tui.graph.travelling.timeline import Asked, Checkpoint
from agent_lab_tui.store.values import Ext, decode, to_json
from agent_lab_tui.tui.console.travel_records import plan_record
from agent_lab_tui.tui.travel_lines import plan_lines

EDGES = [
    ("__start__", "plan", False),
    ("plan", "gate", False),
    ("gate", "pay", True),
    ("gate", "__end__", True),
    ("pay", "__end__", False),
]


def question(node: str = "gate", risk: Risk = Risk.MEDIUM) -> Question:
    operation = Operation("pay", {"amount": 10}, risk=risk)
    return Question("q1", node, (node,), {}, None, "plain", "", (operation,), "d")


def at(*next_: str) -> Checkpoint:
    return Checkpoint("a", None, 1, "loop", None, next=next_)


def passes(
    checkpoint: Checkpoint, after: list[str], as_node: str | None, **more: Any
) -> list[tuple[str, bool]]:
    found = passed_by(
        checkpoint, more.get("questions", ()), after, as_node, more.get("asking", {"gate"}), EDGES
    )
    return [(one.node, one.question is not None) for one in found]


def test_an_edit_before_the_question_passes_nothing_by() -> None:
    assert passes(at("gate"), ["gate"], None, questions=[question()]) == []


def test_speaking_as_the_asking_node_passes_its_question_by() -> None:
    assert passes(at("gate"), ["pay"], "gate", questions=[question()]) == [("gate", True)]


def test_an_edit_that_turns_a_conditional_edge_away_from_the_question_passes_it_by() -> None:
    assert passes(at("gate"), ["pay"], None, questions=[question()]) == [("gate", True)]


def test_a_jump_over_the_asking_node_passes_it_by_though_it_has_not_asked_yet() -> None:
    assert passes(at("plan"), ["pay"], "gate") == [("gate", False)]
    assert passes(at("plan"), [], "pay") == [("gate", False)]


def test_speaking_as_one_of_several_nodes_drops_the_others() -> None:
    assert dropped(at("left", "right"), [], "left") == ("right",)
    assert dropped(at("left", "left"), ["join"], "left") == ()
    assert dropped(at("left", "right"), ["left", "right"], "plan") == ()
    assert dropped(at("left", "right"), ["left", "right"], None) == ()


def test_a_plan_says_which_nodes_it_drops() -> None:
    plan = ForkPlan(ForkRequest("a", as_node="left"), at("left", "right"), {}, (), (), dropped=("right",))
    (line,) = [line for line in plan_lines(plan) if line.label == "Drops"]
    assert line.text == "right: due in the same step; it does not run, or loses what it has stored"
    assert line.ink == "error"
    assert plan_record(plan)["dropped"] == ["right"]


def test_going_back_before_the_question_passes_nothing_by() -> None:
    assert passes(at("pay"), ["gate"], "plan") == []


def test_a_node_that_never_asked_is_nobodys_question() -> None:
    assert passes(at("plan"), ["gate"], "plan", asking=set()) == []


def test_the_gravest_operation_sets_the_risk() -> None:
    (found,) = passed_by(at("gate"), [question(risk=Risk.CRITICAL)], ["pay"], "gate", (), EDGES)
    assert found.risk is Risk.CRITICAL


def test_what_reads_as_before_keeps_its_stored_form() -> None:
    price = Ext(0, ["decimal", "Decimal", "10.00"])
    values = {"lines": [{"price": price, "count": 1}], "other": 2}
    shown = to_json(values)
    shown["lines"][0]["count"] = 5
    blobs = edited(values, ForkRequest("a", replace={"lines": shown["lines"]}))
    assert decode("msgpack", blobs["set"]) == {"lines": [{"price": price, "count": 5}]}


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        (ForkRequest("a", replace={"amuont": 1}), "Did you mean amount"),
        (ForkRequest("a", append={"nope": 1}), "nope is no key of the state, which has amount, log"),
        (ForkRequest("a", replace={"log": []}, append={"log": []}), "set and appended to at once"),
    ],
)
def test_an_edit_of_what_is_not_there_is_refused(request_: ForkRequest, reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        edited({"amount": 1}, request_, ["amount", "log"])


def test_a_state_without_keys_cannot_be_edited_by_key() -> None:
    with pytest.raises(Refused, match="one value without keys"):
        edited("essay", ForkRequest("a", replace={"x": 1}))


def test_answers_of_a_step_that_is_not_over_are_asked_for_again() -> None:
    asked = (Asked("1", "review", 1, True), Asked("2", "review", 2, False))
    open_step = Checkpoint("a", None, 1, "loop", None, waits=("review",), questions=asked)
    assert asked_again(open_step) == ("review",)
    assert asked_again(Checkpoint("a", None, 1, "loop", None, questions=asked)) == ()


@pytest.mark.parametrize("value", [2**64, [{"a": -(2**64)}], "half\ud800", {"half\udcff": 1}])
def test_what_no_checkpoint_holds_cannot_be_put_into_a_state(value: Any) -> None:
    for request in (ForkRequest("a", {"note": value}), ForkRequest("a", {}, {"note": value})):
        with pytest.raises(Refused, match=r"cannot be stored|half a character"):
            edited({"note": None}, request)
