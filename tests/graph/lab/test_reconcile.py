"""A task's truths held against each other: every disagreement has one remedy, and none deletes."""

from __future__ import annotations

import pytest
from lab_player import APPROVE, Player

from agent_lab_tui.graph.lab.analysis_rules import BRIEF
from agent_lab_tui.graph.lab.carrying_on import desk_of, situation_of
from agent_lab_tui.graph.lab.demo import write_project
from agent_lab_tui.graph.lab.finding import find
from agent_lab_tui.graph.lab.judging import Artefact, judge
from agent_lab_tui.graph.lab.registry import agent
from agent_lab_tui.graph.lab.workspace import Workspace, replace_file

COMPLETION, AGAIN, BEGIN, HUMAN = (
    *("record completion", "run the safe step again"),
    *("begin", "hand to a human"),
)


@pytest.mark.parametrize(
    ("row", "situation", "artefact", "remedy"),
    [
        # Nothing is wrong.
        ("waiting_confirmation", "waiting", "none", None),
        ("completed", "done", "whole", None),
        ("completed", "waiting", "whole", None),
        ("failed", "failed", "none", None),
        ("failed", "done", "none", None),
        ("failed", "failed", "other", None),
        # Somebody is at it.
        ("running", "running", "none", None),
        ("running", "decided", "whole", None),
        # Killed at birth.
        ("pending", None, "none", BEGIN),
        ("running", None, "none", BEGIN),
        # Killed on the way.
        ("pending", "stopped", "none", AGAIN),
        ("running", "stopped", "none", AGAIN),
        ("waiting_confirmation", "stopped", "none", AGAIN),
        ("running", "failed", "none", AGAIN),
        ("completed", "stopped", "whole", AGAIN),
        # Killed after the deed.
        ("running", "stopped", "whole", COMPLETION),
        ("failed", "failed", "whole", COMPLETION),
        ("running", "done", "whole", COMPLETION),
        # Nobody but a person can tell.
        ("completed", "done", "none", HUMAN),
        ("completed", "done", "other", HUMAN),
        ("completed", None, "whole", HUMAN),
        ("waiting_confirmation", "waiting", "other", HUMAN),
        ("running", "waiting", "none", HUMAN),
        ("waiting_confirmation", "done", "none", HUMAN),
        ("waiting_confirmation", "stuck", "none", HUMAN),
        ("running", "foreign", "none", HUMAN),
    ],
)
def test_each_disagreement_has_one_remedy(
    row: str, situation: str | None, artefact: Artefact, remedy: str | None
) -> None:
    judged = judge(row, situation, artefact)
    assert (judged[1] if judged else None) == remedy


@pytest.fixture
def task(lab: Workspace) -> Player:
    """A task in a whole project that has not started."""
    write_project(lab)
    replace_file(lab.brief, BRIEF)
    return Player(lab, "analysis", "task-001")


def stands(player: Player) -> str | None:
    with desk_of(player.lab) as desk:
        return situation_of(desk, player.task_id)


def remedies(player: Player) -> list[str]:
    with desk_of(player.lab) as desk:
        return [finding.remedy for finding in find(player.lab, desk)]


@pytest.mark.parametrize("visit", [1, 2, 3])
def test_a_kill_between_stored_writes_and_the_next_checkpoint_is_no_end(task: Player, visit: int) -> None:
    """Live `next` may be empty then, without question and without error, and the rest has not run."""
    task.dies("start()", at=f"stored-writes#{visit}")
    assert stands(task) == "stopped"
    assert remedies(task) == [AGAIN]
    task.go_on()
    assert stands(task) == "waiting"
    assert remedies(task) == []
    task.approve_all()
    assert agent("analysis").status(task.lab, "task-001").is_accepted


def test_a_kill_after_the_answered_node_stored_its_writes_asks_nothing_twice(task: Player) -> None:
    task.start()
    task.dies("answer(write_report=APPROVE)", at="stored-writes")
    assert task.snapshot().next == ()
    assert stands(task) == "stopped"
    task.go_on()
    assert task.asked() == []
    status = agent("analysis").status(task.lab, "task-001")
    assert status.is_accepted
    log = (task.lab.output("task-001") / "run.log").read_text("utf-8")
    assert log.count("report_written") == 1


@pytest.mark.parametrize(
    ("place", "remedy"),
    [
        ("born", BEGIN),
        ("read", AGAIN),
        ("extract", AGAIN),
        ("confirm", AGAIN),
    ],
)
def test_a_task_killed_before_its_question_is_found_without_being_asked_for(
    task: Player, place: str, remedy: str
) -> None:
    task.dies("start()", at=place)
    assert remedies(task) == [remedy]


@pytest.mark.parametrize(
    ("place", "remedy"),
    [
        ("report:before-write", AGAIN),
        ("report:after-write", COMPLETION),
        ("report:after-log", COMPLETION),
        ("report:before-status", COMPLETION),
        ("report:after-status", AGAIN),
    ],
)
def test_a_task_killed_while_it_writes_is_judged_by_what_is_there(
    task: Player, place: str, remedy: str
) -> None:
    task.start()
    task.dies("answer(write_report=APPROVE)", at=place)
    assert remedies(task) == [remedy]
    task.go_on()
    assert remedies(task) == []
    assert task.effects() == {"task-001:step:3": "done"}
    log = (task.lab.output("task-001") / "run.log").read_text("utf-8")
    assert log.count("report_written") == 1


def test_a_completion_is_recorded_only_for_what_was_approved(task: Player) -> None:
    task.start()
    task.answer(write_report=APPROVE)
    before = agent("analysis").status(task.lab, "task-001")
    agent("analysis").record_completion(task.lab, "task-001")
    assert agent("analysis").status(task.lab, "task-001") == before
