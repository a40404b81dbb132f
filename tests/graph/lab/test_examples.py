"""The examples show what they say, in the processes they say."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from agent_lab_tui.graph.lab import crash, examples
from agent_lab_tui.graph.lab.examples import checkpoint
from agent_lab_tui.graph.lab.examples.checkpoint import BrokenCheckpoint, Progress, load, save


def shown(capsys: pytest.CaptureFixture[str], name: str, *arguments: str) -> str:
    assert examples.run(name, arguments) == 0
    return capsys.readouterr().out


def test_an_unknown_example_is_refused_with_the_names() -> None:
    with pytest.raises(KeyError, match="there are checkpoint, memory, unsafe-write, outbox, session"):
        examples.run("nope")


def test_a_plan_killed_at_its_fourth_step_is_carried_on_from_three(
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = shown(capsys, "checkpoint")
    assert "checkpoint: 3 steps done, 3 of 5 used" in out
    assert "result: completed" in out
    assert "configure libpng 1x" in out


def test_the_budget_of_a_plan_goes_on_in_the_next_process(capsys: pytest.CaptureFixture[str]) -> None:
    out = shown(capsys, "checkpoint", "--max-steps", "4")
    assert "checkpoint: 3 steps done, 3 of 4 used" in out
    assert "result: budget_exceeded" in out
    assert "build libpng 1x" not in out


def test_a_kill_between_the_act_and_its_checkpoint_does_it_twice(capsys: pytest.CaptureFixture[str]) -> None:
    assert "configure libpng 2x" in shown(capsys, "checkpoint", "--crash", "after")


def test_a_kill_while_the_checkpoint_is_written_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "run-217.json"
    old = Progress(done=["fetch zlib"], steps_used=1)
    save(path, old)
    command = [sys.executable, "-m", checkpoint.MODULE, "--carry-on", str(tmp_path)]
    died = subprocess.run(command, env={**os.environ, crash.VARIABLE: "checkpoint:half written"})
    assert died.returncode == -signal.SIGKILL
    assert load(path) == old
    (leftover,) = tmp_path.glob("*.tmp")
    with pytest.raises(ValueError, match=r"Unterminated|Expecting"):
        json.loads(leftover.read_text())
    assert subprocess.run(command, capture_output=True, text=True).stdout.endswith("result: completed\n")


def test_no_checkpoint_is_an_empty_start(tmp_path: Path) -> None:
    assert load(tmp_path / "run-217.json") == Progress(done=[], steps_used=0)


@pytest.mark.parametrize("broken", ["", "{", "[]", '{"done": 1}', '{"done": [], "steps_used": "many"}'])
def test_a_broken_checkpoint_is_named_and_kept(broken: str, tmp_path: Path) -> None:
    path = tmp_path / "run-217.json"
    path.write_text(broken)
    with pytest.raises(BrokenCheckpoint, match=r"run-217\.json is no checkpoint"):
        load(path)
    assert path.read_text() == broken


def test_a_saver_in_memory_loses_the_thread_and_one_in_a_file_keeps_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    in_memory, in_file = shown(capsys, "memory").split("SqliteSaver:")
    assert "task-001 is not found: the saver kept it in the memory of a process that is gone" in in_memory
    assert "task-001 is found, it still waits at confirm: a note on the queue at noon" in in_file


def test_an_insert_without_a_key_is_repeated_and_one_with_a_key_is_not(
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = shown(capsys, "unsafe-write")
    assert "Rows without a key: 2. Rows with the operation's key: 1." in out
    assert out.count("already_exists") == 1


def test_a_mail_sent_again_blindly_goes_out_twice_and_one_with_a_key_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    blindly, with_key = shown(capsys, "outbox").split("Outbox and key:")
    assert "mails that went out: 2" in blindly
    assert "already_sent" in with_key
    assert "mails that went out: 1" in with_key


def test_the_session_example_shows_every_property_of_the_log(capsys: pytest.CaptureFixture[str]) -> None:
    out = shown(capsys, "session")
    assert "No result was recorded" in out
    assert "line 8 was torn by a kill and is skipped" in out
    assert "what stood before is unchanged" in out
    assert "a1 b1 c2" in out
    assert "Summary of what went before" in out
    assert "line 3 cannot be read" in out
