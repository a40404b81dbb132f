"""The builder on the command line: killed, checked in order, carried on, cleaned up only by order."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent_lab_tui.graph.lab import crash
from agent_lab_tui.graph.lab.project import complete_project
from agent_lab_tui.graph.lab.workspace import Workspace

Said = tuple[int, str, str]
Command = Callable[..., Said]
ORDER = ["checkpoint found", "checkpoint", "environment", "pending effects", "budget", "variables"]


@pytest.fixture(scope="module")
def master(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lab whose run was killed when the model had answered for the third time; made once."""
    folder = tmp_path_factory.mktemp("master") / "lab"
    (folder / "data").mkdir(parents=True)
    complete_project(Workspace(folder))
    killed = types(
        "lab", "start", "builder", "run-1", "--set", "project=zlib", folder=folder, die_at="model:replied#3"
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    return folder


@pytest.fixture
def folder(master: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    copy = tmp_path / "lab"
    shutil.copytree(master, copy)
    monkeypatch.chdir(copy)
    return copy


def types(*words: str, folder: Path, die_at: str | None = None) -> subprocess.CompletedProcess[str]:
    more = {crash.VARIABLE: die_at} if die_at else {}
    command = [sys.executable, "-P", "-m", "agent_lab_tui.tui", *words]
    return subprocess.run(
        command, cwd=folder, env={**os.environ, **more}, capture_output=True, text=True, check=False
    )


def status(al: Command) -> dict[str, Any]:
    code, out, err = al("lab", "status", "run-1", "--json")
    assert code == 0, err
    found: dict[str, Any] = json.loads(out)
    return found


def test_a_killed_run_is_checked_in_order_and_carried_on_to_its_package(al: Command, folder: Path) -> None:
    assert (status(al)["situation"], status(al)["budget"]["steps"]) == ("stopped", "2 of 40 steps used")
    code, out, err = al("lab", "resume", "run-1", "--json")
    assert code == 0, err
    told = json.loads(out)
    assert [check["name"] for check in told["resume_checks"]] == ORDER
    assert all(check["is_ok"] for check in told["resume_checks"])
    assert (told["status"], told["is_accepted"], told["budget"]["steps"]) == (
        "completed",
        True,
        "5 of 40 steps used",
    )
    assert {step["status"] for step in told["steps"]} == {"done"}


def test_people_read_the_budget_and_the_plan(al: Command, folder: Path) -> None:
    _, out, _ = al("lab", "status", "run-1")
    assert "  budget  2 of 40 steps used" in out
    assert "  plan    [ ] build and install zlib" in out
    assert "finished, waits for its turn" in out, "the result of the build was ready when the kill came"


def test_a_check_that_fails_stops_the_resume_and_is_named(al: Command, folder: Path) -> None:
    shutil.rmtree(folder / "work")
    code, out, err = al("lab", "resume", "run-1", "--json")
    assert code == 4
    assert [check["name"] for check in json.loads(out)["resume_checks"]] == ORDER[:3]
    assert "environment fails: the work folder work/run-1 is gone; nothing was run" in err
    code, out, err = al("lab", "resume", "run-1")
    assert "✖ environment: the work folder work/run-1 is gone" in out
    assert not (folder / "work").exists()


def test_a_run_that_was_never_started_is_not_resumed(al: Command, folder: Path) -> None:
    code, _, err = al("lab", "resume", "run-999")
    assert (code, "There is no task run-999" in err) == (3, True)
    assert not (folder / "work" / "run-999").exists()


def test_a_work_folder_is_cleaned_up_by_order_alone(al: Command, folder: Path) -> None:
    assert (folder / "work" / "run-1" / "src").is_dir(), "the kill left it as it was"
    assert al("lab", "clean", "run-1", "--yes")[0] == 0
    assert not (folder / "work" / "run-1").exists()


def test_the_budget_is_a_status_and_not_a_crash(al: Command, folder: Path) -> None:
    code, out, err = al("lab", "start", "builder", "run-2", "--set", "project=zlib", "--max-steps", "2")
    assert (code, err) == (0, "")
    assert "budget_exceeded" in out


@pytest.mark.slow
def test_the_fault_table_is_printed_and_its_verdict_is_the_exit_code(al: Command) -> None:
    code, out, err = al("lab", "faults", "--agent", "patch", "--place", "born", "--place", "stored-writes")
    assert (code, err.count("✖")) == (0, 0)
    assert "| patch | `born` | 1 | before the first checkpoint |" in out
    assert "11 kills: 11 came to the end of an undisturbed run" in out
