"""The report agent: a draft paid once, a boolean yes, one row under one key, fresh data or a new question."""

from __future__ import annotations

from typing import Any

import pytest
from lab_player import Player
from langgraph.checkpoint.base import CheckpointTuple
from langgraph.types import Command

from agent_lab_tui.graph.gate import NotDone
from agent_lab_tui.graph.lab import report
from agent_lab_tui.graph.lab.registry import LabRefused, LabUsage, Status, agent
from agent_lab_tui.graph.lab.report_agent import TOPIC
from agent_lab_tui.graph.lab.starting import open_saver
from agent_lab_tui.graph.lab.workspace import Workspace
from agent_lab_tui.store.effects import Effects
from agent_lab_tui.store.lab.reports import Reports

REPORT = agent("report")
YES = {"approved": True}
KEY = "report-1:step:3"


@pytest.fixture
def task(lab: Workspace) -> Player:
    return Player(lab, "report", "report-1")


@pytest.fixture
def waiting(task: Player) -> Player:
    """The task at its question."""
    task.start()
    return task


def question(player: Player) -> Any:
    (interrupt,) = player.snapshot().interrupts
    return interrupt


def say(player: Player, answer: Any) -> None:
    player.run(Command(resume={question(player).id: answer}))


def reports(player: Player) -> Reports:
    return Reports(player.lab.business)


def drafts(player: Player) -> list[str]:
    return (player.lab.output(player.task_id) / "drafts.log").read_text("utf-8").splitlines()


def status(player: Player) -> Status:
    return REPORT.status(player.lab, player.task_id)


def heads(player: Player) -> list[CheckpointTuple]:
    with open_saver(player.lab) as saver:
        return list(saver.list(player.config))


def test_it_asks_in_words_of_its_own_with_everything_an_operator_needs(waiting: Player) -> None:
    value = question(waiting).value
    assert (value["kind"], value["operation_id"]) == ("report_approval", KEY)
    assert value["preview"].startswith(f"Report on {TOPIC} (simulated data).")
    assert value["question"] == "May this report be written into the business database?"
    assert value["impact"] == "Inserts 1 row into reports of business.db."
    assert "simulated" in value["reason"]


def test_a_boolean_yes_inserts_one_row_under_the_operations_key(waiting: Player) -> None:
    say(waiting, YES)
    row = reports(waiting).find(KEY)
    assert row is not None
    assert row.content == waiting.values["report"]
    assert waiting.values["write_status"] == "inserted"
    assert status(waiting).is_accepted


def test_the_state_shows_operation_topic_report_approval_and_outcome(waiting: Player) -> None:
    say(waiting, YES)
    fields = ("operation_id", "topic", "report", "approved", "write_status")
    assert all(waiting.values[field] for field in fields)


@pytest.mark.parametrize(
    "answer", ["yes", True, 1, {"approved": "true"}, {"approved": 1}, {}, {"approved": None}]
)
def test_what_only_looks_like_a_yes_is_neither_a_yes_nor_a_no(waiting: Player, answer: Any) -> None:
    say(waiting, {"approved": "x"} if answer == {} else answer)
    assert "problem" in question(waiting).value
    assert reports(waiting).find(KEY) is None
    say(waiting, YES)
    assert reports(waiting).find(KEY) is not None


def test_a_no_ends_without_the_insert_and_keeps_the_reason(waiting: Player) -> None:
    say(waiting, {"approved": False, "why": "wrong quarter"})
    assert waiting.snapshot().next == ()
    assert waiting.values["report"]
    assert reports(waiting).find(KEY) is None
    assert status(waiting).error == "declined by the operator: wrong quarter"


def test_an_edited_draft_is_the_row_and_the_original_stays_in_the_past(waiting: Player) -> None:
    draft = waiting.values["report"]
    say(waiting, {**YES, "preview": "Shorter.\n", "topic": "queues"})
    row = reports(waiting).find(KEY)
    assert row is not None
    assert (row.topic, row.content) == ("queues", "Shorter.\n")
    assert draft in [head.checkpoint["channel_values"].get("report") for head in heads(waiting)]


def test_a_question_back_is_asked_again(waiting: Player) -> None:
    say(waiting, {"explain": "which store?"})
    assert question(waiting).value["you_asked"] == ["which store?"]
    assert reports(waiting).find(KEY) is None


def test_the_draft_is_paid_once_over_restart_question_and_refusal(waiting: Player) -> None:
    waiting.in_process(f"run(Command(resume={{{question(waiting).id!r}: 'nonsense'}}))")
    for answer in ({"explain": "why?"}, {"approved": False}):
        say(waiting, answer)
    assert waiting.snapshot().next == ()
    assert len(drafts(waiting)) == 1


def test_data_that_moved_is_drafted_and_asked_anew_with_both_shown(waiting: Player) -> None:
    reports(waiting).put_topic(TOPIC, "Now 5 minutes.")
    say(waiting, YES)
    value = question(waiting).value
    assert reports(waiting).find(KEY) is None
    assert "Now 5 minutes." in value["preview"]
    assert "was 1 and is 2 now" in value["changed"][0]
    assert "12 minutes" in value["changed"][1]
    assert len(drafts(waiting)) == 2
    say(waiting, YES)
    row = reports(waiting).find(KEY)
    assert row is not None
    assert "Now 5 minutes." in row.content


