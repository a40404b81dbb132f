"""The fault table: a real kill -9 at every named place, and what the next process makes of it.

Beside each kill stands the controlled pause, which is what a question is: the task is left at its question,
its process ends in order, and another process carries it on.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from agent_lab_tui.graph.lab import crash
from agent_lab_tui.graph.lab.demo import write_project
from agent_lab_tui.graph.lab.workspace import Workspace
from agent_lab_tui.store.effects import Effects
from agent_lab_tui.store.journal.book import Journal
from agent_lab_tui.tui.cli import run

pytestmark = pytest.mark.slow

ASKS = "asks"
"""Nothing is done again by itself: the operator decides anew."""
GOES_ON = "goes on"
"""`lab recover` puts it right without a question."""


@dataclass(frozen=True)
class Operator:
    """Types commands in a lab; those that are to be killed in a process of their own."""

    root: Path
    agent: str
    capsys: pytest.CaptureFixture[str]
    task_id: str = "task-001"

    def types(self, *words: str, die_at: str | None = None) -> subprocess.CompletedProcess[str]:
        if die_at is None:
            self.capsys.readouterr()
            code = run(list(words))
            return subprocess.CompletedProcess(words, code, *self.capsys.readouterr())
        environment = {**os.environ, crash.VARIABLE: die_at}
        command = [sys.executable, "-P", "-m", "agent_lab_tui.tui", *words]
        return subprocess.run(
            command, cwd=self.root, env=environment, capture_output=True, text=True, check=False
        )

    def starts(self, die_at: str | None = None) -> None:
        done = self.types("lab", "start", self.agent, self.task_id, die_at=die_at)
        assert done.returncode == (-signal.SIGKILL if die_at else 0), done.stderr

    def approves(self, *more: str, die_at: str | None = None) -> subprocess.CompletedProcess[str]:
        seen = json.loads(self.types("show", self.task_id, "--json").stdout)["digest"]
        return self.types("answer", self.task_id, "--approve", "--seen", seen, *more, die_at=die_at)

    def recovers(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(self.types("lab", "recover", "--json").stdout)
        return found

    def status(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.types("lab", "status", self.task_id, "--json").stdout)
        return found

    def deeds(self) -> int:
        """How often the deed was done, as the outside world shows it."""
        if self.agent == "report":
            return sum(effect.state == "done" for effect in Effects(Workspace(self.root).ledger).all())
        log = self.root / "output" / self.task_id / "run.log"
        return log.read_text("utf-8").count("report_written") if log.exists() else 0


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    workspace = Workspace(tmp_path / "lab")
    write_project(workspace)
    monkeypatch.chdir(workspace.root)
    return workspace


@pytest.fixture
def operator(lab: Workspace, agent: str, capsys: pytest.CaptureFixture[str]) -> Operator:
    return Operator(lab.root, agent, capsys)


@pytest.mark.parametrize("agent", ["analysis", "report"])
def test_a_controlled_pause_is_carried_on_by_another_process(operator: Operator) -> None:
    operator.starts()
    assert operator.recovers() == []
    assert operator.approves().returncode == 0
    assert operator.status()["is_accepted"]
    assert operator.deeds() == 1


@pytest.mark.parametrize(
    ("agent", "place"),
    [
        ("analysis", "born"),
        ("analysis", "confirm"),
        ("analysis", "stored-writes"),
        ("report", "generated"),
    ],
)
def test_killed_before_its_question_it_is_found_and_comes_to_it(operator: Operator, place: str) -> None:
    operator.starts(die_at=place)
    assert all(one["is_done"] for one in operator.recovers())
    assert operator.status()["situation"] == "waiting"
    assert operator.recovers() == []
    assert operator.approves().returncode == 0
    assert operator.status()["is_accepted"]
    assert operator.deeds() == 1


@pytest.mark.parametrize(
    ("agent", "place", "then"),
    [
        ("analysis", "confirmed", ASKS),
        ("analysis", "report:before-write", GOES_ON),
        ("analysis", "file:before-replace", GOES_ON),
        ("analysis", "report:after-write", GOES_ON),
        ("analysis", "report:after-log", GOES_ON),
        ("analysis", "report:before-status", GOES_ON),
        ("analysis", "report:after-status", GOES_ON),
        ("report", "confirmed", ASKS),
        ("report", "report:before-commit", GOES_ON),
        ("report", "report:after-commit", GOES_ON),
        ("report", "report:before-status", GOES_ON),
    ],
)
def test_killed_after_the_yes_it_is_done_once_or_asked(
    lab: Workspace, operator: Operator, place: str, then: str
) -> None:
    operator.starts()
    assert operator.approves(die_at=place).returncode == 1
    found = operator.recovers()
    if then == ASKS:
        (left,) = found
        assert (left["finding"], left["remedy"]) == ("a decision is unknown", "hand to a human")
        assert operator.deeds() == 0
        assert operator.approves().returncode == 3
        assert operator.approves("--again").returncode == 0
    else:
        assert all(one["is_done"] for one in found), found
    assert operator.status()["is_accepted"]
    assert operator.deeds() == 1
    assert operator.recovers() == []
    journal = Journal(lab.database)
    assert journal.verify().is_whole
    assert journal.open() == ()
