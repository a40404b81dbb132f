"""The journal: recorded first, one winner a question, never rewritten, made only when needed."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from agent_lab_tui.store.journal.book import Journal, JournalError, Order, OutOfTurn, QuestionTaken
from agent_lab_tui.store.journal.chain import claims_of, fold


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "agent.db"
    with closing(sqlite3.connect(path)) as conn:
        conn.execute("CREATE TABLE checkpoints(thread_id TEXT)")
    return path


@pytest.fixture
def journal(database: Path) -> Journal:
    return Journal(database)


def order(*questions: str, thread: str = "task-1", by: str = "ann") -> Order:
    return Order(
        kind="answer",
        thread_id=thread,
        checkpoint_id="1ef",
        digest="d" * 64,
        questions=questions,
        digests=dict.fromkeys(questions, "q" * 64),
        choices={question: [{"reject": "too dear"}] for question in questions},
        answers=dict.fromkeys(questions, b"\x81\xa2ok\xc3"),
        by=by,
        os_user="ann-os",
        graph="agent",
        note="said twice",
        options={"configurable": {"tenant": "acme"}},
        not_before=12.5,
    )


GO_ON = Order(kind="go-on", thread_id="task-1", checkpoint_id="1ef", digest="d" * 64, by="ann")


def test_looking_makes_no_file(database: Path, journal: Journal) -> None:
    assert journal.open() == ()
    assert journal.events() == ()
    assert journal.head() == ""
    assert journal.decision("nothing") is None
    assert journal.verify().is_whole
    assert os.listdir(database.parent) == ["agent.db"]


def test_a_recorded_order_is_read_back_exactly(database: Path, journal: Journal) -> None:
    recorded = journal.record(order("q1", "q2"))
    assert recorded.order == order("q1", "q2")
    assert Journal(database).decision(recorded.decision_id) == recorded
    assert Journal(database).open("task-1") == (recorded,)
    assert Journal(database).open("another") == ()


def test_the_second_operator_is_told_who_decided(journal: Journal) -> None:
    first = journal.record(order("q1", by="ann"))
    with pytest.raises(QuestionTaken) as taken:
        journal.record(order("q1", by="bob"))
    assert taken.value.decision == first
    assert "ann" in str(taken.value)
    assert len(journal.events()) == 1


def test_one_taken_question_of_several_takes_none_of_them(journal: Journal) -> None:
    journal.record(order("q2"))
    with pytest.raises(QuestionTaken):
        journal.record(order("q1", "q2", by="bob"))
    journal.record(order("q1", by="bob"))


def test_the_same_interrupt_id_in_another_thread_is_another_question(journal: Journal) -> None:
    journal.record(order("q1", thread="task-1"))
    journal.record(order("q1", thread="task-2"))
    assert len(journal.open()) == 2


@pytest.mark.parametrize("state", ["applied", "stale", "refused"])
def test_an_ended_decision_frees_its_question(journal: Journal, state: str) -> None:
    decision = journal.record(order("q1"))
    token = taken(journal)
    journal.start([decision.decision_id], token)
    journal.end([decision.decision_id], state, token, detail="said why")  # type: ignore[arg-type]
    journal.record(order("q1", by="bob"))


@pytest.mark.parametrize("state", ["failed", "unknown"])
def test_an_answer_that_may_be_stored_holds_its_question(journal: Journal, state: str) -> None:
    decision = journal.record(order("q1"))
    token = taken(journal)
    journal.start([decision.decision_id], token)
    journal.end([decision.decision_id], state, token, error="disk full")  # type: ignore[arg-type]
    with pytest.raises(QuestionTaken) as found:
        journal.record(order("q1", by="bob"))
    assert found.value.decision.state == state
    assert found.value.decision.error == "disk full"


def test_a_failed_answer_can_be_replaced_on_purpose(journal: Journal) -> None:
    first = journal.record(order("q1"))
    token = taken(journal)
    journal.start([first.decision_id], token)
    journal.end([first.decision_id], "failed", token)
    second = journal.record(order("q1", by="bob"), instead_of=[first.decision_id])
    assert journal.open() == (second,)
    dropped = journal.decision(first.decision_id)
    assert dropped is not None
    assert dropped.state == "withdrawn"


def test_a_running_answer_cannot_be_replaced(journal: Journal) -> None:
    first = journal.record(order("q1"))
    journal.start([first.decision_id], taken(journal))
    with pytest.raises(OutOfTurn):
        journal.record(order("q1", by="bob"), instead_of=[first.decision_id])
    assert [decision.state for decision in journal.open()] == ["running"]


def test_two_operators_cannot_both_go_on(journal: Journal) -> None:
    first = journal.record(GO_ON)
    with pytest.raises(QuestionTaken):
        journal.record(replace(GO_ON, by="bob"))
    token = taken(journal)
    journal.start([first.decision_id], token)
    journal.end([first.decision_id], "failed", token, error="boom")
    journal.record(replace(GO_ON, by="bob"))


def test_forks_into_different_threads_do_not_wait_for_each_other(journal: Journal) -> None:
    fork = replace(GO_ON, kind="fork", options={"into": "copy-1"})
    journal.record(GO_ON)
    journal.record(fork)
    journal.record(replace(fork, options={"into": "copy-2"}))
    with pytest.raises(QuestionTaken):
        journal.record(fork)


def test_a_decision_can_be_withdrawn_until_it_starts(journal: Journal) -> None:
    early, late = journal.record(order("q1")), journal.record(order("q2"))
    assert journal.withdraw(early.decision_id, "bob", "second thoughts")
    assert not journal.withdraw(early.decision_id, "bob")
    journal.start([late.decision_id], taken(journal))
    assert not journal.withdraw(late.decision_id, "bob")
    gone = journal.decision(early.decision_id)
    assert gone is not None
    assert (gone.state, gone.detail) == ("withdrawn", "second thoughts")


def test_a_withdrawn_decision_cannot_start(journal: Journal) -> None:
    decision = journal.record(order("q1"))
    journal.withdraw(decision.decision_id, "ann")
    with pytest.raises(OutOfTurn):
        journal.start([decision.decision_id], taken(journal))


def test_a_decision_starts_once_whatever_anybody_writes(journal: Journal) -> None:
    decision = journal.record(order("q1"))
    token = taken(journal)
    journal.start([decision.decision_id], token)
    with pytest.raises(OutOfTurn):
        journal.start([decision.decision_id], token)
    journal.end([decision.decision_id], "unknown", token)
    with pytest.raises(OutOfTurn):
        journal.start([decision.decision_id], token)


def test_starting_several_starts_all_or_none(journal: Journal) -> None:
    good, gone = journal.record(order("q1")), journal.record(order("q2"))
    journal.withdraw(gone.decision_id, "ann")
    with pytest.raises(OutOfTurn):
        journal.start([good.decision_id, gone.decision_id], taken(journal))
    assert [decision.state for decision in journal.open()] == ["recorded"]


def test_an_order_that_a_rule_forbids_is_written_down_and_holds_nothing(journal: Journal) -> None:
    refused = journal.refuse(order("q1", by="mallory"), "only ann may decide this")
    assert (refused.state, refused.detail) == ("refused", "only ann may decide this")
    assert journal.open() == ()
    journal.record(order("q1", by="ann"))


def test_a_refused_order_leaves_an_open_one_its_questions(journal: Journal) -> None:
    held = journal.record(order("q1", by="ann"))
    journal.refuse(order("q1", by="mallory"), "only ann may decide this")
    with pytest.raises(QuestionTaken) as taken_by:
        journal.record(order("q1", by="bob"))
    assert taken_by.value.decision == held


def test_the_last_decision_about_a_question_is_found(journal: Journal) -> None:
    journal.withdraw(journal.record(order("q1", by="ann")).decision_id, "ann")
    second = journal.record(order("q1", "q2", by="bob"))
    assert journal.last_for("task-1", "q1") == second
    assert journal.last_for("task-1", "q9") is None
    assert [decision.order.by for decision in journal.of_thread("task-1")] == ["ann", "bob"]


def test_what_was_carried_out_this_very_moment_is_not_decided_again_unknowingly(journal: Journal) -> None:
    first = journal.record(order("q1", by="ann"))
    token = taken(journal)
    journal.start([first.decision_id], token)
    journal.end([first.decision_id], "applied", token)
    with pytest.raises(QuestionTaken) as found:
        journal.record(order("q2", "q1", by="bob"), knowing=())
    assert found.value.decision.state == "applied"
    journal.record(order("q3", by="bob"), knowing=())
    journal.record(order("q2", "q1", by="bob"), knowing=[first.decision_id])


def test_claims_follow_from_the_events_alone(journal: Journal) -> None:
    journal.record(GO_ON)
    first = journal.record(order("q1", "q2"))
    journal.record(order("q3", thread="task-2"))
    journal.withdraw(journal.record(order("q4")).decision_id, "ann")
    journal.start([first.decision_id], taken(journal))
    with closing(sqlite3.connect(journal.path)) as conn:
        rows = conn.execute("SELECT thread, question, decision FROM claim").fetchall()
    rebuilt = claims_of(fold(journal.events()).values())
    assert rebuilt == {(thread, question): decision for thread, question, decision in rows}
    assert len(rebuilt) == 4


def test_settling_a_decision_of_a_dead_process_says_it_was_unknown_first(journal: Journal) -> None:
    decision = journal.record(order("q1"))
    token = taken(journal)
    journal.start([decision.decision_id], token)
    with pytest.raises(OutOfTurn, match="still running"):
        journal.settle(decision.decision_id, "applied", "ann", "the head moved")
    journal.leases.release("task-1", token)
    settled = journal.settle(decision.decision_id, "applied", "ann", "the head moved")
    assert (settled.state, settled.detail) == ("applied", "the head moved")
    assert [event.kind for event in journal.events()] == ["recorded", "running", "unknown", "applied"]


def test_a_readonly_journal_records_nothing(database: Path, journal: Journal) -> None:
    reader = Journal(database, is_readonly=True)
    with pytest.raises(JournalError, match="read-only"):
        reader.record(order("q1"))
    assert os.listdir(database.parent) == ["agent.db"]
    decision = journal.record(order("q1"))
    before = sorted(os.listdir(database.parent))
    assert reader.open() == (decision,)
    assert sorted(os.listdir(database.parent)) == before


def test_a_readonly_journal_reads_beside_a_writer_and_leaves_no_file(
    database: Path, journal: Journal
) -> None:
    decision = journal.record(order("q1"))
    with closing(sqlite3.connect(journal.path, isolation_level=None)) as writer:
        writer.execute("UPDATE claim SET question = question")
        before = sorted(os.listdir(database.parent))
        assert "agent.db.desk-wal" in before
        assert Journal(database, is_readonly=True).open() == (decision,)
        assert sorted(os.listdir(database.parent)) == before


def taken(journal: Journal) -> int:
    token = journal.leases.take("task-1")
    assert token is not None
    return token
