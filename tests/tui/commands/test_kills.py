"""Killed at any moment: the decision is found with its true state, and nothing is sent again by itself."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

DIE_BEFORE_RUNNING = """
import os, signal
from agent_lab_tui.graph.desk import Desk
Desk.carry_out = lambda desk, thread_id: os.kill(os.getpid(), signal.SIGKILL)
"""


def approve(folder: Any) -> tuple[str, ...]:
    return ("answer", "t1", "--approve", *folder.seen)


def until(path: Path, process: Any) -> None:
    """Wait for a file that the agent makes while it runs."""
    while not path.exists():
        assert process.poll() is None, process.communicate()


def state(folder: Any) -> str:
    (decision,) = folder.journal.decisions()
    return str(decision.state)


def test_killed_between_the_journal_and_the_run_it_is_offered_and_not_run(folder: Any) -> None:
    process = folder.process(*approve(folder), before=DIE_BEFORE_RUNNING)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    assert (state(folder), folder.paid) == ("recorded", [])
    assert folder.json("journal", "show", "--open")[1][0]["state"] == "recorded"
    assert folder(*approve(folder))[0] == 3
    assert "it has not started" in folder.error
    assert folder.paid == []
    assert folder("go-on", "t1")[0] == 0
    assert (state(folder), folder.paid) == ("applied", ["PAID 10"])


def test_a_host_that_dies_after_the_answer_took_effect_leaves_it_applied(folder: Any) -> None:
    folder.write("die-in-pay", "")
    code, printed = folder.json(*approve(folder))
    assert (code, printed["outcome"], printed["situation"]) == (1, "applied", "stopped")
    assert "host" in printed["error"]
    assert folder.paid == ["PAID 10"]
    assert folder(*approve(folder))[0] == 3


def test_a_host_that_dies_in_the_asking_node_leaves_it_unknown_and_is_not_repeated(folder: Any) -> None:
    folder.write("die-in-review", "")
    code, printed = folder.json(*approve(folder))
    assert (code, printed["outcome"], folder.paid) == (1, "unknown", [])
    assert folder(*approve(folder))[0] == 3
    assert "not known" in folder.error
    assert "--again" in folder.error
    for look in (("journal", "show"), ("journal", "verify")):
        assert folder(*look)[0] == 0
    assert folder.paid == []
    assert folder(*approve(folder), "--again")[0] == 0
    assert folder.paid == ["PAID 10"]
    assert [decision.state for decision in folder.journal.decisions()] == ["withdrawn", "applied"]


def test_a_command_that_dies_during_the_run_leaves_the_outcome_to_its_host(folder: Any) -> None:
    folder.write("wait-in-pay", "")
    process = folder.process(*approve(folder))
    until(folder.path / "waiting-in-pay", process)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert state(folder) == "running"
    assert folder(*approve(folder))[0] == 3
    (folder.path / "wait-in-pay").unlink()
    while folder.journal.leases.alive("t1"):
        pass
    assert (state(folder), folder.paid) == ("applied", ["PAID 10"])


def test_command_and_host_killed_during_the_run_leave_what_the_rows_tell(folder: Any) -> None:
    folder.write("wait-in-review", "")
    process = folder.process(*approve(folder))
    until(folder.path / "waiting-in-review", process)
    holder = folder.journal.leases.holder("t1")
    process.send_signal(signal.SIGKILL)
    os.kill(holder.process.pid, signal.SIGKILL)
    process.communicate()
    (folder.path / "wait-in-review").unlink()
    while folder.journal.leases.alive("t1"):
        pass
    assert state(folder) == "running"
    assert folder(*approve(folder))[0] == 3
    assert "not known" in folder.error
    assert (state(folder), folder.paid) == ("unknown", [])
    (decision,) = folder.journal.open()
    code, printed = folder.json("withdraw", decision.decision_id, "--drop", "--reason", "looked")
    assert (code, printed["situation"]) == (0, "waiting")
    assert folder(*approve(folder))[0] == 0
    assert folder.paid == ["PAID 10"]


def test_the_journal_of_every_kill_is_whole(folder: Any) -> None:
    folder.write("die-in-review", "")
    folder(*approve(folder))
    code, verdict = folder.json("journal", "verify")
    assert (code, verdict["is_whole"]) == (0, True)
    with closing(sqlite3.connect(folder.journal.path)) as conn:
        kinds = [kind for (kind,) in conn.execute("SELECT kind FROM event ORDER BY seq")]
    assert kinds == ["recorded", "running", "unknown"]
    assert json.loads(folder.journal.events()[0].body)["database"] == str(folder.path / "agent.db")
