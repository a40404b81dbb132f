"""Deciding on the command line: exit codes, sentences, and what stands in the journal afterwards."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any, TypedDict

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt

from agent_lab_tui.store.journal.book import Order
from agent_lab_tui.tui.console.carrying_out import Ending, first_line

NEVER = "f" * 32
RULE = '[[rule]]\noperation = "transfer"\n'

# Carried out


def test_an_approval_is_recorded_and_carried_out(live: Any) -> None:
    code, printed = live.json("answer", "t1", "--approve", *live.seen)
    assert code == 0
    assert (printed["outcome"], printed["situation"], printed["questions"]) == ("applied", "done", [])
    assert printed["error"] is None
    decision = live.journal.decision(printed["decision_id"])
    assert decision is not None
    assert decision.state == "applied"
    assert live.paid == ["PAID 10"]


def test_a_rejection_keeps_its_reason_in_the_journal(live: Any) -> None:
    code, _ = live("answer", "t1", "--reject", "wrong customer", *live.seen)
    assert (code, live.paid) == (0, [])
    (decision,) = live.journal.decisions()
    assert decision.order.note == "wrong customer"
    assert "wrong customer" in live("journal", "show")[1]


def test_an_exact_value_is_sent_as_it_is(live: Any) -> None:
    code, _ = live("answer", "t1", "--value", '{"pay": true}', *live.seen)
    assert (code, live.paid) == (0, ["PAID 10"])


def test_an_answer_unlike_the_earlier_ones_is_sent_with_a_warning(live: Any) -> None:
    live.agent({"amount": 10}, "t0")
    assert live("answer", "t0", "--approve", "--seen", live.thread("t0").digest)[0] == 0
    assert "Warning" not in live.error
    code, printed = live("answer", "t1", "--value", '{"pay": true}', *live.seen)
    assert (code, live.paid) == (0, ["PAID 10", "PAID 10"])
    assert "Warning: Unlike every earlier answer at this node" in live.error
    assert "Warning" not in printed


def test_a_second_operator_is_told_who_decided_and_nothing_is_done_twice(live: Any) -> None:
    seen = live.seen
    assert live("--operator", "ann", "answer", "t1", "--approve", *seen)[0] == 0
    code, printed = live("--operator", "bob", "answer", "t1", "--approve", *seen)
    assert (code, printed) == (3, "")
    assert "ann" in live.error
    assert "approved this on" in live.error
    assert live.paid == ["PAID 10"]


@pytest.mark.slow
def test_a_failing_answer_is_told_and_retried_or_asked_again(live: Any) -> None:
    code, printed = live.json("answer", "t1", "--value", '"boom"', *live.seen)
    assert (code, printed["outcome"], printed["situation"]) == (1, "failed", "stuck")
    assert "the bank is closed" in printed["error"]
    code, _ = live("answer", "t1", "--approve", *live.seen)
    assert code == 3
    assert "go-on" in live.error
    assert live("go-on", "t1")[0] == 1
    code, printed = live.json("ask-again", "t1")
    assert (code, printed["outcome"], printed["situation"]) == (0, "applied", "waiting")
    assert live.json("answer", "t1", "--approve", *live.seen)[0] == 0
    assert live.paid == ["PAID 10"]
    assert live.journal.open() == ()


def test_a_recorded_decision_is_carried_out_by_going_on(live: Any) -> None:
    code, printed = live.json("answer", "t1", "--approve", "--record-only", *live.seen)
    assert (code, printed["outcome"], printed["situation"]) == (0, "recorded", "decided")
    assert live.paid == []
    code, carried_out = live.json("go-on", "t1")
    assert (code, carried_out["outcome"]) == (0, "applied")
    assert carried_out["decision_id"] == printed["decision_id"]
    assert live.paid == ["PAID 10"]


@pytest.mark.slow
def test_a_thread_at_a_breakpoint_goes_on_or_is_stepped_over(live: Any) -> None:
    live.write("agent-lab.toml", live.settings.replace(":builder", ":stops"))
    for thread_id in ("b1", "b2"):
        live.agent({"amount": 5}, thread_id, "stops")
        question = live.thread(thread_id).questions[0].id
        live.agent(Command(resume={question: "yes"}), thread_id, "stops")
    assert live("go-on", "b1")[0] == 0
    assert live.paid == ["PAID 5"]
    assert live("skip", "b2")[0] == 2
    assert "--seen" in live.error
    code, printed = live.json("skip", "b2", "--seen", live.thread("b2").digest)
    assert (code, printed["situation"]) == (0, "done")
    assert live.paid == ["PAID 5"]


def test_an_abandoned_thread_runs_no_more(live: Any) -> None:
    code, printed = live.json("abandon", "t1", "--reason", "customer left")
    assert (code, printed["situation"]) == (0, "done")
    assert live.paid == []
    assert live.journal.decisions()[-1].order.note == "customer left"


# Refused before anything runs


def test_medium_risk_needs_what_was_seen(folder: Any) -> None:
    code, _ = folder("answer", "t1", "--approve", "--record-only")
    assert code == 2
    assert "--seen" in folder.error
    assert "show t1 --json" in folder.error
    assert not folder.journal.path.exists()


def test_low_risk_needs_no_digest(folder: Any) -> None:
    folder.write("agent-lab.toml", folder.settings + RULE + 'risk = "low"\n')
    assert folder("answer", "t1", "--approve", "--record-only")[0] == 0


def test_another_digest_than_the_shown_one_is_stale(folder: Any) -> None:
    seen = folder.seen
    folder.agent({"amount": 9999})
    code, _ = folder("answer", "t1", "--approve", "--record-only", *seen)
    assert code == 3
    assert "not what was shown any more: it now asks: transfer" in folder.error


def test_an_empty_reason_is_refused(folder: Any) -> None:
    assert folder("answer", "t1", "--reject", "", "--record-only", *folder.seen)[0] == 4
    assert "reason" in folder.error


def test_ending_a_thread_needs_a_reason(folder: Any) -> None:
    assert folder("abandon", "t1", "--record-only")[0] == 4
    assert "reason" in folder.error


def test_an_answer_form_that_is_not_known_is_said_with_the_lines_to_add(folder: Any) -> None:
    folder.write("agent-lab.toml", 'db = "agent.db"\n')
    code, _ = folder("answer", "t1", "--approve", "--record-only", *folder.seen)
    assert code == 2
    assert ':review"]\napprove = { approved = true }' in folder.error
    lines = folder.error[folder.error.index("[answers.") :]
    folder.write("agent-lab.toml", f'db = "agent.db"\n{lines}')
    assert folder("answer", "t1", "--approve", "--record-only", *folder.seen)[0] == 0


def test_a_rule_asks_for_a_value_to_be_typed(folder: Any) -> None:
    folder.write(
        "agent-lab.toml", folder.settings + '[[rule]]\noperation = "transfer"\nconfirm = "type:to"\n'
    )
    answer = ("answer", "t1", "--approve", "--record-only", *folder.seen)
    assert folder(*answer)[0] == 2
    assert "`to`" in folder.error
    assert "wrong" not in folder.error
    assert folder(*answer, "--confirm", "ann")[0] == 2
    assert folder.error == "The value of --confirm is wrong: `transfer` is confirmed by the value of `to`.\n"
    assert folder("answer", "t1", "--value", '"yes"', "--record-only", *folder.seen)[0] == 2
    assert folder(*answer, "--confirm", "bob")[0] == 0


def test_a_rule_keeps_an_operation_for_its_people(folder: Any) -> None:
    folder.write(
        "agent-lab.toml", folder.settings + '[[rule]]\noperation = "transfer"\noperators = ["ann"]\n'
    )
    answer = ("answer", "t1", "--approve", "--record-only", *folder.seen)
    assert folder("--operator", "mallory", *answer)[0] == 4
    assert "only ann decide transfer" in folder.error
    assert folder(*answer, "--operator", "ann")[0] == 0
    assert [decision.state for decision in folder.journal.decisions()] == ["refused", "recorded"]


@pytest.mark.parametrize(
    ("flags", "code", "words"),
    [
        ((), 2, "exactly one of --approve"),
        (("--approve", "--reject", "no"), 2, "exactly one of"),
        (("--value", "yes"), 4, "--value '\"yes\"'"),
        (("--choices", '{"approve": {}}'), 4, "must be a list"),
        (("--choices", '[{"approve": {}}, {"approve": {}}]'), 4, "each needs one"),
        (("--answers", "[]"), 4, "object of question ids"),
        (("--answers", f'{{"{NEVER}": {{"value": 1}}}}'), 4, f"t1 has asked no question {NEVER}"),
        (("--approve", "--question", NEVER), 4, f"t1 has asked no question {NEVER}"),
        (("--edit", '{"amount": 1, "to": "bob"}'), 2, "--edit"),
        (("--wait", "-1", "--approve"), 2, "--wait"),
    ],
)
def test_wrong_usage_ends_with_a_sentence(folder: Any, flags: tuple[str, ...], code: int, words: str) -> None:
    assert folder("answer", "t1", "--record-only", *folder.seen, *flags)[0] == code
    assert words in folder.error
    assert not folder.journal.path.exists()


def test_a_question_that_was_asked_once_is_told_from_one_that_never_was(folder: Any) -> None:
    before = folder.thread().questions[0].id
    folder.agent({"amount": 9999})
    now = folder.thread().questions[0].id
    assert before != now
    assert folder("answer", "t1", "--approve", "--question", before, "--record-only", *folder.seen)[0] == 3
    assert "no longer waiting; a different one is: transfer" in folder.error


def test_several_questions_are_named_or_answered_in_one_map(folder: Any) -> None:
    def ask(state: dict[str, Any]) -> dict[str, Any]:
        interrupt({"operation": state["name"], "arguments": {}, "reason": "plan"})
        return {}

    builder = StateGraph(dict)
    for name in ("left", "right"):
        builder.add_node(name, lambda state, name=name: ask({"name": name}))
        builder.add_edge(START, name)
    with closing(sqlite3.connect(folder.path / "agent.db", check_same_thread=False)) as conn:
        graph = builder.compile(checkpointer=SqliteSaver(conn))
        graph.invoke({}, {"configurable": {"thread_id": "t1"}}, durability="sync")
    ids = [question.id for question in folder.thread().questions]
    assert folder("answer", "t1", "--value", "1", "--record-only", *folder.seen)[0] == 2
    assert all(f"--question {one}" in folder.error for one in ids)
    assert folder("answer", "t1", "--value", "1", "--question", ids[0], "--record-only", *folder.seen)[0] == 0
    answers = json.dumps({one: {"value": 2} for one in ids})
    assert folder("answer", "t1", "--answers", answers, "--record-only", *folder.seen)[0] == 3
    (decision,) = folder.journal.open()
    folder("withdraw", decision.decision_id)
    assert folder("answer", "t1", "--answers", answers, "--record-only", *folder.seen)[0] == 0
    assert folder.journal.open()[0].order.questions == tuple(ids)


def test_an_unknown_thread_is_not_found_and_nothing_is_made(folder: Any) -> None:
    assert folder("answer", "nope", "--approve", "--record-only")[0] == 3
    assert "nope" in folder.error
    assert not folder.journal.path.exists()


def test_without_a_graph_nothing_is_recorded_by_accident(folder: Any) -> None:
    assert folder("answer", "t1", "--approve", *folder.seen)[0] == 2
    assert "--graph" in folder.error
    assert not folder.journal.path.exists()


def test_a_readonly_desk_decides_nothing(folder: Any) -> None:
    assert folder("answer", "t1", "--approve", "--record-only", "--readonly", *folder.seen)[0] == 4
    assert "read-only" in folder.error


def test_a_question_asked_again_needs_a_word(folder: Any) -> None:
    assert folder("answer", "t1", "--approve", "--record-only", *folder.seen)[0] == 0
    (decision,) = folder.journal.open()
    token = folder.journal.leases.take("t1")
    assert token is not None
    folder.journal.start([decision.decision_id], token)
    folder.journal.end([decision.decision_id], "applied", token)
    folder.journal.leases.release("t1", token)
    answer = ("answer", "t1", "--approve", "--record-only", *folder.seen)
    assert folder(*answer)[0] == 3
    assert "carried out, yet the database asks again" in folder.error
    assert "--again" in folder.error
    assert folder(*answer, "--again")[0] == 0


# Withdraw


def test_a_decision_is_withdrawn_before_it_starts_by_the_start_of_its_id(folder: Any) -> None:
    _, printed = folder.json("answer", "t1", "--approve", "--record-only", *folder.seen)
    code, withdrawn = folder.json("withdraw", printed["decision_id"][:8], "--reason", "asked the boss")
    assert (code, withdrawn["outcome"], withdrawn["situation"]) == (0, "withdrawn", "waiting")
    assert folder("withdraw", printed["decision_id"])[0] == 3
    assert "withdrawn" in folder.error
    assert folder("withdraw", "ffff")[0] == 3


# Journal


def recorded(folder: Any) -> Callable[[str], str]:
    def record(thread_id: str) -> str:
        order = Order("go-on", thread_id, "1ef", "d", by="ann", os_user="ann")
        return folder.journal.record(order).decision_id

    return record


def test_the_journal_is_shown_whole_or_for_a_thread_or_what_is_open(folder: Any) -> None:
    first, second = map(recorded(folder), ("t1", "t2"))
    folder.journal.withdraw(first, "ann")
    assert [row["decision_id"] for row in folder.json("journal", "show")[1]] == [first, second]
    assert [row["state"] for row in folder.json("journal", "show", "--thread", "t1")[1]] == ["withdrawn"]
    assert [row["thread_id"] for row in folder.json("journal", "show", "--open")[1]] == ["t2"]
    assert "ann let go on t2: recorded" in folder("journal", "show")[1]


def test_verify_prints_the_head_and_finds_a_cut_tail_by_it(folder: Any) -> None:
    recorded(folder)("t1")
    code, printed = folder("journal", "verify")
    head = folder.journal.head()
    assert (code, head in printed) == (0, True)
    recorded(folder)("t2")
    assert folder("journal", "verify", "--head", head)[0] == 0
    assert folder("journal", "verify", "--head", "f" * 64)[0] == 1
    assert "cut off" in folder.error
    with closing(sqlite3.connect(folder.journal.path)) as conn:
        conn.execute("DROP TRIGGER no_update")
        conn.execute("UPDATE event SET by = 'evil' WHERE seq = 1")
        conn.commit()
    code, verdict = folder.json("journal", "verify")
    assert (code, verdict["is_whole"], verdict["broken_at"]) == (1, False, 1)


def test_export_writes_every_event_for_its_owner_alone(folder: Any) -> None:
    recorded(folder)("t1")
    assert folder("journal", "export", "out.jsonl")[0] == 0
    out = folder.path / "out.jsonl"
    assert out.stat().st_mode & 0o777 == 0o600
    (line,) = out.read_text("utf-8").splitlines()
    assert json.loads(line)["digest"] == folder.journal.head()
    assert folder("journal", "export", "out.jsonl")[0] == 2
    assert folder.json("journal", "export")[1][0]["seq"] == 1


def test_archive_moves_what_is_old_and_says_how_much(folder: Any) -> None:
    folder.journal.withdraw(recorded(folder)("t1"), "ann")
    assert "nothing was moved" in folder("journal", "archive", "old.desk")[1]
    code, printed = folder.json("journal", "archive", "old.desk", "--older-than", "0d")
    assert (code, printed["events"]) == (0, 2)
    assert folder("journal", "verify")[0] == 0
    assert folder("journal", "archive", "x", "--older-than", "soon")[0] == 2


def test_a_graph_that_cannot_be_loaded_is_named_by_show_and_answer(folder: Any) -> None:
    folder.write("agent-lab.toml", f'graphs = ["agent.py:grph"]\n{folder.settings}')
    for words in (("show", "t1"), ("answer", "t1", "--approve", "--record-only", *folder.seen)):
        assert folder(*words)[0] == 0
        (warning,) = [line for line in folder.error.splitlines() if "grph" in line]
        assert warning.startswith("Warning: Graph agent cannot be loaded: ")
        assert "has no 'grph'" in warning
        assert warning.endswith(".")


def test_an_error_is_told_once_and_not_as_failed_twice() -> None:
    error = "FileNotFoundError: lost.txt is gone"
    assert first_line(Ending("failed", f"failed: {error}", error)) == "failed"
    assert first_line(Ending("failed", f"failed: {error}")) == f"failed: {error}"
    assert first_line(Ending("applied", "asks: pay")) == "applied: asks: pay"


def test_the_list_counts_the_operations_of_a_question(folder: Any) -> None:
    class Turn(TypedDict, total=False):
        said: object

    def ask(state: Turn) -> Turn:
        names = ("pay", "mail")
        return {
            "said": interrupt(
                {
                    "action_requests": [{"name": name, "args": {}} for name in names],
                    "review_configs": [
                        {"action_name": name, "allowed_decisions": ["approve", "reject"]} for name in names
                    ],
                }
            )
        }

    with closing(sqlite3.connect(folder.path / "agent.db", check_same_thread=False)) as conn:
        builder = StateGraph(Turn).add_node("ask", ask).add_edge(START, "ask")
        graph = builder.compile(checkpointer=SqliteSaver(conn))
        graph.invoke({}, {"configurable": {"thread_id": "two"}})
    (row,) = [line for line in folder("list")[1].splitlines() if line.endswith("two")]
    assert " pay +1 " in row
