"""Many processes decide the same questions at once: each has one winner, and each deed is done once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from threading import Event

import pytest

from agent_lab_tui.store.journal.book import Journal

PROCESSES, QUESTIONS, THREADS = 8, 200, 20

OPERATOR = """
import random, sys
from pathlib import Path
from threading import Event
from agent_lab_tui.store.journal.book import Journal, Order, QuestionTaken

name, database, effects = sys.argv[1], Path(sys.argv[2]), open(sys.argv[3], "a")
journal, questions = Journal(database), list(range(int(sys.argv[4])))
random.Random(name).shuffle(questions)
print("ready", flush=True)
sys.stdin.readline()
for number in questions:
    thread = f"task-{number % int(sys.argv[5])}"
    try:
        decision = journal.record(Order("answer", thread, "1ef", "d", (f"q{number}",), by=name))
    except QuestionTaken as taken:
        assert taken.decision.order.by
        continue
    while (token := journal.leases.take(thread)) is None:
        Event().wait(0.005)
    journal.start([decision.decision_id], token)
    effects.write(f"{number}\\n")
    effects.flush()
    journal.end([decision.decision_id], "unknown", token)
    journal.leases.release(thread, token)
"""


def operator(name: str, database: Path, *arguments: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", OPERATOR, name, str(database), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.mark.slow
def test_eight_processes_and_two_hundred_questions_give_two_hundred_winners(tmp_path: Path) -> None:
    database, effects = tmp_path / "agent.db", tmp_path / "effects"
    database.touch()
    arguments = (str(effects), str(QUESTIONS), str(THREADS))
    operators = [operator(f"operator-{number}", database, *arguments) for number in range(PROCESSES)]
    for process in operators:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in operators:
        process.communicate(timeout=120)
        assert process.returncode == 0
    journal = Journal(database)
    assert journal.verify().is_whole
    assert len(journal.open()) == QUESTIONS
    assert Counter(event.kind for event in journal.events()) == dict.fromkeys(
        ("recorded", "running", "unknown"), QUESTIONS
    )
    assert sorted(map(int, effects.read_text("utf-8").split())) == list(range(QUESTIONS))


@pytest.mark.slow
def test_a_kill_at_any_moment_leaves_a_whole_journal(tmp_path: Path) -> None:
    database = tmp_path / "agent.db"
    database.touch()
    for number in range(5):
        process = operator(f"operator-{number}", database, str(tmp_path / "effects"), "100000", "100000")
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
        journal = Journal(database)
        while len(journal.events()) < 40 * (number + 1):
            Event().wait(0.005)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        assert journal.verify().is_whole
    assert journal.leases.all_alive() == frozenset()
