"""Real-world cases of questions: each answer reaches the one it was meant for, and acts once."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent_lab_tui.graph.deciding.choices import edited
from agent_lab_tui.graph.questions import Choice, Refused
from agent_lab_tui.graph.settings.file import Settings
from agent_lab_tui.store.values import to_json

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