def test_other_content_under_the_key_is_an_alarm_and_the_row_stays(waiting: Player) -> None:
    reports(waiting).insert(KEY, "foreign", "foreign")
    with pytest.raises(NotDone, match="other content stands under report-1:step:3"):
        say(waiting, YES)
    row = reports(waiting).find(KEY)
    assert row is not None
    assert row.content == "foreign"
    assert status(waiting).status == "failed"


def test_killed_between_commit_and_checkpoint_the_row_is_found_and_not_inserted_again(
    waiting: Player,
) -> None:
    waiting.dies(f"run(Command(resume={{{question(waiting).id!r}: {YES}}}))", at="report:after-commit")
    assert reports(waiting).find(KEY) is not None
    waiting.go_on()
    assert waiting.values["write_status"] == "already_exists"
    assert status(waiting).is_accepted


def test_a_replay_of_the_insert_finds_it_done(waiting: Player) -> None:
    say(waiting, YES)
    with open_saver(waiting.lab) as saver:
        graph = REPORT.build(waiting.lab)
        graph.checkpointer = saver
        before = next(one for one in graph.get_state_history(waiting.config) if one.next == ("write_report",))
        graph.invoke(None, before.config)
    assert waiting.values["write_status"] == "already_exists"


def test_two_inserts_of_one_run_have_two_stable_keys(task: Player) -> None:
    task.start(summary="yes")
    asked = question(task)
    assert asked.value["impact"] == "Inserts 2 rows into reports of business.db."
    task.dies(f"run(Command(resume={{{asked.id!r}: {YES}}}))", at="report:after-commit#2")
    assert task.effects() == {KEY: "done", "report-1:step:4": "started"}
    task.go_on()
    assert task.effects() == {KEY: "done", "report-1:step:4": "done"}
    assert (task.values["write_status"], task.values["summary_status"]) == ("inserted", "already_exists")


def test_a_row_that_somebody_removed_is_not_inserted_again_unasked(waiting: Player) -> None:
    """The ledger says done: whoever took the row away may have had a reason."""
    say(waiting, YES)
    ledger = Effects(waiting.lab.ledger).find(KEY)
    assert ledger is not None
    waiting.lab.business.unlink()
    with open_saver(waiting.lab) as saver:
        graph = REPORT.build(waiting.lab)
        graph.checkpointer = saver
        before = next(one for one in graph.get_state_history(waiting.config) if one.next == ("write_report",))
        with pytest.raises(NotDone, match="the ledger says"):
            graph.invoke(None, before.config)
    assert reports(waiting).find(KEY) is None


def test_the_user_is_a_field_of_the_thread_and_not_its_id(task: Player) -> None:
    task.start(user="ann")
    assert {head.metadata["user_id"] for head in heads(task)} == {"ann"}  # type: ignore[typeddict-item]


def test_the_operation_id_is_made_once_and_shown(waiting: Player) -> None:
    assert status(waiting).more["operation_id"] == KEY
    assert waiting.values["operation_id"] == KEY


def test_an_unknown_setting_is_refused_before_a_row_exists(task: Player) -> None:
    with pytest.raises(LabRefused, match="no setting 'colour'"):
        task.start(colour="red")
    assert not REPORT.tasks(task.lab)


def test_a_gate_stepped_over_with_a_yes_writes_and_is_told_as_unasked(waiting: Player) -> None:
    """LangGraph lets a fork walk past any question; that is why the desk treats it as an approval."""
    with open_saver(waiting.lab) as saver:
        graph = REPORT.build(waiting.lab)
        graph.checkpointer = saver
        graph.update_state(waiting.config, YES, as_node="request_approval")
        graph.invoke(None, waiting.config)
    assert reports(waiting).find(KEY) is not None


def test_a_later_version_with_a_renamed_node_takes_an_old_thread_over_by_a_fork(waiting: Player) -> None:
    with open_saver(waiting.lab) as saver:
        later = report.build(waiting.lab, approval_node="approve_report")
        later.checkpointer = saver
        assert "request_approval" not in later.nodes
        later.update_state(waiting.config, {}, as_node="generate_report")
        later.invoke(None, waiting.config)
        assert later.get_state(waiting.config).next == ("approve_report",)
        (asked,) = later.get_state(waiting.config).interrupts
        later.invoke(Command(resume={asked.id: YES}), waiting.config)
    assert len(drafts(waiting)) == 1
    assert reports(waiting).find(KEY) is not None


def test_a_topic_takes_one_line(task: Player) -> None:
    """It becomes a line of the log of drafts."""
    with pytest.raises(LabUsage, match="topic takes one line"):
        task.start(topic="queues\n2026-01-01 drafted nothing")


def test_whatever_stops_a_node_is_the_error_of_its_task(task: Player) -> None:
    output = task.lab.root / "output"
    output.write_text("a file where a folder belongs", "utf-8")
    with pytest.raises(OSError, match="report-1"):
        task.start()
    assert (status(task).status, status(task).steps[0]["status"]) == ("failed", "failed")
    output.unlink()
    task.go_on()
    say(task, YES)
    assert status(task).is_accepted
