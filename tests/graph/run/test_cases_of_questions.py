"""Real-world cases of questions: each answer reaches the one it was meant for, and acts once."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent_lab_tui.graph.deciding.checks import Stale
from agent_lab_tui.graph.deciding.choices import edited
from agent_lab_tui.graph.questions import Choice, Refused
from agent_lab_tui.graph.settings.file import Settings
from agent_lab_tui.graph.travelling.forking import ForkRequest
from agent_lab_tui.graph.travelling.journeys import Travelling
from agent_lab_tui.store.values import decode, to_json

pytestmark = pytest.mark.slow


@pytest.fixture
def case(run: Any, make_case: Callable[[str], Path], shared: Path) -> Callable[..., Any]:
    """Make a case's database and start a host for its graph, from another folder than the graph's."""

    def start(number: str, spec: str = "graph.py:builder", settings: Settings | None = None) -> Any:
        db = make_case(number)
        (folder,) = shared.glob(f"cases/{number}-*")
        return run(os.path.relpath(folder / spec, db.parent), db, settings)

    return start


def effects(running: Any) -> list[str]:
    path = running.database.path.parent / "effects.log"
    return path.read_text("utf-8").splitlines() if path.exists() else []


def sent(running: Any, thread_id: str, **values: Any) -> str:
    """Answer some questions of a thread, by operation; give what became of it."""
    thread = running.reader.thread(thread_id)
    ids = {question.operations[0].name: question.id for question in thread.questions}
    order = running.deciding.prepare(thread, values={ids[name]: value for name, value in values.items()})
    running.deciding.record(order)
    (outcome,) = running.carry_out(thread_id)
    return str(outcome.state)


def travelling(running: Any) -> Travelling:
    return Travelling(
        running.reader,
        running.journal,
        running.settings,
        "ann",
        "ann",
        host_for=lambda _: running.host,
        facts=running.host.facts(),
    )


def test_one_of_three_questions_is_answered_and_the_other_two_wait_on(case: Any) -> None:
    running = case("02")
    thread = running.reader.thread("launch-1")
    assert set(thread.reruns) == {"legal", "security", "finance"}
    no = {"ok": False, "why": "too wide"}
    assert sent(running, "launch-1", open_firewall_port=no) == "applied"
    thread = running.reader.thread("launch-1")
    left = {one.operations[0].name for one in thread.questions}
    assert left == {"sign_contract", "release_budget"}
    assert set(thread.reruns) == {"legal", "finance"}
    assert sent(running, "launch-1", sign_contract="yes", release_budget=40000) == "applied"
    answers = to_json(running.reader.thread("launch-1").values)["answers"]
    assert sorted(answers) == [["finance", 40000], ["legal", "yes"], ["security", no]]
    assert len([line for line in effects(running) if "acted" in line]) == 3


def test_the_second_question_of_a_node_is_not_answered_by_the_first_ones_answer(case: Any) -> None:
    running = case("03")
    first = running.reader.thread("decom-1")
    (stop,) = first.questions
    order = running.deciding.prepare(first, values={stop.id: True})
    running.deciding.record(order)
    running.carry_out("decom-1")
    (wipe,) = running.reader.thread("decom-1").questions
    assert (wipe.operations[0].name, wipe.id != stop.id) == ("wipe_disk", True)
    running.journal.record(order)
    assert [one.state for one in running.carry_out("decom-1")] == ["stale"]
    assert sent(running, "decom-1", wipe_disk=False) == "applied"
    assert running.reader.thread("decom-1").values["result"] == {"stop": True, "wipe": False}


def test_an_approved_question_whose_action_failed_is_asked_again_before_it_is_rejected(case: Any) -> None:
    running = case("05")
    thread = running.reader.thread("failed")
    assert thread.situation == "stuck"
    assert thread.questions[0].stored_answer == "approve"
    before = effects(running).count("refund attempted")
    running.deciding.record(running.deciding.ask_again(thread))
    running.carry_out("failed")
    assert sent(running, "failed", refund="customer withdrew") == "applied"
    assert running.reader.thread("failed").values["done"] == "refused: customer withdrew"
    assert effects(running).count("refund attempted") == before
    assert sent(running, "fresh", refund="approve") == "failed"
    assert running.reader.thread("fresh").situation == "stuck"


def test_an_answer_of_the_wrong_shape_is_never_sent_and_the_right_one_still_can_be(case: Any) -> None:
    running = case("06", "graph.py:graph")
    for wrong, why in (
        ({"decisions": []}, "0 decisions for 1 action"),
        ({"decision": "approve"}, "decisions"),
        ({"decisions": [{"type": "respond", "message": "x"}]}, "`respond` is not allowed"),
    ):
        with pytest.raises(Refused, match=why):
            sent(running, "idx-3", drop_index=wrong)
    thread = running.reader.thread("idx-1")
    (question,) = thread.questions
    edit = edited({"index": "orders-2024", "cluster": "staging"}, question.operations[0])
    running.deciding.record(running.deciding.prepare(thread, {question.id: [edit]}))
    running.carry_out("idx-1")
    thread = running.reader.thread("idx-2")
    reject = Choice("reject", text="not on a Friday")
    running.deciding.record(running.deciding.prepare(thread, {thread.questions[0].id: [reject]}))
    running.carry_out("idx-2")
    assert sent(running, "idx-3", drop_index={"decisions": [{"type": "approve"}]}) == "applied"
    assert effects(running) == ["drop_index orders-2024 staging", "drop_index orders-2024 prod"]
    messages = to_json(running.reader.thread("idx-2").values)["messages"]
    assert any("with reason: not on a Friday" in str(one["content"]) for one in messages)


def test_a_question_from_inside_a_subgraph_is_answered_at_the_root(case: Any) -> None:
    running = case("08")
    assert [line.thread_id for line in running.reader.lines()] == ["rel-5.2"]
    (question,) = running.reader.thread("rel-5.2").questions
    assert question.path == ("ship", "gate")
    assert sent(running, "rel-5.2", deploy="go") == "applied"
    assert effects(running) == ["build", "deploy 5.2-b77: go"]
    assert running.reader.thread("rel-5.2").values["notes"][-1] == "announced"


@pytest.mark.parametrize("thread_id", ["one-line", "many-lines", "spaces", "many-keys"])
def test_an_edit_that_changes_nothing_sends_the_original_to_the_byte(case: Any, thread_id: str) -> None:
    forms = {"*:gate": {"edit": {"approved": True, "arguments": "{arguments}"}}}
    running = case("14", settings=Settings(answers=forms))
    thread = running.reader.thread(thread_id)
    (question,) = thread.questions
    (operation,) = question.operations
    same = edited(to_json(operation.arguments), operation)
    running.deciding.record(running.deciding.prepare(thread, {question.id: [same]}))
    running.carry_out(thread_id)
    got = running.reader.thread(thread_id).values["got"]
    assert got == {"approved": True, "arguments": question.value["arguments"]}


def test_a_breakpoint_is_passed_stepped_over_by_an_edit_or_ended(case: Any) -> None:
    running = case("07", "graph.py:graph")
    travel = travelling(running)
    thread = running.reader.thread("branches-1")
    assert (thread.situation, thread.questions, thread.due) == ("stopped", (), ())
    running.deciding.record(running.deciding.go_on(thread))
    assert [one.state for one in running.carry_out("branches-1")] == ["applied"]

    second = running.reader.thread("branches-2")
    request = ForkRequest(second.checkpoint_id, replace={"plan": "delete 2 stale branches"})
    travel.record(travel.fork(second, travel.plan_fork(second, request)))
    assert [one.state for one in running.carry_out("branches-2")] == ["applied"]
    edited = running.reader.thread("branches-2")
    assert (edited.next, edited.values["plan"]) == (("execute",), "delete 2 stale branches")
    running.deciding.record(running.deciding.go_on(edited))
    running.carry_out("branches-2")

    third = running.reader.thread("branches-3")
    running.deciding.record(running.deciding.abandon(third, "not today"))
    running.carry_out("branches-3")
    assert running.reader.thread("branches-3").next == ()
    assert effects(running) == ["execute: delete 41 stale branches", "execute: delete 2 stale branches"]


BREAKPOINT = """
from typing import TypedDict
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt

