"""The analysis agent: what stands where at each point, and that the report is written once."""

from __future__ import annotations

import asyncio
import stat
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from lab_player import APPROVE, Player, edit, explain, reject
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.types import Command

from agent_lab_tui.graph.gate import Stopped
from agent_lab_tui.graph.lab import crash
from agent_lab_tui.graph.lab.analysis_rules import BRIEF, points_of, report_text, summary_of
from agent_lab_tui.graph.lab.registry import LabRefused, LabUsage, Status, agent
from agent_lab_tui.graph.lab.starting import open_saver
from agent_lab_tui.graph.lab.workspace import Workspace, replace_file
from agent_lab_tui.graph.lab.writing import ReportEmpty
from agent_lab_tui.store.effects import Conflict
from agent_lab_tui.store.lab.tasks import BudgetSpent, Tasks

ANALYSIS = agent("analysis")


@pytest.fixture
def task(lab: Workspace) -> Player:
    """A task that has not started, with the brief where it belongs."""
    replace_file(lab.brief, BRIEF)
    return Player(lab, "analysis", "task-001")


@pytest.fixture
def waiting(task: Player) -> Player:
    """The task at its question."""
    task.start()
    return task


def status(player: Player) -> Status:
    return ANALYSIS.status(player.lab, player.task_id)


def report(player: Player) -> Path:
    return player.lab.root / "output" / player.task_id / "report.md"


def log(player: Player) -> list[str]:
    return (report(player).parent / "run.log").read_text("utf-8").splitlines()


def step_words(player: Player) -> list[str]:
    return [step["status"] for step in status(player).steps]


# The question


def test_it_asks_with_operation_arguments_reason_impact_risk_and_key(waiting: Player) -> None:
    (asked,) = waiting.asked()
    assert asked.name == "write_report"
    assert asked.request["args"] == {
        "file": "output/task-001/report.md",
        "title": "Store service feedback (simulated)",
        "points": points_of(BRIEF),
        "tone": "neutral",
    }
    assert "simulated feedback" in asked.request["reason"]
    assert asked.request["impact"].startswith("Writes 1 file.")
    assert (asked.request["risk"], asked.request["key"]) == ("medium", "task-001:step:3")


def test_while_it_waits_nothing_is_written_and_the_rows_say_so(waiting: Player) -> None:
    found = status(waiting)
    assert (found.status, found.more["current_step"], found.result) == ("waiting_confirmation", 2, None)
    assert step_words(waiting) == ["completed", "waiting_confirmation"]
    assert not report(waiting).exists()
    assert found.effects == ()
    assert not found.is_accepted


def test_an_approval_writes_the_report_and_completes_the_task(waiting: Player) -> None:
    waiting.answer(write_report=APPROVE)
    found = status(waiting)
    assert found.is_accepted
    assert step_words(waiting) == ["completed"] * 3
    assert found.result == {
        "task_id": "task-001",
        "status": "completed",
        "report_path": "output/task-001/report.md",
        "summary": {"feedback_count": 3, "positive_count": 1, "concern_count": 2},
        "warnings": ["simulated data: hold every conclusion against real material"],
    }
    assert [(one["key"], one["state"]) for one in found.effects] == [("task-001:step:3", "done")]


def test_the_answer_given_is_kept_in_the_state_and_with_its_step(waiting: Player) -> None:
    waiting.answer(write_report=APPROVE)
    assert waiting.values["resume_note"] == "approve"
    assert status(waiting).steps[1]["result"]["resume_note"] == "approve"


