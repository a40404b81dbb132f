"""The lab on the command line: the demo, starting, resuming, judging, putting right, keeping."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver

from agent_lab_tui.graph.lab import crash
from agent_lab_tui.graph.lab import demo as demo_module
from agent_lab_tui.graph.lab.demo import PARTS, make_demo
from agent_lab_tui.graph.lab.filling import filling
from agent_lab_tui.graph.lab.registry import agents
from agent_lab_tui.store.lab.reports import Reports

Said = tuple[int, str, str]
Command = Callable[..., Said]


@pytest.fixture(scope="module")
def master(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A demo made once; tests work on copies, which every demo allows."""
    folder = tmp_path_factory.mktemp("master") / "demo"
    make_demo(folder, lambda _: None)
    return folder


@pytest.fixture
def folder(master: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh copy of the demo, which is the present folder."""
    copy = tmp_path / "demo"
    shutil.copytree(master, copy)
    monkeypatch.chdir(copy)
    return copy


def in_a_process(*words: str, folder: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-P", "-m", "agent_lab_tui.tui", *words]
    return subprocess.Popen(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ},
    )


def query(folder: Path, statement: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(folder / "data" / "agent.db")) as connection, connection:
        return connection.execute(statement).fetchall()


def status(al: Command, task_id: str) -> dict[str, Any]:
    code, out, err = al("lab", "status", task_id, "--json")
    assert code == 0, err
    found: dict[str, Any] = json.loads(out)
    return found


# The demo


def test_the_demo_has_agents_that_wait_one_that_is_done_and_one_that_failed(
    folder: Path, al: Command
) -> None:
    _, out, _ = al("list", "--json")
    found = {line["thread_id"]: line["situation"] for line in json.loads(out)}
    assert found["task-000"] == "done"
    assert found["task-007"] == "failed"
    assert [found[name] for name in ("task-001", "task-002", "task-003", "report-1")] == ["waiting"] * 4


def test_the_first_request_of_the_demo_has_operation_arguments_reason_and_impact(
    folder: Path, al: Command
) -> None:
    _, out, _ = al("list", "--json")
    first = json.loads(out)[0]["thread_id"]
    assert first == "task-001"
    _, out, _ = al("show", first, "--json")
    (operation,) = json.loads(out)["questions"][0]["operations"]
    assert operation["name"] == "write_report"
    assert all(operation[part] for part in ("arguments", "reason", "impact", "risk"))
    assert set(operation["allowed"]) == {"approve", "edit", "reject", "explain"}
    assert "simulated" in operation["reason"]


def test_the_layout_of_the_demo_is_the_one_the_readme_tells(folder: Path) -> None:
    for file in (
        *("agents.py", "langgraph.json", "agent-lab.toml", "data/agent.db", "data/input/brief.txt"),
        *("output/task-000/report.md", "output/task-000/run.log"),
    ):
        assert (folder / file).is_file()


def test_everything_in_the_demo_is_its_owners_alone(master: Path) -> None:
    for path in (master, *master.rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


def test_the_demo_is_made_once_and_found_ever_after(folder: Path, al: Command) -> None:
    before = (folder / "data" / "agent.db").read_bytes()
    code, out, _ = al("demo", ".", "--json")
    assert code == 0
    record = json.loads(out)
    assert record["db"] == str(folder / "data" / "agent.db")
    assert record["graph"] == str(folder / "langgraph.json")
    assert set(record["threads"]) >= {part.task_id for part in PARTS if part.agent in ("analysis", "report")}
    assert (folder / "data" / "agent.db").read_bytes() == before


def test_a_folder_with_something_else_in_it_is_left_alone(tmp_path: Path, al: Command) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    code, _, err = al("demo", str(tmp_path), "--no-tui")
    assert code == 2
    assert "is no demo" in err
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_making_that_ends_early_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo_module, "PARTS", PARTS[1:2])

    def interrupted(_: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_demo(tmp_path / "demo", interrupted)
    assert list(tmp_path.iterdir()) == []


def test_a_making_that_ends_early_leaves_an_empty_folder_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo_module, "PARTS", PARTS[1:2])

    def interrupted(_: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_demo(tmp_path, interrupted)
    assert list(tmp_path.iterdir()) == []


def test_an_empty_folder_in_which_somebody_stands_is_filled_and_stays_the_same_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, al: Command
) -> None:
    monkeypatch.setattr(demo_module, "PARTS", PARTS[-1:])
    monkeypatch.chdir(tmp_path)
    before = tmp_path.stat().st_ino
    code, out, err = al("demo", ".", "--no-tui")
    assert (code, err) == (0, "")
    assert out.rstrip().endswith("Open it: agent-lab-tui")
    assert (Path.cwd(), tmp_path.stat().st_ino) == (tmp_path, before)
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]
    assert status(al, "task-001")["situation"] == "waiting"


def test_without_a_terminal_the_demo_is_made_and_how_to_open_it_is_said(tmp_path: Path) -> None:
    made = in_a_process("demo", "here", folder=tmp_path)
    out, err = made.communicate(timeout=120)
    assert (made.returncode, err) == (0, "")
    assert out.rstrip().endswith("Open it: agent-lab-tui --settings here/agent-lab.toml")
    opened = in_a_process("--settings", "here/agent-lab.toml", folder=tmp_path)
    out, err = opened.communicate(timeout=120)
    assert (opened.returncode, out) == (2, "")
    assert err.startswith("The screen needs a terminal: ")
    assert len(err.splitlines()) == 1


def test_what_a_killed_making_left_in_the_folder_is_dropped_or_moved_to_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo_module, "PARTS", PARTS[-1:])
    (tmp_path / ".demo.unfinished" / "data").mkdir(parents=True)
    assert make_demo(tmp_path, lambda _: None).is_new
    (tmp_path / ".demo.whole").mkdir()
    for name in ("data", "output"):
        (tmp_path / name).rename(tmp_path / ".demo.whole" / name)
    found = make_demo(tmp_path, lambda _: None)
    assert (found.is_new, found.threads) == (False, ("task-001",))
    assert not (tmp_path / ".demo.whole").exists()


def test_two_makers_of_one_folder_do_not_meet(tmp_path: Path, al: Command) -> None:
    with filling(tmp_path):
        code, _, err = al("demo", str(tmp_path), "--no-tui")
    assert (code, err) == (2, f"Another process makes the demo in {tmp_path} now; wait for it.\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words", [("demo", ".", "--no-tui"), ("lab", "status"), ("list",), ("check",), ()])
def test_a_folder_that_was_deleted_under_the_command_is_told_in_one_sentence(
    tmp_path: Path, al: Command, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert al(*words) == (2, "", "The folder that this runs in is gone: go into another one with `cd`.\n")


def test_the_saver_alone_made_the_checkpoint_tables(folder: Path, tmp_path: Path) -> None:
    with SqliteSaver.from_conn_string(str(tmp_path / "fresh.db")) as saver:
        saver.setup()
    schema = "SELECT name, sql FROM sqlite_master WHERE tbl_name IN ('checkpoints', 'writes') ORDER BY name"
    with closing(sqlite3.connect(tmp_path / "fresh.db")) as connection:
        assert query(folder, schema) == connection.execute(schema).fetchall()


def test_looking_leaves_the_business_tables_as_they_are(folder: Path, al: Command) -> None:
    tables = [query(folder, f"SELECT * FROM {table}") for table in ("tasks", "task_steps")]
    for words in (("list", "--json"), ("show", "task-001", "--json"), ("history", "task-001", "--json")):
        assert al(*words)[0] == 0
    assert [query(folder, f"SELECT * FROM {table}") for table in ("tasks", "task_steps")] == tables


# Start and resume


def test_a_task_waits_says_the_next_command_and_is_carried_on_by_it(folder: Path, al: Command) -> None:
    code, out, _ = al("lab", "start", "analysis", "task-010")
    assert code == 0
    assert "task-010 waits at confirm: write_report" in out
    assert out.rstrip().endswith("Next: agent-lab-tui lab resume task-010")
    code, out, _ = al("lab", "resume", "task-010", "--json")
    assert code == 0
    record = json.loads(out)
    assert (record["status"], record["is_accepted"]) == ("completed", True)
    inputs = "SELECT count(*) FROM checkpoints WHERE CAST(metadata AS TEXT) LIKE '%\"input\"%'"
    assert query(folder, f"{inputs} AND thread_id = 'task-010'") == [(1,)]


def test_resume_prints_the_whole_request_before_it_approves_it(folder: Path, al: Command) -> None:
    before = query(folder, "SELECT count(*) FROM checkpoints")
    code, out, _ = al("lab", "resume", "task-001", "--look")
    assert (code, query(folder, "SELECT count(*) FROM checkpoints")) == (0, before)
    assert status(al, "task-001")["status"] == "waiting_confirmation"
    digest = next(line for line in out.splitlines() if line.startswith("  digest  "))
    code, out, _ = al("lab", "resume", "task-001")
    assert code == 0
    yes = out.index("This resume is the operator's own yes to it")
    for part in (
        "task-001 waits at confirm: write_report",
        "  argument ",
        "  reason  ",
        "  impact  ",
        digest,
    ):
        assert out.index(part) < yes < out.index("row     completed")


def test_status_of_all_tasks_is_a_line_each_with_what_waits_and_what_does_not_agree(
    folder: Path, al: Command
) -> None:
    (folder / "output/task-000/report.md").write_text("somebody's own words")
    code, out, _ = al("lab", "status")
    lines = out.splitlines()
    assert (code, len(lines)) == (0, 1 + len(PARTS) + 1)
    cells = {line.split()[0]: re.split(r"  +", line) for line in lines[1:-1]}
    assert set(cells) == {part.task_id for part in PARTS}
    assert cells["task-001"] == [
        *("task-001", "analysis", "waiting_confirmation", "waiting", "2", "write_report"),
    ]
    assert cells["task-007"][5].startswith("input missing: data/input/lost.txt")
    assert cells["task-000"][5].startswith("! ")
    assert [name for name, row in cells.items() if "! " in row[-1]] == ["task-000"]
    assert "lab recover --dry-run" in lines[-1]
    assert len(json.loads(al("lab", "status", "--json")[1])) == len(PARTS)


def test_a_task_that_merely_waits_has_no_red_cross(folder: Path, al: Command) -> None:
    _, out, _ = al("lab", "status", "patch-1")
    assert "row     waiting_confirmation" in out
    assert "not done yet: it waits for an answer" in out
    assert "✖" not in out


def test_a_dry_recovery_names_the_remedy_and_what_to_type(folder: Path, al: Command) -> None:
    with closing(sqlite3.connect(folder / "data" / "agent.db")) as connection, connection:
        connection.execute("UPDATE tasks SET status = 'running' WHERE task_id = 'task-000'")
    lines = al("lab", "recover", "task-000", "--dry-run")[1].splitlines()
    assert lines[2:4] == ["  remedy  record completion", "  way on  agent-lab-tui lab recover task-000"]
    assert "not done" not in "".join(lines)


def test_a_backup_is_named_by_its_plain_path(folder: Path, al: Command) -> None:
    code, out, err = al("lab", "backup", "data/../../bak")
    assert (code, err) == (0, "")
    assert f"files are in {folder.parent}/bak; every lab command takes --dir {folder.parent}/bak." in out


def test_recover_names_the_tasks_that_failed_and_their_way_on(folder: Path, al: Command) -> None:
    code, out, _ = al("lab", "recover", "--dry-run")
    assert code == 0
    assert "task-007 failed (" in out
    assert out.rstrip().endswith("mend it, then agent-lab-tui go-on task-007")


def test_the_next_command_names_the_folder_where_it_is_another(
    folder: Path, al: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.parent)
    _, out, _ = al("lab", "start", "analysis", "task-010")
    assert out.rstrip().endswith("Next: agent-lab-tui lab resume task-010 --dir demo")


def test_resume_of_a_completed_task_gives_its_result_and_runs_nothing(folder: Path, al: Command) -> None:
    report = folder / "output" / "task-000" / "report.md"
    before = (query(folder, "SELECT count(*) FROM checkpoints"), report.stat().st_mtime_ns)
    code, out, _ = al("lab", "resume", "task-000", "--json")
    assert code == 0
    assert json.loads(out)["report_path"] == "output/task-000/report.md"
    code, out, _ = al("lab", "resume", "task-000")
    assert (code, out.splitlines()[:3]) == (
        0,
        [
            "task-000 is completed already, and nothing was run.",
            "  task_id: task-000",
            "  status: completed",
        ],
    )
    assert "  report_path: output/task-000/report.md" in out
    assert (query(folder, "SELECT count(*) FROM checkpoints"), report.stat().st_mtime_ns) == before


def test_resume_of_a_task_that_waits_for_an_approval_says_how_to_answer(folder: Path, al: Command) -> None:
    code, out, _ = al("lab", "resume", "report-1")
    assert code == 4
    assert "report-1 waits at request_approval: report_approval" in out
    assert "agent-lab-tui answer report-1 --approve --seen" in out
    assert Reports(folder / "data" / "business.db").find("report-1:step:3") is None


def test_resume_of_a_failed_task_tries_again_and_its_mended_input_completes_it(
    folder: Path, al: Command
) -> None:
    code, out, err = al("lab", "resume", "task-007")
    assert code == 1
    assert "task-007 was failed" in out
    assert "go-on" in out
    assert "lost.txt is gone" in err
    shutil.copy(folder / "data/input/brief.txt", folder / "data/input/lost.txt")
    assert al("go-on", "task-007")[0] == 0
    assert status(al, "task-007")["status"] == "waiting_confirmation"
    assert status(al, "task-007")["error"] is None


def test_resume_of_an_unknown_task_is_refused_and_makes_nothing(folder: Path, al: Command) -> None:
    before = query(folder, "SELECT count(*) FROM checkpoints")
    code, _, err = al("lab", "resume", "task-999")
    assert code == 3
    assert "There is no task task-999" in err
    assert query(folder, "SELECT count(*) FROM checkpoints") == before
    assert query(folder, "SELECT * FROM tasks WHERE task_id = 'task-999'") == []


@pytest.mark.slow
def test_the_thread_may_be_called_otherwise_and_resume_finds_it(folder: Path, al: Command) -> None:
    assert al("lab", "start", "analysis", "task-010", "--thread-id", "other")[0] == 0
    found = status(al, "task-010")
    assert (found["task_id"], found["thread_id"], found["situation"]) == ("task-010", "other", "waiting")
    assert al("lab", "resume", "task-010")[0] == 0
    assert status(al, "task-010")["is_accepted"]


def test_a_second_start_is_refused_and_points_to_resume(folder: Path, al: Command) -> None:
    before = [query(folder, f"SELECT * FROM {table}") for table in ("tasks", "task_steps", "checkpoints")]
    code, _, err = al("lab", "start", "analysis", "task-001")
    assert code == 4
    assert "lab resume task-001" in err
    code, _, err = al("lab", "start", "report", "task-002")
    assert code == 4
    assert [
        query(folder, f"SELECT * FROM {table}") for table in ("tasks", "task_steps", "checkpoints")
    ] == before


def test_a_thread_of_somebody_else_is_not_written_into(folder: Path, al: Command) -> None:
    code, _, err = al("lab", "start", "analysis", "task-010", "--thread-id", "task-001")
    assert code == 4
    assert "There is a thread task-001 already" in err
    assert query(folder, "SELECT * FROM tasks WHERE task_id = 'task-010'") == []


def test_the_help_of_start_names_agents_settings_places_and_the_lab_it_needs(al: Command) -> None:
    code, out, _ = al("lab", "start", "--help")
    said = " ".join(out.split())
    assert code == 0
    assert "It needs a lab: a folder that `agent-lab-tui demo` made" in said
    for one in agents():
        assert f"{one.name} {one.about}" in said
        assert all(f"{one.name}: {name} {what}" in said for name, what in one.settings.items())
    assert "patch:before-write" in said
    assert "AGENT_LAB_CRASH=WHERE in the environment of `answer`" in said


def test_a_place_that_the_agent_does_not_pass_is_refused_with_those_it_passes(
    folder: Path, al: Command
) -> None:
    code, _, err = al("lab", "start", "patch", "patch-2", "--crash", "nowhere")
    assert code == 2
    assert err.startswith("patch passes no place 'nowhere'; it passes born, checkpoint, ")
    assert al("lab", "resume", "patch-1", "--crash", "confirm")[0] == 2
    assert not (folder / "output" / "patch-2").exists()


def test_a_place_behind_the_question_is_told_with_the_command_that_passes_it(
    folder: Path, al: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(crash.VARIABLE, "")
    code, out, err = al("lab", "start", "analysis", "task-010", "--crash", "report:after-write")
    assert (code, "waits at confirm" in out) == (0, True)
    assert err.startswith("Nothing was killed: report:after-write was not passed yet; AGENT_LAB_CRASH=")


@pytest.mark.parametrize(
    "words",
    [
        ("lab", "bogus", "x"),
        ("lab", "start"),
        ("lab", "start", "analysis"),
        ("lab", "start", "bogus", "x"),
        ("lab", "start", "analysis", "../x"),
        ("lab", "start", "analysis", "x", "--set", "novalue"),
        ("lab", "start", "patch", "x", "--set", "brief=x"),
        ("lab", "prune", "--older-than", "soon"),
        ("lab", "examples", "bogus"),
    ],
)
def test_wrong_usage_ends_with_2_and_a_sentence(folder: Path, al: Command, words: tuple[str, ...]) -> None:
    code, out, err = al(*words)
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert "Traceback" not in err
    assert re.search(r"[^.] See `", err) is None


def test_without_a_lab_the_way_to_one_is_said(
    tmp_path: Path, al: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, err = al("lab", "status")
    assert code == 2
    assert "agent-lab-tui demo" in err
    (tmp_path / "my lab").mkdir()
    code, _, err = al("lab", "status", "--dir", "my lab/../my lab")
    assert f"`agent-lab-tui demo '{tmp_path}/my lab' --no-tui` makes one" in err
    assert not list((tmp_path / "my lab").iterdir())


def test_a_wrong_answer_is_refused_before_it_is_sent_and_the_right_one_completes(
    folder: Path, al: Command
) -> None:
    code, _, err = al("answer", "task-001", "--value", '"stop"', "--seen", digest(al, "task-001"))
    assert code == 4, err
    assert status(al, "task-001")["status"] == "waiting_confirmation"
    assert al("answer", "task-001", "--approve", "--seen", digest(al, "task-001"))[0] == 0
    assert status(al, "task-001")["is_accepted"]


def digest(al: Command, thread_id: str) -> str:
    found: str = json.loads(al("show", thread_id, "--json")[1])["digest"]
    return found


def test_data_that_moved_makes_the_answer_stale_and_leaves_the_question(folder: Path, al: Command) -> None:
    seen = digest(al, "report-1")
    Reports(folder / "data" / "business.db").put_topic("queues at peak hours", "Now 5 minutes.")
    code, _, err = al("answer", "report-1", "--approve", "--seen", seen)
    assert code == 3
    assert "was 1 and is 2 now" in err
    assert status(al, "report-1")["situation"] == "waiting"
    code, _, err = al("replay", "report-1", "head")
    assert code == 0, err
    (question,) = json.loads(al("show", "report-1", "--json")[1])["questions"]
    assert "Now 5 minutes." in question["value"]["preview"]
    assert "was 1 and is 2 now" in question["value"]["changed"][0]


def test_the_demo_answers_the_reports_question_with_a_boolean(folder: Path, al: Command) -> None:
    code, _, err = al("answer", "report-1", "--approve", "--seen", digest(al, "report-1"))
    assert code == 0, err
    assert status(al, "report-1")["is_accepted"]
    assert status(al, "report-1")["result"]["write_status"] == "inserted"


@pytest.mark.slow
@pytest.mark.parametrize("write_status", ["inserted", "already_exists"])
def test_the_outcome_line_tells_an_insert_from_one_that_was_there(
    write_status: str, folder: Path, al: Command
) -> None:
    shown = json.loads(al("show", "report-1", "--json")[1])
    if write_status == "already_exists":
        asked = shown["questions"][0]["operations"][0]["arguments"]
        Reports(folder / "data" / "business.db").insert("report-1:step:3", asked["topic"], asked["preview"])
    code, out, err = al("answer", "report-1", "--approve", "--seen", shown["digest"])
    assert code == 0, err
    assert f"applied: finished; write_status {write_status}" in out


@pytest.mark.slow
def test_the_reason_of_a_no_reaches_the_report_agent(folder: Path, al: Command) -> None:
    assert al("answer", "report-1", "--reject", "wrong quarter", "--seen", digest(al, "report-1"))[0] == 0
    assert status(al, "report-1")["error"] == "declined by the operator: wrong quarter"


@pytest.mark.slow
def test_an_edited_preview_is_what_is_inserted(folder: Path, al: Command) -> None:
    shown = json.loads(al("show", "report-1", "--json")[1])
    arguments = {**shown["questions"][0]["operations"][0]["arguments"], "preview": "Shorter.\n"}
    words = ("answer", "report-1", "--edit", json.dumps(arguments), "--seen", shown["digest"])
    code, _, err = al(*words)
    assert code == 0, err
    row = Reports(folder / "data" / "business.db").find("report-1:step:3")
    assert row is not None
    assert row.content == "Shorter.\n"


# Status and recovery


def test_status_has_the_four_truths_apart(folder: Path, al: Command) -> None:
    found = status(al, "task-000")
    assert found["is_accepted"]
    assert [check["name"] for check in found["checks"]] == [
        "same thread carried on to its end",
        "report there and not empty",
        "task row completed",
    ]
    assert [step["idempotency_key"] for step in found["steps"]] == [f"task-000:step:{n}" for n in (1, 2, 3)]
    assert [effect["state"] for effect in found["effects"]] == ["done"]
    assert found["files"] == ["output/task-000/report.md", "output/task-000/run.log"]


@pytest.mark.parametrize(
    "break_it",
    [
        lambda folder: (folder / "output/task-000/report.md").unlink(),
        lambda folder: (folder / "output/task-000/report.md").write_text(""),
        lambda folder: query(folder, "UPDATE tasks SET status = 'running' WHERE task_id = 'task-000'"),
        lambda folder: query(folder, "DELETE FROM checkpoints WHERE thread_id = 'task-000'"),
    ],
)
def test_each_proof_that_is_broken_alone_ends_the_acceptance(
    folder: Path, al: Command, break_it: Callable[[Path], object]
) -> None:
    break_it(folder)
    found = status(al, "task-000")
    assert not found["is_accepted"]
    assert found["findings"]


def test_a_row_that_claims_completion_without_a_report_is_a_disagreement(folder: Path, al: Command) -> None:
    query(folder, "UPDATE tasks SET status = 'completed' WHERE task_id = 'task-001'")
    found = status(al, "task-001")
    assert not found["is_accepted"]
    (finding,) = found["findings"]
    assert finding["finding"] == "the row says completed, the result is not there"
    assert finding["remedy"] == "hand to a human"


def rows_of(folder: Path) -> dict[str, int]:
    tables = ("tasks", "task_steps", "checkpoints", "writes")
    return {table: query(folder, f"SELECT count(*) FROM {table}")[0][0] for table in tables}


def kill(folder: Path, *words: str) -> None:
    process = in_a_process(*words, folder=folder)
    process.communicate()


@pytest.mark.slow
def test_a_report_whose_task_still_runs_is_recorded_as_completed_and_not_touched(
    folder: Path, al: Command
) -> None:
    kill(folder, "lab", "resume", "task-001", "--crash", "report:before-status")
    report, before = folder / "output/task-001/report.md", rows_of(folder)
    was = (report.read_bytes(), report.stat().st_mtime_ns)
    assert status(al, "task-001")["status"] == "running"
    code, out, _ = al("lab", "recover", "--json")
    assert code == 0
    done = json.loads(out)
    assert [one["remedy"] for one in done] == ["record completion", "run the safe step again"]
    assert all(one["is_done"] for one in done)
    assert status(al, "task-001")["is_accepted"]
    assert (report.read_bytes(), report.stat().st_mtime_ns) == was
    assert all(rows_of(folder)[table] >= count for table, count in before.items())
    assert al("lab", "recover")[1].startswith("Everything agrees.\n")


@pytest.mark.slow
def test_a_task_killed_at_birth_is_begun_with_its_own_id(folder: Path, al: Command) -> None:
    kill(folder, "lab", "start", "analysis", "task-010", "--crash", "born")
    assert status(al, "task-010")["situation"] is None
    code, _, err = al("lab", "resume", "task-010")
    assert code == 4
    assert "lab recover task-010" in err
    assert al("lab", "recover", "task-010")[0] == 0
    assert status(al, "task-010")["situation"] == "waiting"


def test_what_only_a_person_can_judge_is_left_to_them(folder: Path, al: Command) -> None:
    (folder / "output/task-000/report.md").write_text("somebody's own words")
    before = rows_of(folder)
    code, out, _ = al("lab", "recover", "--json")
    assert code == 1
    (left,) = json.loads(out)
    assert (left["task_id"], left["remedy"], left["is_done"]) == ("task-000", "hand to a human", False)
    assert (folder / "output/task-000/report.md").read_text() == "somebody's own words"
    assert rows_of(folder) == before


@pytest.mark.slow
def test_a_dry_run_of_recover_changes_nothing(folder: Path, al: Command) -> None:
    kill(folder, "lab", "start", "analysis", "task-010", "--crash", "read")
    before = rows_of(folder)
    code, out, _ = al("lab", "recover", "--dry-run", "--json")
    assert code == 0
    assert [one["remedy"] for one in json.loads(out)] == ["run the safe step again"]
    assert rows_of(folder) == before


# Keeping


@pytest.mark.slow
def test_a_backup_is_a_lab_that_can_be_carried_on(folder: Path, al: Command, tmp_path: Path) -> None:
    code, out, _ = al("lab", "backup", str(tmp_path / "copy"), "--json")
    assert code == 0
    assert "data/agent.db" in json.loads(out)["files"]
    assert al("lab", "resume", "task-001", "--dir", str(tmp_path / "copy"))[0] == 0
    assert (tmp_path / "copy/output/task-001/report.md").is_file()
    assert not (folder / "output/task-001/report.md").exists()
    assert status(al, "task-001")["situation"] == "waiting"
    for path in (tmp_path / "copy", *(tmp_path / "copy").rglob("*")):
        if "__pycache__" not in path.parts:
            assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


def test_a_backup_never_writes_over_something(folder: Path, al: Command, tmp_path: Path) -> None:
    (tmp_path / "copy").mkdir()
    assert al("lab", "backup", str(tmp_path / "copy"))[0] == 4
    assert al("lab", "backup", str(folder / "copy"))[0] == 4


def test_prune_tells_first_and_drops_only_what_is_long_finished(folder: Path, al: Command) -> None:
    query(folder, "UPDATE tasks SET updated_at = '2020-01-01T00:00:00Z'")
    code, out, _ = al("lab", "prune", "--older-than", "30d", "--json")
    assert code == 0
    assert json.loads(out)["is_done"] is False
    assert [one["task_id"] for one in json.loads(out)["tasks"]] == ["task-000"]
    assert status(al, "task-000")["is_accepted"]
    assert al("lab", "prune", "--older-than", "30d", "--yes")[0] == 0
    assert query(folder, "SELECT * FROM tasks WHERE task_id = 'task-000'") == []
    assert query(folder, "SELECT * FROM checkpoints WHERE thread_id = 'task-000'") == []
    assert (folder / "output/task-000/report.md").is_file()
    assert status(al, "task-001")["situation"] == "waiting"


def test_prune_leaves_what_is_young(folder: Path, al: Command) -> None:
    assert json.loads(al("lab", "prune", "--older-than", "30d", "--json")[1])["tasks"] == []


def test_clean_deletes_a_folder_only_when_it_is_told_to(
    folder: Path, al: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert al("lab", "clean", "task-000")[0] != 0
    assert (folder / "output/task-000").is_dir()
    assert al("lab", "clean", "task-000", "--yes")[0] == 0
    assert not (folder / "output/task-000").exists()


def test_the_examples_are_listed_with_a_line_each(folder: Path, al: Command) -> None:
    code, out, _ = al("lab", "examples")
    assert code == 0
    assert "memory" in out


# Several at once, and without a net


@pytest.mark.slow
def test_of_two_resumes_at_once_one_writes_and_the_other_is_told(folder: Path, al: Command) -> None:
    for number in range(5):
        task_id = f"race-{number}"
        assert al("lab", "start", "analysis", task_id)[0] == 0
        both = [in_a_process("lab", "resume", task_id, folder=folder) for _ in range(2)]
        ends = [(*process.communicate(), process.returncode) for process in both]
        assert status(al, task_id)["is_accepted"]
        log = (folder / "output" / task_id / "run.log").read_text().splitlines()
        assert len(log) == 1
        codes = sorted(code for *_, code in ends)
        assert codes[0] == 0, ends
        # The loser either met the decision of the other, or came after the end.
        assert codes[1] in (0, 3), ends


@pytest.mark.slow
def test_the_demo_needs_no_net(tmp_path: Path) -> None:
    alone = ["unshare", "--map-root-user", "--net"]
    if subprocess.run([*alone, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this system lets nobody make a namespace without a net")
    command = [*alone, sys.executable, "-P", "-m", "agent_lab_tui.tui", "demo", "demo", "--json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "task-001" in json.loads(done.stdout)["threads"]