class State(TypedDict, total=False):
    said: object

def stop(state: State): return {}
def ask(state: State): return {"said": interrupt({"operation": "drop"})}

builder = StateGraph(State)
builder.add_node("stop", stop)
builder.add_node("ask", ask)
builder.add_edge(START, "stop")
builder.add_edge("stop", "ask")
graph = builder
stops = builder.compile(interrupt_before=["stop", "ask"])
"""


@pytest.fixture
def stopped(run: Any, tmp_path: Path) -> Any:
    """Threads before the first of two breakpoints, with a question behind the second."""
    (tmp_path / "agent.py").write_text(BREAKPOINT, "utf-8")
    made = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sqlite3, sys, agent; from langgraph.checkpoint.sqlite import SqliteSaver;"
            "agent.stops.checkpointer = SqliteSaver(sqlite3.connect('agent.db', check_same_thread=False));"
            "[agent.stops.invoke({}, {'configurable': {'thread_id': t}}) for t in sys.argv[1:]]",
            *("passed", "skipped", "forked", "edited"),
        ],
        cwd=tmp_path,
        check=False,
    )
    assert made.returncode == 0
    return run("agent.py:stops", tmp_path / "agent.db")


def test_a_fork_past_a_breakpoint_stops_at_the_next_one(stopped: Any) -> None:
    travel = travelling(stopped)
    for name, as_node, then in (("forked", "stop", ("ask",)), ("edited", None, ("ask",))):
        thread = stopped.reader.thread(name)
        request = ForkRequest(thread.checkpoint_id, replace={"said": "x"}, as_node=as_node, is_run=True)
        plan = travel.plan_fork(thread, request)
        travel.record(travel.fork(thread, plan, plan.confirmation))
        assert [one.state for one in stopped.carry_out(name)] == ["applied"]
        after = stopped.reader.thread(name)
        assert (after.next, after.questions) == (then, ())


def test_passing_a_breakpoint_never_answers_the_question_behind_it(stopped: Any) -> None:
    running = stopped
    for name, kind in (("passed", "go_on"), ("skipped", "skip")):
        for where in ("stop", "ask"):
            thread = running.reader.thread(name)
            assert (thread.next, thread.questions) == ((where,), ())
            order = (
                running.deciding.go_on(thread) if where == "ask" else getattr(running.deciding, kind)(thread)
            )
            running.deciding.record(order)
            assert [one.state for one in running.carry_out(name)] == ["applied"]
        (question,) = running.reader.thread(name).questions
        assert (question.value, question.has_stored_answer) == ({"operation": "drop"}, False)
        assert running.answer(name, "no").state == "applied"
        assert running.reader.thread(name).values == {"said": "no"}


def test_a_replay_asks_and_acts_again_and_the_old_branch_stays(case: Any) -> None:
    running = case("09")
    travel = travelling(running)
    thread = running.reader.thread("P-12")
    assert (thread.situation, thread.questions) == ("done", ())
    before = travel.tree("P-12").checkpoints
    preview = travel.preview_replay("P-12", travel.find("P-12", "0"))
    assert preview.checkpoint.next == ("reserve",)
    running.deciding.record(travel.replay(thread, preview))
    assert [one.state for one in running.carry_out("P-12")] == ["applied"]
    assert len(travel.tree("P-12").checkpoints) == len(before) + 2
    assert running.answer("P-12", "no").state == "applied"
    tree = travel.tree("P-12").checkpoints
    assert {one.checkpoint_id for one in before} < {one.checkpoint_id for one in tree}
    assert sorted(effects(running)) == ["reserve stock for P-12"] * 2 + ["ship P-12"] * 2


def test_a_question_that_a_new_input_replaced_moves_no_money(
    case: Any, shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = case("11")
    seen = running.reader.thread("acct-5")
    (folder,) = shared.glob("cases/11-*")
    code = (
        "import sqlite3, sys; from langgraph.checkpoint.sqlite import SqliteSaver; from graph import builder;"
        "conn = sqlite3.connect(sys.argv[1], check_same_thread=False);"
        "builder.compile(checkpointer=SqliteSaver(conn)).invoke("
        "{'amount': 9999}, {'configurable': {'thread_id': 'acct-5'}})"
    )
    command = [sys.executable, "-c", code, str(running.database.path)]
    subprocess.run(command, cwd=folder, check=True)
    with pytest.raises(Stale, match="a different one is: transfer"):
        running.deciding.prepare(seen, values={seen.questions[0].id: "approve"})
    assert effects(running) == []
    assert running.answer("acct-5", "approve").state == "applied"
    assert effects(running) == ["TRANSFER 9999"]


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        ("12", "see [/] in [b"),
        ("13", "no \x1b[31m thanks"),
        ("15", "金額が違います（税抜）"),
    ],
)
def test_hostile_and_wide_words_arrive_as_they_were_typed(case: Any, number: str, reason: str) -> None:
    forms = {
        "reject": {"approved": False, "why": "{reason}"},
        "edit": {"approved": True, "with": "{arguments}"},
    }
    answers = {f"*:{node}": forms for node in ("gate", "gate [1]", "承認")}
    running = case(number, settings=Settings(answers=answers))
    for line in running.reader.lines():
        thread = running.reader.thread(line.thread_id)
        (question,) = thread.questions
        (operation,) = question.operations
        unchanged = edited(to_json(operation.arguments), operation)
        order = running.deciding.prepare(thread, {question.id: [unchanged]})
        assert decode("msgpack", order.answers[question.id])["with"] == operation.arguments
        running.deciding.record(
            running.deciding.prepare(thread, {question.id: [Choice("reject", text=reason)]})
        )
        assert [one.state for one in running.carry_out(line.thread_id)] == ["applied"]
        got = running.reader.thread(line.thread_id).values["got"]
        assert reason in (got["answer"]["why"] if isinstance(got, dict) else eval(got)["why"])