def test_edited_arguments_are_what_is_written_and_the_original_stays_in_the_past(waiting: Player) -> None:
    asked = waiting.asked()[0].request["args"]
    waiting.answer(write_report=edit("write_report", **{**asked, "title": "Queues", "tone": "formal"}))
    assert report(waiting).read_text("utf-8").startswith("# Queues\n\nThis report sets out")
    assert waiting.values["title"] == "Store service feedback (simulated)"


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("file", "../../etc/passwd.md", "file must be a .md file in output/task-001/"),
        ("file", "output/task-002/report.md", "file must be a .md file in output/task-001/"),
        ("points", [], "points must be a list of texts"),
        ("file", "output/task-001/a\nb.md", "file must be a .md file in output/task-001/"),
        ("points", ["one\n## Praise"], "points must be a list of texts of one line"),
        ("title", " ", "title must be a text of one line"),
        ("title", "two\nlines", "title must be a text of one line"),
        ("title", "red \x1b[31m", "without control characters"),
        ("tone", "rude", "tone must be one of"),
        ("more", 1, "write_report takes"),
    ],
)
def test_an_edit_that_cannot_be_written_is_asked_again(
    waiting: Player, name: str, value: Any, problem: str
) -> None:
    asked = waiting.asked()[0].request["args"]
    waiting.answer(write_report=edit("write_report", **{**asked, name: value}))
    (interrupt,) = waiting.snapshot().interrupts
    assert problem in interrupt.value["problem"]
    assert not report(waiting).exists()
    waiting.answer(write_report=APPROVE)
    assert status(waiting).is_accepted


def test_a_refusal_writes_nothing_and_is_the_tasks_error(waiting: Player) -> None:
    waiting.answer(write_report=reject("name the sources"))
    found = status(waiting)
    assert (found.status, found.error) == ("failed", "declined by the operator: reject: name the sources")
    assert not report(waiting).exists()
    assert waiting.snapshot().next == ()


def test_a_question_back_is_answered_and_asked_again_with_nothing_done(waiting: Player) -> None:
    first = waiting.asked()[0]
    waiting.answer(write_report=explain("Where does it come from?"))
    second = waiting.asked()[0]
    assert second.id != first.id
    assert "You asked: Where does it come from?" in second.request["reason"]
    assert not report(waiting).exists()


@pytest.mark.parametrize("answer", ["stop", "continue", True, {"approved": True}, {"decisions": []}])
def test_a_wrong_answer_is_never_kept_for_good(waiting: Player, answer: Any) -> None:
    (asked,) = waiting.asked()
    waiting.run(Command(resume={asked.id: answer}))
    assert not report(waiting).exists()
    assert step_words(waiting) == ["completed", "waiting_confirmation"]
    waiting.answer(write_report=APPROVE)
    assert status(waiting).is_accepted
    assert len(log(waiting)) == 1


# The report


def test_the_report_has_its_parts_in_real_lines(waiting: Player) -> None:
    waiting.answer(write_report=APPROVE)
    text = report(waiting).read_text("utf-8")
    assert text.count("\n") >= 12
    assert "\\n" not in text
    for part in ("- Task: task-001", "- Samples: 3", "## Problems", "## Praise", "## Suggestions"):
        assert part in text
    assert text.rstrip().splitlines()[-1].startswith("> Made by fixed rules from simulated data")


def test_two_runs_give_the_same_report_but_for_the_id(task: Player) -> None:
    arguments = {"file": "x", "title": "T", "points": points_of(BRIEF), "tone": "neutral"}
    assert report_text("a", arguments) == report_text("b", arguments).replace("Task: b", "Task: a")


def test_feedback_is_counted_by_fixed_words_in_the_brief_of_the_course_too() -> None:
    brief = "反馈一：顾客希望缩短排队时间。\n反馈二：部分顾客认为商品说明不够清楚。\n反馈三：顾客认可员工。\n"
    counts = {"feedback_count": 3, "positive_count": 1, "concern_count": 2}
    assert summary_of(points_of(brief)) == summary_of(points_of(BRIEF)) == counts


def test_the_log_gets_one_line_and_a_second_write_a_second_one(waiting: Player) -> None:
    waiting.answer(write_report=APPROVE)
    (line,) = log(waiting)
    assert "task=task-001 report_written=output/task-001/report.md" in line
    other = Player(waiting.lab, "analysis", "task-002")
    other.start()
    other.approve_all()
    assert len(log(waiting)) == len(log(other)) == 1


def test_files_are_0600_and_folders_0700(waiting: Player) -> None:
    waiting.answer(write_report=APPROVE)
    for path in (waiting.lab.root / "output").rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600)


# Starting


def test_a_missing_input_is_refused_before_a_row_exists(lab: Workspace) -> None:
    with pytest.raises(LabRefused, match=r"brief\.txt is missing"):
        Player(lab, "analysis", "task-001").start()
    assert Tasks(lab.database).all() == ()


