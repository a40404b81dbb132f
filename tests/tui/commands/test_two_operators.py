"""Two operators answer one question at the same moment: it is done once, and the loser is told."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

ROUNDS, BY_COMMAND = 50, 5

OPERATOR = """
import sys
from agent_lab_tui.graph.deciding.checks import Stale
from agent_lab_tui.graph.desk import Desk
from agent_lab_tui.graph.questions import Choice
from agent_lab_tui.graph.settings.file import load
from agent_lab_tui.store.journal.book import QuestionTaken
from pathlib import Path

desk = Desk.open(load(Path("agent-lab.toml")), db=None, operator=sys.argv[1], os_user="tester")
desk.load_graphs()
print("ready", flush=True)
for line in sys.stdin:
    thread = desk.thread(line.strip())
    print("seen", flush=True)
    sys.stdin.readline()
    try:
        decision = desk.decide(thread, {question.id: [Choice("approve")] for question in thread.questions})
        desk.carry_out(thread.thread_id).result(60)
        print(desk.journal.decision(decision.decision_id).state, flush=True)
    except (QuestionTaken, Stale) as late:
        print("lost:", late, flush=True)
desk.close()
"""


class Operator:
    """A process with a desk and a host of its own."""

    def __init__(self, live: Any, name: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", OPERATOR, name],
            cwd=live.path,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Operator:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.communicate()

    def say(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def hear(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()


@pytest.mark.slow
def test_fifty_times_at_the_same_moment_it_is_done_once_each(live: Any) -> None:
    threads = [f"race-{number}" for number in range(ROUNDS)]
    for number, thread_id in enumerate(threads):
        live.agent({"amount": number}, thread_id)
    with Operator(live, "ann") as ann, Operator(live, "bob") as bob:
        assert [ann.hear(), bob.hear()] == ["ready", "ready"]
        for thread_id in threads:
            for step in (thread_id, "go"):
                for one in (ann, bob):
                    one.say(step)
                heard = sorted([ann.hear(), bob.hear()])
                assert step == "go" or heard == ["seen", "seen"]
            assert heard[0] == "applied", heard
            assert heard[1].startswith("lost: "), heard
    assert sorted(live.paid) == sorted(f"PAID {number}" for number in range(ROUNDS))
    assert live.journal.verify().is_whole
    winners = {decision.order.by for decision in live.journal.decisions()}
    assert winners == {"ann", "bob"}


@pytest.mark.slow
def test_on_the_command_line_one_of_two_wins_and_the_other_ends_with_three(live: Any) -> None:
    for number in range(BY_COMMAND):
        thread_id = f"race-{number}"
        live.agent({"amount": number}, thread_id)
        command = ("answer", thread_id, "--approve", "--seen", live.thread(thread_id).digest)
        both = [live.process("--operator", name, *command) for name in ("ann", "bob")]
        said = [process.communicate(timeout=60) for process in both]
        assert sorted(process.returncode for process in both) == [0, 3], said
        (loser,) = (err for process, (_, err) in zip(both, said, strict=True) if process.returncode)
        assert "approved this on" in loser
        assert loser.count("\n") == 1
    assert sorted(live.paid) == [f"PAID {number}" for number in range(BY_COMMAND)]
