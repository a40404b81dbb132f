"""Killed at any moment: the decision is found with its true state, and nothing is sent again by itself."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
from contextlib import closing
from pathlib import Path
from threading import Event
from typing import Any

import pytest

pytestmark = pytest.mark.slow

DIE_BEFORE_RUNNING = """
import os, signal
from agent_lab_tui.graph.desk import Desk
Desk.carry_out = lambda desk, thread_id: os.kill(os.getpid(), signal.SIGKILL)
"""


def approve(live: Any) -> tuple[str, ...]:
    return ("answer", "t1", "--approve", *live.seen)


def until(path: Path, process: Any) -> None:
    """Wait for a file that the agent makes while it runs."""
    while not path.exists():
        assert process.poll() is None, process.communicate()
        Event().wait(0.02)


def free(live: Any) -> None:
    """Wait until nobody runs the thread any more."""
    while live.journal.leases.alive("t1"):
        Event().wait(0.02)


def state(live: Any) -> str:
    (decision,) = live.journal.decisions()
    return str(decision.state)


def test_killed_between_the_journal_and_the_run_it_is_offered_and_not_run(live: Any) -> None:
    process = live.process(*approve(live), before=DIE_BEFORE_RUNNING)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    assert (state(live), live.paid) == ("recorded", [])
    assert live.json("journal", "show", "--open")[1][0]["state"] == "recorded"
    assert live(*approve(live))[0] == 3
    assert "it has not started" in live.error
    assert live.paid == []
    assert live("go-on", "t1")[0] == 0
    assert (state(live), live.paid) == ("applied", ["PAID 10"])


def test_a_host_that_dies_after_the_answer_took_effect_leaves_it_applied(live: Any) -> None:
    live.write("die-in-pay", "")
    code, printed = live.json(*approve(live))
    assert (code, printed["outcome"], printed["situation"]) == (1, "applied", "stopped")
    assert "host" in printed["error"]
    assert live.paid == ["PAID 10"]
    assert live(*approve(live))[0] == 3


def test_what_a_killed_run_had_begun_is_named_and_run_again_only_when_told_so(live: Any) -> None:
    live.write("die-in-pay", "")
    assert live(*approve(live))[0] == 1
    _, shown = live("show", "t1")
    assert "killed by signal 9 (SIGKILL)" in " ".join(shown.split())
    assert "broke off" in live("list")[1]
    doctor = live("doctor")[1]
    assert "a run broke off" in doctor
    assert "go-on t1 --again" in doctor
    assert live("go-on", "t1")[0] == 3
    assert "pay" in live.error
    assert "--again" in live.error
    assert live.paid == ["PAID 10"]
    assert live("go-on", "t1", "--again")[0] == 0
    assert live.paid == ["PAID 10", "PAID 10"]
    assert "broke off" not in live("doctor")[1]


def test_a_host_that_dies_in_the_asking_node_leaves_it_unknown_and_is_not_repeated(live: Any) -> None:
    live.write("die-in-review", "")
    code, printed = live.json(*approve(live))
    assert (code, printed["outcome"], live.paid) == (1, "unknown", [])
    assert live(*approve(live))[0] == 3
    assert "not known" in live.error
    assert "--again" in live.error
    for look in (("journal", "show"), ("journal", "verify")):
        assert live(*look)[0] == 0
    assert live.paid == []
    assert live(*approve(live), "--again")[0] == 0
    assert live.paid == ["PAID 10"]
    assert [decision.state for decision in live.journal.decisions()] == ["withdrawn", "applied"]


def test_a_command_that_dies_during_the_run_leaves_the_outcome_to_its_host(live: Any) -> None:
    live.write("wait-in-pay", "")
    process = live.process(*approve(live))
    until(live.path / "waiting-in-pay", process)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert state(live) == "running"
    assert live(*approve(live))[0] == 3
    (live.path / "wait-in-pay").unlink()
    free(live)
    assert (state(live), live.paid) == ("applied", ["PAID 10"])


def test_a_run_that_is_not_waited_for_ends_by_itself_and_is_written_down(live: Any) -> None:
    live.write("wait-in-pay", "")
    code, printed = live.json(*approve(live), "--wait", "6")
    assert (code, printed["outcome"]) == (1, "unknown")
    assert "still running" in printed["error"]
    assert state(live) == "running"
    (live.path / "wait-in-pay").unlink()
    free(live)
    assert (state(live), live.paid) == ("applied", ["PAID 10"])


def test_command_and_host_killed_during_the_run_leave_what_the_rows_tell(live: Any) -> None:
    live.write("wait-in-review", "")
    process = live.process(*approve(live))
    until(live.path / "waiting-in-review", process)
    holder = live.journal.leases.holder("t1")
    process.send_signal(signal.SIGKILL)
    os.kill(holder.process.pid, signal.SIGKILL)
    process.communicate()
    (live.path / "wait-in-review").unlink()
    free(live)
    assert state(live) == "running"
    assert live(*approve(live))[0] == 3
    assert "not known" in live.error
    assert (state(live), live.paid) == ("unknown", [])
    (decision,) = live.journal.open()
    code, printed = live.json("withdraw", decision.decision_id, "--drop", "--reason", "looked")
    assert (code, printed["situation"]) == (0, "waiting")
    assert live(*approve(live))[0] == 0
    assert live.paid == ["PAID 10"]


def test_the_journal_of_every_kill_is_whole(live: Any) -> None:
    live.write("die-in-review", "")
    live(*approve(live))
    code, verdict = live.json("journal", "verify")
    assert (code, verdict["is_whole"]) == (0, True)
    with closing(sqlite3.connect(live.journal.path)) as conn:
        kinds = [kind for (kind,) in conn.execute("SELECT kind FROM event ORDER BY seq")]
    assert kinds == ["recorded", "running", "broke-off", "unknown"]
    assert json.loads(live.journal.events()[0].body)["database"] == str(live.path / "agent.db")