def test_a_second_start_is_refused_and_changes_nothing(waiting: Player) -> None:
    before = status(waiting)
    with pytest.raises(LabRefused, match="lab resume task-001"):
        waiting.start()
    assert status(waiting) == before


def test_the_id_of_a_dropped_task_is_not_taken_again(waiting: Player) -> None:
    """Its keys still stand for what it did, and would keep the new one from doing it."""
    waiting.answer(write_report=APPROVE)
    Tasks(waiting.lab.database).forget("task-001")
    with pytest.raises(LabRefused, match="take another id"):
        waiting.start()


def test_an_input_outside_of_its_folder_is_refused(task: Player) -> None:
    with pytest.raises(LabUsage, match="does not lie in data/input"):
        task.start(brief="data/agent.db")


def test_a_setting_that_it_does_not_know_is_wrong_usage(task: Player) -> None:
    with pytest.raises(LabUsage, match="no setting 'tone'; it has brief"):
        task.start(tone="formal")


@pytest.mark.parametrize("task_id", ["../x", "", "a b", "'; drop table tasks;--", ".hidden", "x" * 101])
def test_an_id_that_cannot_name_a_folder_is_refused(task: Player, task_id: str) -> None:
    with pytest.raises(LabUsage, match="cannot be a task id"):
        Player(task.lab, "analysis", task_id).start()
    assert Tasks(task.lab.database).all() == ()


def test_a_new_task_inherits_nothing(waiting: Player) -> None:
    other = Player(waiting.lab, "analysis", "task-002")
    other.start()
    other.approve_all()
    assert [step["idempotency_key"] for step in status(other).steps] == [
        f"task-002:step:{n}" for n in (1, 2, 3)
    ]
    assert not report(waiting).exists()


def test_the_budget_stops_it_before_the_third_step(task: Player) -> None:
    task.start(max_steps=2)
    with pytest.raises(BudgetSpent):
        task.answer(write_report=APPROVE)
    found = status(task)
    assert found.status == "failed"
    assert (found.error or "").startswith("budget: 2 steps")
    assert not report(task).exists()


# When something goes wrong


def test_an_input_that_disappears_fails_its_step_and_the_same_step_completes_later(task: Player) -> None:
    task.dies("start()", at="read")
    task.lab.brief.unlink()
    with pytest.raises(FileNotFoundError, match=r"brief\.txt is gone"):
        task.go_on()
    (failed,) = status(task).steps
    said = "input missing: data/input/brief.txt is gone; put it back"
    assert (failed["status"], failed["error"]) == ("failed", said)
    assert status(task).error == said
    replace_file(task.lab.brief, BRIEF)
    task.go_on()
    task.approve_all()
    assert [step["idempotency_key"] for step in status(task).steps] == [
        f"task-001:step:{n}" for n in (1, 2, 3)
    ]
    assert status(task).error is None
    assert status(task).steps[0]["started_at"] == failed["started_at"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\xff\xfe\x00binary", "input unreadable: data/input/brief.txt is no text in UTF-8"),
        (b"", "input without feedback: no line of data/input/brief.txt starts with Feedback"),
        (b"Title: nothing said\n", "input without feedback: no line of data/input/brief.txt"),
    ],
)
def test_a_brief_that_cannot_be_used_fails_its_step_and_is_read_again_when_mended(
    task: Player, content: bytes, said: str
) -> None:
    task.lab.brief.write_bytes(content)
    with pytest.raises(ValueError, match=said):
        task.start()
    found = status(task)
    assert (found.status, found.steps[0]["status"]) == ("failed", "failed")
    assert (found.error or "").startswith(said)
    replace_file(task.lab.brief, BRIEF)
    task.go_on()
    task.approve_all()
    assert status(task).is_accepted
    assert status(task).error is None


