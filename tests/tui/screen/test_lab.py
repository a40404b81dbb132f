"""The lab on the screen: the task of a thread beside its request, and what was halted, found at the start."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from agent_lab_tui.graph.desk import Desk
from agent_lab_tui.graph.lab.analysis_rules import BRIEF
from agent_lab_tui.graph.lab.demo import write_project
from agent_lab_tui.graph.lab.registry import Start, agent
from agent_lab_tui.graph.lab.standing import ledger_on
from agent_lab_tui.graph.lab.starting import start
from agent_lab_tui.graph.lab.workspace import Workspace, replace_file
from agent_lab_tui.graph.settings.file import load
from agent_lab_tui.store.checkpoints.copying import copy_thread
from agent_lab_tui.store.effects import Effects
from agent_lab_tui.store.lab.tasks import Tasks
from agent_lab_tui.tui.widgets.work import Work


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A whole lab, which is the present folder, with one task that waits."""
    made = Workspace(tmp_path / "lab")
    made.database.parent.mkdir(parents=True)
    write_project(made)
    replace_file(made.brief, BRIEF)
    start(made, agent("analysis"), Start("task-001", "task-001"), lambda _: None)
    monkeypatch.chdir(made.root)
    return made


@pytest.fixture
def halted(lab: Workspace) -> Workspace:
    """The same with another task, whose process was killed on its way."""
    words = ["lab", "start", "analysis", "task-009", "--crash", "confirm"]
    command = [sys.executable, "-P", "-m", "agent_lab_tui.tui", *words]
    died = subprocess.run(command, cwd=lab.root, capture_output=True, text=True, check=False)
    assert died.returncode < 0, died.stderr
    return lab


async def test_a_thread_of_the_lab_has_a_page_with_its_row_checkpoint_and_ledger(
    lab: Workspace, desk_of: Callable[..., Desk], at
) -> None:
    async with at(desk_of(lab.database), (120, 40)) as hand:
        await hand.open("task-001")
        await hand.until_seen("Run log   Lab")
        await hand.press("l")
        await hand.until_seen("waiting_confirmation · step 2 of 8")
        for text in (
            "Row, checkpoint, ledger and files agree.",
            "waiting · step 2 · before confirm",
            "asks write_report",
            "step:1  read_and_extract  completed",
            "step:3  write_report  not done yet",
            "task row completed: status is waiting_confirmation",
        ):
            assert text in hand.seen()
        assert "belongs to no task" not in hand.seen()
        await hand.press("escape")
        assert hand.desk.query_one(Work).page == "request"


async def test_a_thread_of_no_task_has_no_such_page(case, at) -> None:
    async with at(case("05"), (120, 40)) as hand:
        await hand.until(lambda: hand.desk.shown is not None)
        await hand.until(lambda: not any(worker.group == "lab" for worker in hand.app.workers))
        await hand.press("l")
        assert hand.desk.query_one(Work).page == "request"
        assert "Lab" not in hand.seen().splitlines()[-2]


async def test_what_was_halted_is_counted_at_the_start_listed_with_its_remedy_and_opened(
    halted: Workspace, desk_of: Callable[..., Desk], at
) -> None:
    async with at(desk_of(halted.database), (120, 40)) as hand:
        await hand.until_seen("1 task of the lab was halted or disagrees: O lists what puts it right")
        await hand.open("task-001")
        await hand.press("O")
        await hand.until_seen("the run ended, the row says")
        assert "run the safe step again" in hand.seen()
        assert "agent-lab-tui lab recover task-009" in hand.seen()
        await hand.press("enter")
        await hand.until(lambda: hand.desk.shown.thread.thread_id == "task-009")
        await hand.until(lambda: hand.desk.check_action("page", ("lab",)))
        await hand.press("l")
        await hand.until_seen("agent-lab-tui lab recover task-009")
        assert "✖ the run ended" in hand.seen()


