"""Deciding on real threads: what is recorded, what is refused, who is told what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from langgraph.errors import NodeInterrupt
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt

from agent_lab_tui.graph.deciding.checks import Stale, before_sending
from agent_lab_tui.graph.deciding.desk_side import Deciding, Undecided
from agent_lab_tui.graph.questions import Choice, Refused
from agent_lab_tui.graph.reading.reader import Thread
from agent_lab_tui.graph.settings.file import Rule, Settings
from agent_lab_tui.store.journal.book import Journal, QuestionTaken
from agent_lab_tui.store.values import decode


def asking(name: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    def ask(state: dict[str, Any]) -> dict[str, Any]:
        interrupt(name)
        return {}

    return ask


def two_questions() -> StateGraph[Any]:
    builder = StateGraph(dict)
    for name in ("left", "right"):
        builder.add_node(name, asking(name))
        builder.add_edge(START, name)
    return builder


def yes(thread: Thread) -> dict[str, list[Choice]]:
    return {question.id: [Choice("approve")] for question in thread.questions}


def test_an_order_carries_everything_that_is_needed_to_send_it(bench: Any) -> None:
    bench.run({"amount": 10})
    thread = bench.thread()
    (question,) = thread.questions
    order = bench.operator("ann", "root").prepare(thread, yes(thread), delay=5)
    assert (order.kind, order.thread_id, order.checkpoint_id) == ("answer", "task-1", thread.checkpoint_id)
    assert order.digest == thread.digest
    assert order.digests == {question.id: question.digest}
    assert decode("msgpack", order.answers[question.id]) == "yes"
    assert order.choices == {question.id: [{"approve": {}}]}
    assert (order.by, order.os_user) == ("ann", "root")
    assert order.not_before > 0
    assert not bench.journal.path.exists()
    decision = bench.operator().record(order)
    assert bench.journal.open() == (decision,)
    before_sending(decision, bench.thread(), bench.settings)


def test_a_reject_reason_that_the_answer_cannot_carry_is_noted(bench: Any) -> None:
    bench.run({"amount": 10})
    thread = bench.thread()
    choices = {thread.questions[0].id: [Choice("reject", text="wrong customer")]}
    order = bench.operator().prepare(thread, choices)
    assert decode("msgpack", order.answers[thread.questions[0].id]) == "no"
    assert order.note == "wrong customer"


def test_an_empty_reason_is_refused_and_nothing_is_recorded(bench: Any) -> None:
    bench.run({"amount": 10})
    thread = bench.thread()
    with pytest.raises(Refused, match="reason"):
        bench.operator().prepare(thread, {thread.questions[0].id: [Choice("reject", text=" ")]})
    assert not bench.journal.path.exists()


def test_the_second_operator_is_told_who_decided_what_and_when(bench: Any) -> None:
    bench.run({"amount": 10})
    thread = bench.thread()
    first, second = bench.operator("ann").prepare(thread, yes(thread)), bench.operator("bob", "bob")
    late = second.prepare(thread, yes(thread))
    bench.operator("ann").record(first)
    with pytest.raises(QuestionTaken, match=r"ann approved this on .*; it has not started"):
        second.record(late)
    with pytest.raises(QuestionTaken, match="ann approved this"):
        second.prepare(bench.thread(), yes(thread))


def test_a_question_that_was_replaced_cannot_be_approved(bench: Any) -> None:
    bench.run({"amount": 10})
    seen = bench.thread()
    early = bench.operator().record(bench.operator().prepare(seen, yes(seen)))
    bench.run({"amount": 9999})
    with pytest.raises(Stale, match="no longer waiting; a different one is: transfer"):
        bench.operator().prepare(seen, yes(seen))
    with pytest.raises(Stale, match="no longer waiting; a different one is: transfer"):
        before_sending(early, bench.thread(), bench.settings)


def test_a_question_that_was_answered_elsewhere_is_no_longer_waiting(bench: Any) -> None:
    bench.run({"amount": 10})
    seen = bench.thread()
    early = bench.operator().record(bench.operator().prepare(seen, yes(seen)))
    bench.run(Command(resume={seen.questions[0].id: "no"}))
    with pytest.raises(Stale, match="no longer waiting: it is finished"):
        before_sending(early, bench.thread(), bench.settings)


def test_a_stored_answer_is_never_answered_over(bench: Any) -> None:
    bench.run({"amount": 10})
    seen = bench.thread()
    early = bench.operator().record(bench.operator().prepare(seen, yes(seen)))
    bench.run(Command(resume={seen.questions[0].id: "boom"}))
    with pytest.raises(Stale, match=r"stored already.*go-on.*ask-again"):
        before_sending(early, bench.thread(), bench.settings)
    with pytest.raises(Stale, match="stored already"):
        bench.operator("bob").prepare(bench.thread(), yes(seen))


def test_answering_one_of_two_leaves_the_other_decidable(bench: Any) -> None:
    bench.settings = Settings(answers={"*:*": {}, "*:left": {"approve": True}, "*:right": {"approve": True}})
    bench.run({"amount": 1}, two_questions)
    seen = bench.thread()
    left, right = seen.questions
    held = bench.operator().record(bench.operator().prepare(seen, {right.id: [Choice("approve")]}))
    bench.run(Command(resume={left.id: True}), two_questions)
    assert bench.thread().digest != seen.digest
    before_sending(held, bench.thread(), bench.settings)
    with pytest.raises(Stale, match="no longer waiting; a different one is"):
        bench.operator("bob").prepare(seen, {left.id: [Choice("approve")]})


def test_several_questions_go_into_one_order(bench: Any) -> None:
    bench.run({"amount": 1}, two_questions)
    seen = bench.thread()
    order = bench.operator().prepare(seen, values={one.id: one.value for one in seen.questions})
    assert set(order.questions) == {question.id for question in seen.questions}
    assert [decode("msgpack", order.answers[one.id]) for one in seen.questions] == ["left", "right"]


def test_a_rule_keeps_an_operation_for_its_people_and_the_refusal_is_written_down(bench: Any) -> None:
    bench.settings = replace(bench.settings, rules=(Rule("transfer", operators=("ann",)),))
    bench.run({"amount": 10})
    thread = bench.thread()
    with pytest.raises(Refused, match="only ann decide transfer, not mallory"):
        bench.operator("mallory", "mallory").prepare(thread, yes(thread))
    (written,) = bench.journal.decisions()
    assert (written.state, written.order.by) == ("refused", "mallory")
    bench.operator("ann").record(bench.operator("ann").prepare(thread, yes(thread)))


def test_a_question_asked_again_after_it_was_carried_out_needs_a_word(bench: Any) -> None:
    bench.run({"amount": 10})
    thread = bench.thread()
    decision = bench.operator("ann").record(bench.operator("ann").prepare(thread, yes(thread)))
    bench.ended(decision, "applied")
    with pytest.raises(Undecided, match=r"ann approved this on .* carried out, yet the database asks again"):
        bench.operator("bob").prepare(thread, yes(thread))
    order = bench.operator("bob").prepare(thread, yes(thread), again=True)
    assert order.options["knowing"] == [decision.decision_id]
    bench.operator("bob").record(order)


def test_an_answer_that_failed_without_being_stored_is_replaced_on_purpose_only(bench: Any) -> None:
    bench.run({"amount": 10})
    thread = bench.thread()
    failed = bench.operator().record(bench.operator().prepare(thread, yes(thread)))
    bench.ended(failed, "failed", error="TimeoutError: 30 s")
    with pytest.raises(Undecided, match="failed with TimeoutError: 30 s and no answer is stored"):
        bench.operator("bob").prepare(thread, yes(thread))
    second = bench.operator("bob").record(bench.operator("bob").prepare(thread, yes(thread), again=True))
    assert bench.journal.open() == (second,)


def test_the_past_cannot_be_answered(bench: Any) -> None:
    bench.run({"amount": 10})
    seen = bench.thread()
    with pytest.raises(Refused, match="past"):
        bench.operator().prepare(replace(seen, is_head=False), yes(seen))


def test_a_readonly_desk_decides_nothing(bench: Any) -> None:
    bench.run({"amount": 10})
    thread = bench.thread()
    looker = Deciding(bench.reader(), Journal(bench.path, is_readonly=True), bench.settings, "ann", "ann")
    for order in (lambda: looker.prepare(thread, yes(thread)), lambda: looker.go_on(thread)):
        with pytest.raises(Refused, match="read-only"):
            order()
    assert not bench.journal.path.exists()


@pytest.mark.filterwarnings("ignore:NodeInterrupt is deprecated")
def test_a_question_asked_in_the_old_way_takes_no_answer_but_goes_on(bench: Any) -> None:
    def stop(state: dict[str, Any]) -> dict[str, Any]:
        raise NodeInterrupt("edit me")

    def builder() -> StateGraph[Any]:
        graph = StateGraph(dict)
        graph.add_node("stop", stop)
        graph.add_edge(START, "stop")
        return graph

    bench.run({"amount": 1}, builder)
    thread = bench.thread()
    with pytest.raises(Refused, match="old way"):
        bench.operator().prepare(thread, values={thread.questions[0].id: "yes"})
    assert bench.operator().go_on(thread).kind == "go-on"


# Other roads


def test_going_on_is_refused_where_an_answer_is_waited_for(bench: Any) -> None:
    bench.run({"amount": 10})
    with pytest.raises(Refused, match="waits for an answer to transfer"):
        bench.operator().go_on(bench.thread())


def test_going_on_is_refused_where_nothing_is_left(bench: Any) -> None:
    bench.run({"amount": 10})
    bench.run(Command(resume={bench.thread().questions[0].id: "yes"}))
    for road in (bench.operator().go_on, lambda thread: bench.operator().abandon(thread, "old")):
        with pytest.raises(Refused, match="finished"):
            road(bench.thread())


def test_a_stuck_thread_can_try_again_or_ask_again(bench: Any) -> None:
    bench.run({"amount": 10})
    bench.run(Command(resume={bench.thread().questions[0].id: "boom"}))
    thread = bench.thread()
    assert bench.operator().go_on(thread).kind == "go-on"
    order = bench.operator().ask_again(thread)
    assert (order.kind, order.questions, order.digest) == ("ask-again", (), thread.digest)


def test_asking_again_needs_a_stored_answer(bench: Any) -> None:
    bench.run({"amount": 10})
    with pytest.raises(Refused, match="No answer is stored"):
        bench.operator().ask_again(bench.thread())


def test_two_operators_cannot_both_let_a_thread_go_on(bench: Any) -> None:
    bench.run({"amount": 10}, interrupt_before=["review"])
    thread = bench.thread()
    bench.operator("ann").record(bench.operator("ann").go_on(thread))
    with pytest.raises(QuestionTaken, match="ann let go on this"):
        bench.operator("bob").go_on(thread)


def test_a_breakpoint_is_stepped_over_by_its_node(bench: Any) -> None:
    bench.run({"amount": 10}, interrupt_before=["review"])
    order = bench.operator().skip(bench.thread())
    assert (order.kind, order.options) == ("skip", {"as_node": "review"})
    with pytest.raises(Refused, match="can be stepped over: review"):
        bench.operator().skip(bench.thread(), "pay")


def two_at_once(fails: str = "") -> Callable[[], StateGraph[Any]]:
    def node(name: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
        def run(state: dict[str, Any]) -> dict[str, Any]:
            if name == fails:
                raise ValueError("no line")
            return {}

        return run

    def build() -> StateGraph[Any]:
        builder = StateGraph(dict)
        for name in ("left", "right", "join"):
            builder.add_node(name, node(name))
        builder.add_edge(START, "left")
        builder.add_edge(START, "right")
        builder.add_edge(["left", "right"], "join")
        return builder

    return build


@pytest.mark.parametrize("node", [None, "left"])
def test_one_of_several_nodes_is_not_stepped_over_for_the_others_would_never_run(
    bench: Any, node: str | None
) -> None:
    bench.run({}, two_at_once(), interrupt_before=["left", "right", "join"])
    with pytest.raises(Refused, match=r"left, right belong to one step.* dropping the others"):
        bench.operator().skip(bench.thread(), node)
    assert not bench.journal.open()


def test_a_node_is_not_stepped_over_where_that_drops_what_another_has_stored(bench: Any) -> None:
    bench.run({}, two_at_once("left"), interrupt_after=["join"])
    assert set(bench.thread().next) <= {"left", "right"}
    with pytest.raises(Refused, match="left, right belong to one step"):
        bench.operator().skip(bench.thread(), "left")


def test_a_question_cannot_be_stepped_over_as_a_breakpoint(bench: Any) -> None:
    bench.run({"amount": 10})
    with pytest.raises(Refused, match="asks for transfer"):
        bench.operator().skip(bench.thread())


def test_a_rule_about_a_node_holds_at_its_breakpoint(bench: Any) -> None:
    bench.settings = Settings(rules=(Rule("review", operators=("ann",)),))
    bench.run({"amount": 10}, interrupt_before=["review"])
    with pytest.raises(Refused, match="only ann decide review"):
        bench.operator("bob", "bob").skip(bench.thread())


def test_ending_a_thread_needs_a_reason(bench: Any) -> None:
    bench.run({"amount": 10})
    with pytest.raises(Refused, match="reason"):
        bench.operator().abandon(bench.thread(), "  ")
    assert bench.operator().abandon(bench.thread(), "customer left").note == "customer left"


def test_a_road_is_closed_when_the_thread_moved_on_since_it_was_shown(bench: Any) -> None:
    bench.run({"amount": 10}, interrupt_before=["review"])
    seen = bench.thread()
    go_on = bench.operator().record(bench.operator().go_on(seen))
    bench.run(None)
    with pytest.raises(Stale, match="moved on since it was shown: it now asks: transfer"):
        before_sending(go_on, bench.thread(), bench.settings)
    with pytest.raises(Stale, match="moved on since it was shown"):
        bench.operator("bob").abandon(seen, "old")


def test_a_decision_that_has_not_started_is_withdrawn(bench: Any) -> None:
    bench.run({"amount": 10})
    thread = bench.thread()
    decision = bench.operator().record(bench.operator().prepare(thread, yes(thread)))
    assert bench.operator("bob").withdraw(decision, "asked the boss").state == "withdrawn"
    assert bench.journal.open() == ()