def test_whatever_stops_a_node_is_the_error_of_its_task(
    task: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row that still says running, with nobody at it, would mislead whoever looks."""
    task.start()
    output = task.lab.root / "output"
    output.write_text("a file where a folder belongs", "utf-8")
    with pytest.raises(OSError, match="task-001"):
        task.answer(write_report=APPROVE)
    assert status(task).status == "failed"
    assert status(task).steps[2]["status"] == "failed"
    output.unlink()
    task.go_on()
    task.approve_all()
    assert status(task).is_accepted


def test_a_large_brief_is_read_and_reported_whole(task: Player) -> None:
    many = "".join(f"Feedback {number}: the queue is too long\n" for number in range(25_000))
    replace_file(task.lab.brief, f"Title: many\n{many}")
    task.start()
    task.approve_all()
    assert "- Samples: 25000\n" in report(task).read_text("utf-8")
    assert status(task).is_accepted


def test_what_a_brief_hides_reaches_neither_the_request_nor_the_report(task: Player) -> None:
    """Whoever reads the report with `cat` must see what was approved, not what its bytes do to a terminal."""
    replace_file(task.lab.brief, "Title: a\x1b]0;b\x07\nFeedback 1: too \x1b[2Jlong\x00 \u202egnol\n")
    task.start()
    asked = task.asked()[0].request["args"]
    assert (asked["title"], asked["points"]) == ("a\ufffd]0;b\ufffd", ["too \ufffd[2Jlong\ufffd \ufffdgnol"])
    task.approve_all()
    text = report(task).read_text("utf-8")
    assert not any(unicodedata.category(sign) in ("Cc", "Cf") for sign in text.replace("\n", ""))


@pytest.mark.parametrize(("points", "said"), [(1, "its 1 line of"), (2, "its 2 lines of")])
def test_the_reason_counts_in_words_that_fit(task: Player, points: int, said: str) -> None:
    replace_file(task.lab.brief, "".join("Feedback: too long\n" for _ in range(points)))
    task.start()
    assert said in task.asked()[0].request["reason"]


def test_an_empty_report_is_a_failed_task_whatever_wrote_it_believes(
    waiting: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(crash.VARIABLE, "report:empty")
    with pytest.raises(ReportEmpty):
        waiting.answer(write_report=APPROVE)
    found = status(waiting)
    assert (found.status, found.error) == ("failed", "report empty: output/task-001/report.md")
    assert step_words(waiting) == ["completed", "completed", "failed"]
    monkeypatch.delenv(crash.VARIABLE)
    waiting.go_on()
    assert status(waiting).is_accepted
    assert status(waiting).error is None


def test_a_report_that_somebody_changed_is_asked_about_before_it_is_overwritten(waiting: Player) -> None:
    waiting.dies("answer(write_report=APPROVE)", at="report:after-log")
    report(waiting).write_text("somebody's own words", "utf-8")
    waiting.go_on()
    (asked,) = waiting.asked()
    assert "it is not the text that was approved" in asked.request["reason"]
    assert status(waiting).status == "waiting_confirmation"
    with pytest.raises(Stopped):
        waiting.answer(write_report=reject("keep it"))
    assert report(waiting).read_text("utf-8") == "somebody's own words"


def test_the_same_key_with_other_arguments_writes_nothing(waiting: Player) -> None:
    """A fork with an edited title after the report was written: the first deed is not done over."""
    waiting.answer(write_report=APPROVE)
    before = report(waiting).read_bytes()
    with_title = {**waiting.values["arguments"], "title": "Another"}
    with open_saver(waiting.lab) as saver:
        graph = ANALYSIS.build(waiting.lab)
        graph.checkpointer = saver
        graph.update_state(waiting.config, {"arguments": with_title, "decision": "edit"}, as_node="confirm")
        with pytest.raises(Conflict, match="task-001:step:3 stands since"):
            graph.invoke(None, waiting.config)
    assert report(waiting).read_bytes() == before


def test_a_question_stepped_over_without_a_decision_writes_nothing(waiting: Player) -> None:
    with open_saver(waiting.lab) as saver:
        graph = ANALYSIS.build(waiting.lab)
        graph.checkpointer = saver
        graph.update_state(waiting.config, {}, as_node="confirm")
        graph.invoke(None, waiting.config)
    assert not report(waiting).exists()
    assert status(waiting).status == "failed"


def test_async_runs_use_the_same_nodes(waiting: Player) -> None:
    async def answer() -> None:
        async with AsyncSqliteSaver.from_conn_string(str(waiting.lab.database)) as saver:
            graph = ANALYSIS.build(waiting.lab)
            graph.checkpointer = saver
            (asked,) = waiting.asked()
            await graph.ainvoke(Command(resume={asked.id: {"decisions": [APPROVE]}}), waiting.config)

    asyncio.run(answer())
    assert status(waiting).is_accepted
