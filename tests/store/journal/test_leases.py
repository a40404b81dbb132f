"""Leases: one live process a thread, and an outcome that comes too late does not count."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from agent_lab_tui.store import processes
from agent_lab_tui.store.journal.book import Journal, Order, OutOfTurn
from agent_lab_tui.store.journal.leases import SILENCE_SECONDS, Leases
from agent_lab_tui.store.processes import ProcessMark, born, this_process

TAKE_AND_STAY = """
import sys
from pathlib import Path
from agent_lab_tui.store.journal.leases import Leases
print(Leases(Path(sys.argv[1])).take("task-1"), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    database = tmp_path / "agent.db"
    database.touch()
    return Journal(database)


@pytest.fixture
def leases(journal: Journal) -> Leases:
    return journal.leases


def holder_process(journal: Journal) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", TAKE_AND_STAY, str(journal.path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "1"
    return process


def end(process: subprocess.Popen[str]) -> None:
    process.communicate()


def pretend(journal: Journal, **fields: object) -> None:
    with closing(sqlite3.connect(journal.path)) as conn:
        for name, value in fields.items():
            conn.execute(f"UPDATE lease SET {name} = ?", (value,))
        conn.commit()


def test_one_thread_is_taken_once_and_other_threads_are_free(leases: Leases) -> None:
    assert leases.take("task-1") == 1
    assert leases.take("task-1") is None
    assert leases.take("task-2") == 1
    assert leases.all_alive() == {"task-1", "task-2"}


def test_a_released_thread_is_taken_with_the_next_token(leases: Leases) -> None:
    assert leases.take("task-1") == 1
    leases.release("task-1", 1)
    assert not leases.alive("task-1")
    assert leases.holder("task-1") is None
    assert leases.take("task-1") == 2


def test_nobody_else_can_release_or_beat(leases: Leases) -> None:
    leases.take("task-1")
    leases.release("task-1", 7)
    assert leases.alive("task-1")
    assert leases.beat("task-1", 1)
    assert not leases.beat("task-1", 7)


def test_a_live_process_on_this_machine_keeps_its_thread_however_silent(journal: Journal) -> None:
    process = holder_process(journal)
    pretend(journal, beat=time.time() - 100 * SILENCE_SECONDS)
    assert journal.leases.alive("task-1")
    assert journal.leases.take("task-1") is None
    end(process)


def test_the_thread_of_a_dead_process_is_taken_over_at_once(journal: Journal) -> None:
    process = holder_process(journal)
    process.send_signal(signal.SIGKILL)
    end(process)
    assert not journal.leases.alive("task-1")
    assert journal.leases.take("task-1") == 2


def test_a_killed_process_that_nobody_waited_for_is_dead(journal: Journal) -> None:
    process = holder_process(journal)
    os.kill(process.pid, signal.SIGKILL)
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert not journal.leases.alive("task-1")
    end(process)


def test_another_process_that_got_the_same_number_is_not_the_holder(journal: Journal) -> None:
    journal.leases.take("task-1")
    pretend(journal, born="1")
    assert not journal.leases.alive("task-1")
    assert journal.leases.take("task-1") == 2


def test_a_holder_on_another_machine_has_a_generous_time_to_be_silent(journal: Journal) -> None:
    journal.leases.take("task-1")
    pretend(journal, host="elsewhere", pid=1, beat=time.time() - SILENCE_SECONDS + 30)
    assert journal.leases.take("task-1") is None
    pretend(journal, beat=time.time() - SILENCE_SECONDS - 1)
    assert journal.leases.take("task-1") == 2


def test_a_lease_given_back_on_another_machine_is_free_at_once(journal: Journal) -> None:
    journal.leases.take("task-1")
    pretend(journal, host="elsewhere")
    journal.leases.release("task-1", 1)
    assert not journal.leases.alive("task-1")
    assert journal.leases.take("task-1") == 2


def test_an_outcome_under_an_old_token_is_refused(journal: Journal) -> None:
    decision = journal.record(Order("answer", "task-1", "1ef", "d", ("q1",), by="ann"))
    token = journal.leases.take("task-1")
    assert token == 1
    journal.start([decision.decision_id], token)
    pretend(journal, born="1")
    assert journal.leases.take("task-1") == 2
    with pytest.raises(OutOfTurn, match="taken the thread over"):
        journal.end([decision.decision_id], "applied", token)
    assert [open_one.state for open_one in journal.open()] == ["running"]


def test_a_decision_cannot_start_without_the_lease(journal: Journal) -> None:
    decision = journal.record(Order("answer", "task-1", "1ef", "d", ("q1",), by="ann"))
    with pytest.raises(OutOfTurn):
        journal.start([decision.decision_id], 1)


def test_a_process_knows_itself_and_not_a_dead_one() -> None:
    assert this_process().is_alive
    assert born(0) is None
    process = subprocess.Popen([sys.executable, "-c", "pass"])
    mark = ProcessMark(this_process().host, process.pid, born(process.pid) or "")
    process.wait()
    assert not mark.is_alive


def test_where_there_is_no_proc_the_start_time_comes_from_ps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_PROC", Path("/nowhere"))
    first = born(os.getpid())
    assert first
    assert first == born(os.getpid())
    assert born(2**22 + 1) is None