async def test_the_list_of_what_was_halted_is_left_without_opening_anything(
    halted: Workspace, desk_of: Callable[..., Desk], at
) -> None:
    async with at(desk_of(halted.database)) as hand:
        await hand.until_seen("1 task of the lab was halted")
        await hand.open("task-001")
        await hand.press("O")
        await hand.until_seen("nothing runs by itself")
        await hand.press("escape")
        await hand.until(lambda: hand.app.screen is hand.desk)
        assert hand.desk.shown.thread.thread_id == "task-001"


async def test_a_file_that_is_gone_is_marked_where_the_operator_looks(
    lab: Workspace, desk_of: Callable[..., Desk], at
) -> None:
    Tasks(lab.database).complete("task-001", {"report_path": "output/task-001/report.md"})
    async with at(desk_of(lab.database), (120, 40)) as hand:
        await hand.open("task-001")
        await hand.until(lambda: hand.desk.check_action("page", ("lab",)))
        await hand.press("l")
        await hand.until_seen("✖ the row says completed, the result is not there")
        assert "✖ output/task-001/report.md  MISSING" in hand.seen()
        assert "agent-lab-tui show task-001" in hand.seen()


async def test_the_request_says_what_the_ledger_knows_of_its_key(
    lab: Workspace, desk_of: Callable[..., Desk], at
) -> None:
    async with at(desk_of(lab.database), (120, 40)) as hand:
        await hand.open("task-001")
        await hand.until_seen("Ledger: task-001:step:3 not done yet")
        ledger = Effects(lab.ledger)
        begun = ledger.begin("task-001:step:3", "write_report", {})
        hand.desk.reading.read_thread("task-001", is_opened=False)
        await hand.until_seen("Ledger: task-001:step:3 started, end unknown")
        ledger.finish(begun.effect, "written")
        hand.desk.reading.read_thread("task-001", is_opened=False)
        await hand.until_seen("Ledger: task-001:step:3 done at ")


def test_nothing_is_said_of_what_an_agent_may_keep_in_a_ledger_of_its_own(
    lab: Workspace, desk_of: Callable[..., Desk]
) -> None:
    """A copy of the thread is no task of the lab, though its request names the same key."""
    desk = desk_of(lab.database)
    thread = desk.thread("task-001")
    copy_thread(desk.database, "task-001", thread.checkpoint_id, "copy", is_fresh=False)
    copy = desk.thread("copy")
    assert copy.questions[0].operations[0].key == "task-001:step:3"
    assert ledger_on(desk, thread) == {"task-001:step:3": None}
    assert ledger_on(desk, copy) == {}


@pytest.mark.slow
async def test_the_receipt_tells_an_insert_from_one_that_was_there(lab: Workspace, at) -> None:
    start(lab, agent("report"), Start("report-1", "report-1"), lambda _: None)
    desk = Desk.open(load(lab.root / "agent-lab.toml"), db=None, operator="ann", os_user="ann")
    with closing(desk):
        async with at(desk, (120, 40)) as hand:
            await hand.open("report-1")
            await hand.until_seen("Ledger: report-1:step:3 not done yet")
            await hand.press("enter", "end", "a")
            await hand.until_seen("finished; write_status inserted")
            hand.desk.open_thread("report-1")
            await hand.until(lambda: hand.desk.shown.thread.situation == "done")
            await hand.press("l")
            await hand.until_seen("step:3  write_report  done, 1 attempt")


@pytest.mark.slow
async def test_what_is_put_right_elsewhere_is_counted_no_more(
    halted: Workspace, desk_of: Callable[..., Desk], at
) -> None:
    async with at(desk_of(halted.database)) as hand:
        await hand.until_seen("1 task of the lab was halted")
        command = [sys.executable, "-P", "-m", "agent_lab_tui.tui", "lab", "recover"]
        await asyncio.to_thread(subprocess.run, command, cwd=halted.root, check=True, capture_output=True)
        await hand.until(lambda: "was halted" not in hand.seen())
        assert not hand.desk.findings
