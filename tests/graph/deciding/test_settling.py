"""What nobody saw end is settled by evidence in the database, and nothing is sent again by itself."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

import pytest
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt

from agent_lab_tui.graph.questions import Refused
from agent_lab_tui.store.effects import Effects
from agent_lab_tui.store.journal.book import Decision, Journal


def crashed(bench: Any) -> Decision:
    """A yes whose process died while it ran."""
    decision: Decision = bench.decided()
    token = bench.started(decision)
    bench.journal.leases.release("task-1", token)
    return decision


def settled(bench: Any, decision: Decision) -> tuple[str, str, tuple[str, ...]]:
    settlement = bench.operator().settle(bench.journal.decision(decision.decision_id))
    written = bench.journal.decision(decision.decision_id)
    assert settlement.decision == written
    return written.state, settlement.evidence, settlement.offers


def answer(bench: Any, said: str) -> None:
    bench.run(Command(resume={bench.thread().questions[0].id: said}))


def test_what_never_started_is_offered_with_its_age(bench: Any) -> None:
    bench.run({"amount": 10})
    state, evidence, offers = settled(bench, bench.decided())
    assert state == "recorded"
    assert evidence == "recorded 0 s ago by ann, never started"
    assert offers == ("send", "withdraw")


def test_what_never_started_and_fits_no_more_is_stale(bench: Any) -> None:
    bench.run({"amount": 10})
    decision = bench.decided()
    bench.run({"amount": 9999})
    state, evidence, offers = settled(bench, decision)
    assert (state, offers) == ("stale", ())
    assert "a different one is: transfer" in evidence


def test_what_a_live_process_runs_is_left_alone(bench: Any) -> None:
    bench.run({"amount": 10})
    decision = bench.decided()
    bench.started(decision)
    assert settled(bench, decision) == ("running", "it is being carried out", ())


def test_a_gone_question_and_a_moved_head_mean_applied(bench: Any) -> None:
    bench.run({"amount": 10})
    decision = crashed(bench)
    answer(bench, "yes")
    state, evidence, offers = settled(bench, decision)
    assert (state, offers) == ("applied", ())
    assert "finished" in evidence
    assert [event.kind for event in bench.journal.events()] == ["recorded", "running", "unknown", "applied"]


def test_a_finished_task_under_an_old_head_means_applied_and_go_on(bench: Any) -> None:
    bench.run({"amount": 10})
    decision = crashed(bench)
    head = decision.order.checkpoint_id
    answer(bench, "yes")
    with closing(sqlite3.connect(bench.path)) as conn:
        conn.execute("DELETE FROM checkpoints WHERE checkpoint_id > ?", (head,))
        conn.execute("DELETE FROM writes WHERE checkpoint_id > ?", (head,))
        conn.commit()
    assert bench.thread().checkpoint_id == head
    state, _, offers = settled(bench, decision)
    assert (state, offers) == ("applied", ("go-on",))
    assert bench.operator().go_on(bench.thread()).kind == "go-on"


def test_a_stored_answer_means_failed_and_two_ways_on(bench: Any) -> None:
    bench.run({"amount": 10})
    decision = crashed(bench)
    answer(bench, "boom")
    state, evidence, offers = settled(bench, decision)
    assert (state, offers) == ("failed", ("go-on", "ask-again"))
    assert "the bank is closed" in evidence


def test_started_pending_and_nothing_stored_is_for_the_operator(bench: Any) -> None:
    bench.run({"amount": 10})
    decision = crashed(bench)
    state, evidence, offers = settled(bench, decision)
    assert (state, offers) == ("unknown", ("send-again", "drop"))
    assert "outside world" in evidence
    assert settled(bench, decision) == (state, evidence, offers)


def test_the_ledger_is_asked_about_the_keys_of_what_is_not_known(bench: Any) -> None:
    def builder() -> StateGraph[Any]:
        def ask(state: dict[str, Any]) -> dict[str, Any]:
            call = {"name": "pay", "args": {"amount": 7}, "key": "task-1:pay", "reason": "invoice"}
            review = {"action_name": "pay", "allowed_decisions": ["approve", "reject"]}
            interrupt({"action_requests": [call], "review_configs": [review]})
            return {}

        graph = StateGraph(dict)
        graph.add_node("review", ask)
        graph.add_edge(START, "review")
        return graph

    bench.run({"amount": 10}, builder)
    decision = crashed(bench)
    assert "the ledger has nothing under task-1:pay" in settled(bench, decision)[1]
    ledger = Effects(bench.journal.path)
    ledger.begin("task-1:pay", "pay", {"amount": 7})
    assert "the ledger says of task-1:pay: begun and not ended" in settled(bench, decision)[1]
    ledger.finish(ledger.find("task-1:pay"), {"paid": 7})
    assert "the ledger says of task-1:pay: done at" in settled(bench, decision)[1]


def test_a_question_replaced_before_it_was_answered_means_stale(bench: Any) -> None:
    bench.run({"amount": 10})
    decision = crashed(bench)
    bench.run({"amount": 9999})
    state, evidence, offers = settled(bench, decision)
    assert (state, offers) == ("stale", ())
    assert "taken elsewhere before the answer took effect" in evidence


def test_without_the_checkpoint_that_asked_it_stays_unknown(bench: Any) -> None:
    bench.run({"amount": 10})
    decision = crashed(bench)
    answer(bench, "yes")
    with closing(sqlite3.connect(bench.path)) as conn:
        conn.execute("DELETE FROM checkpoints WHERE checkpoint_id = ?", (decision.order.checkpoint_id,))
        conn.commit()
    assert settled(bench, decision)[::2] == ("unknown", ("drop",))


def test_a_node_that_went_on_to_its_next_question_has_taken_the_answer(bench: Any) -> None:
    def twice(state: dict[str, Any]) -> dict[str, Any]:
        interrupt("first?")
        interrupt("second?")
        return {}

    def builder() -> StateGraph[Any]:
        graph = StateGraph(dict)
        graph.add_node("review", twice)
        graph.add_edge(START, "review")
        return graph

    bench.run({"amount": 10}, builder)
    first = bench.thread().questions[0].id
    decision = crashed(bench)
    bench.run(Command(resume={first: "yes"}), builder)
    assert bench.thread().checkpoint_id == decision.order.checkpoint_id
    assert settled(bench, decision)[::2] == ("applied", ())
    second = crashed(bench)
    bench.run(Command(resume={bench.thread().questions[0].id: "yes"}), builder)
    assert settled(bench, second)[::2] == ("applied", ())


def test_a_failed_answer_that_a_retry_has_used_is_applied(bench: Any) -> None:
    bench.run({"amount": 10})
    decision = bench.decided()
    answer(bench, "boom")
    bench.ended(decision, "failed", error="ValueError('the bank is closed')")
    assert settled(bench, decision)[::2] == ("failed", ("go-on", "ask-again"))
    with closing(sqlite3.connect(bench.path)) as conn:
        conn.execute("UPDATE writes SET value = ? WHERE channel = '__resume__'", (b"\x91\xa3yes",))
        conn.commit()
    bench.run(None)
    assert settled(bench, decision)[::2] == ("applied", ())
    assert bench.journal.open() == ()


def test_looking_settles_nothing(bench: Any) -> None:
    bench.run({"amount": 10})
    decision = crashed(bench)
    answer(bench, "yes")
    before = bench.journal.events()
    looker = type(bench.operator())(
        bench.reader(), Journal(bench.path, is_readonly=True), bench.settings, "ann", "ann"
    )
    assert "answered" in looker.settle(bench.journal.decision(decision.decision_id)).evidence
    assert bench.journal.events() == before


def test_a_go_on_whose_head_moved_is_applied_and_one_whose_did_not_is_unknown(bench: Any) -> None:
    bench.run({"amount": 10}, interrupt_before=["review"])
    deciding = bench.operator()
    decision = deciding.record(deciding.go_on(bench.thread()))
    bench.journal.leases.release("task-1", bench.started(decision))
    assert settled(bench, decision)[::2] == ("unknown", ("send-again", "drop"))
    bench.run(None)
    assert settled(bench, decision)[::2] == ("applied", ())


def test_an_edit_that_changed_nothing_before_it_died_is_free_to_be_ordered_again(bench: Any) -> None:
    bench.run({"amount": 10}, interrupt_before=["review"])
    deciding = bench.operator()
    decision = deciding.record(deciding.skip(bench.thread()))
    bench.journal.leases.release("task-1", bench.started(decision))
    assert settled(bench, decision)[::2] == ("failed", ())
    deciding.record(deciding.skip(bench.thread()))


def test_a_thread_that_is_gone_leaves_its_decision_unknown(bench: Any) -> None:
    bench.run({"amount": 10})
    decision = crashed(bench)
    with closing(sqlite3.connect(bench.path)) as conn:
        conn.execute("DELETE FROM checkpoints")
        conn.commit()
    assert settled(bench, decision) == ("unknown", "the thread is gone", ("drop",))


def test_only_what_needs_a_person_is_listed(bench: Any) -> None:
    bench.run({"amount": 10})
    crashed(bench)
    answer(bench, "yes")
    assert bench.operator().unsettled() == ()
    assert bench.journal.open() == ()


def test_sending_again_is_a_new_decision_of_its_own(bench: Any) -> None:
    bench.run({"amount": 10})
    lost = crashed(bench)
    bob = bench.operator("bob", "bob")
    again = bob.record(bob.send_again(lost))
    assert (again.state, again.order.by) == ("recorded", "bob")
    assert again.order.answers == lost.order.answers
    assert again.order.options["instead_of"] == [lost.decision_id]
    assert bench.journal.open() == (again,)


def test_what_is_done_is_not_sent_again(bench: Any) -> None:
    bench.run({"amount": 10})
    lost = crashed(bench)
    answer(bench, "yes")
    with pytest.raises(Refused, match="not to be sent again"):
        bench.operator().send_again(lost)


def test_a_lost_decision_is_given_up_on_purpose_only(bench: Any) -> None:
    bench.run({"amount": 10})
    lost = crashed(bench)
    assert bench.operator("bob", "bob").withdraw(lost).state == "running"
    dropped = bench.operator("bob", "bob").withdraw(lost, "looked at the bank", drop=True)
    assert (dropped.state, dropped.detail) == ("withdrawn", "looked at the bank")
    bench.decided("bob")


def test_a_stored_answer_is_not_given_up_by_words_alone(bench: Any) -> None:
    bench.run({"amount": 10})
    decision = crashed(bench)
    answer(bench, "boom")
    assert bench.operator().withdraw(decision, drop=True).state == "failed"
