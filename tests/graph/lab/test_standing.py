"""A task's truths side by side: read by looking, marked where they disagree, each with one way on."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from lab_player import APPROVE, Player

from agent_lab_tui.graph.desk import Desk
from agent_lab_tui.graph.lab.analysis_rules import BRIEF
from agent_lab_tui.graph.lab.carrying_on import desk_of
from agent_lab_tui.graph.lab.demo import write_project
from agent_lab_tui.graph.lab.finding import find
from agent_lab_tui.graph.lab.standing import Standing, lab_of, ledger_on, standing_on
from agent_lab_tui.graph.lab.workspace import Workspace, replace_file
from agent_lab_tui.graph.settings.file import load
from agent_lab_tui.store.journal.book import Order
from agent_lab_tui.store.lab.tasks import Tasks


@pytest.fixture
def task(lab: Workspace) -> Player:
    """A task in a whole project that has not started."""
    write_project(lab)
    replace_file(lab.brief, BRIEF)
    return Player(lab, "analysis", "task-001")


def stands(player: Player, thread_id: str | None = None) -> Standing:
    with desk_of(player.lab) as desk:
        found = standing_on(desk, thread_id or player.task_id)
    assert found is not None
    return found


def yes_to(desk: Desk, thread_id: str) -> Order:
    """Make the order that says yes to everything a thread of the analysis asks."""
    thread = desk.thread(thread_id)
    said = {one.id: {"decisions": [APPROVE]} for one in thread.questions}
    return replace(desk.deciding.prepare(thread, values=said), graph="analysis")


def test_a_waiting_task_shows_what_its_request_names_and_the_ledger_does_not_know(task: Player) -> None:
    task.start()
    found = stands(task)
    assert found.status.status == "waiting_confirmation"
    assert found.not_done == (("task-001:step:3", "write_report"),)
    assert found.head is not None
    assert found.head.next == ("confirm",)
    assert found.head.asks == ("write_report",)
    assert found.findings == ()
    assert found.is_waiting


def test_a_done_task_shows_its_effect_and_the_size_of_its_files(task: Player) -> None:
    task.start()
    task.approve_all()
    found = stands(task)
    assert found.is_accepted
    assert found.not_done == ()
    assert [(one["key"], one["state"], one["attempt"]) for one in found.status.effects] == [
        ("task-001:step:3", "done", 1)
    ]
    sizes = {file.name: file.size for file in found.files}
    assert sizes["output/task-001/report.md"] == (task.lab.output("task-001") / "report.md").stat().st_size


def test_a_file_that_the_records_count_on_is_missing_and_a_person_is_told_where_to_look(task: Player) -> None:
    task.start()
    task.approve_all()
    (task.lab.output("task-001") / "report.md").unlink()
    found = stands(task)
    assert {file.name: file.size for file in found.files}["output/task-001/report.md"] is None
    (finding,) = found.findings
    assert finding.finding == "the row says completed, the result is not there"
    assert finding.way.startswith("agent-lab-tui history task-001")


def test_a_halted_task_names_the_command_that_carries_it_on(task: Player) -> None:
    task.dies("start()", at="confirm")
    (finding,) = stands(task).findings
    assert finding.remedy == "run the safe step again"
    assert finding.way == f"agent-lab-tui lab recover task-001 --dir {task.lab.root}"


def test_a_missing_part_of_a_waiting_run_is_told_with_what_makes_it_again(waiting: Player) -> None:
    part = waiting.lab.root / "work" / "run-217" / "deps" / "re2.lib"
    assert stands(waiting).findings == ()
    part.unlink()
    (finding,) = stands(waiting).findings
    assert finding.evidence == "work/run-217/deps/re2.lib"
    assert finding.way.startswith("agent-lab-tui lab resume run-217")


def test_looking_settles_nothing(task: Player) -> None:
    task.start()
    with desk_of(task.lab) as desk:
        decision = desk.record(yes_to(desk, "task-001"))
    task.approve_all()
    with desk_of(task.lab) as desk:
        found = standing_on(desk, "task-001")
        assert found is not None
        assert found.situation == "done"
        after = desk.journal.decision(decision.decision_id)
    assert after is not None
    assert after.state == "recorded"


def test_a_decision_that_never_started_is_told_with_the_command_that_carries_it_out(task: Player) -> None:
    task.start()
    with desk_of(task.lab) as desk:
        desk.record(yes_to(desk, "task-001"))
        (finding,) = find(task.lab, desk)
    assert finding.finding == "a decision is recorded"
    assert finding.way == "agent-lab-tui go-on task-001 carries it out"


@pytest.mark.parametrize("agent", ["patch", "outbox", "report"])
def test_every_agent_finds_its_task_by_the_thread(lab: Workspace, agent: str) -> None:
    player = Player(lab, agent, "one")
    player.start()
    found = stands(player)
    assert (found.status.agent, found.status.task_id, found.situation) == (agent, "one", "waiting")
    with desk_of(lab) as desk:
        assert standing_on(desk, "../another") is None


def test_a_thread_of_another_name_leads_to_its_task(task: Player) -> None:
    task.start()
    other = Tasks(task.lab.database).on_thread("task-001")
    assert other is not None
    assert other.task_id == "task-001"
    assert Tasks(task.lab.database).on_thread("task-002") is None


def test_a_damaged_row_of_the_task_keeps_nobody_from_its_request(task: Player) -> None:
    task.start()
    with closing(sqlite3.connect(task.lab.database)) as connection, connection:
        connection.execute("UPDATE tasks SET result_json = '{'")
    with desk_of(task.lab) as desk:
        thread = desk.thread("task-001")
        assert thread.questions
        assert ledger_on(desk, thread) == {}


def test_a_database_of_somebody_else_is_no_lab_and_gets_no_tables(tmp_path: Path, zoo_db) -> None:
    path = tmp_path / "data" / "agent.db"
    path.parent.mkdir()
    path.write_bytes(Path(zoo_db).read_bytes())
    before = path.read_bytes()
    desk = Desk.open(load(None), db=str(path))
    assert lab_of(desk) is None
    assert standing_on(desk, desk.lines()[0].thread_id) is None
    desk.close()
    assert path.read_bytes() == before


def test_looking_at_the_lab_loads_no_langgraph() -> None:
    """The screen's process looks, and agents are found by name: no import contract sees them."""
    code = (
        "import sys\n"
        "from agent_lab_tui.graph.lab import finding, standing\n"
        "from agent_lab_tui.graph.lab.registry import agents\n"
        "agents()\n"
        "found = {name.split('.')[0] for name in sys.modules}\n"
        "sys.exit(', '.join(found & {'langgraph', 'langchain_core', 'langchain'}) or 0)\n"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
