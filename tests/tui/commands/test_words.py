"""What the command line says reads as it is meant: lines stay lines, and a sentence is one."""

from __future__ import annotations

from typing import Any

import pytest


def test_a_group_alone_prints_its_help_in_lines(folder: Any) -> None:
    for group in ("journal", "lab"):
        folder(group)
        said = folder.error or folder(group)[1]
        assert "␊" not in said
        assert "\nOptions:\n" in said


def test_checkpoints_that_a_word_fits_are_listed_in_lines(live: Any) -> None:
    live.agent({"amount": 10}, "t\n1")
    live.agent({"amount": 11}, "t\n1")
    same = live.thread("t\n1").checkpoint_id[:4]
    code, _ = live("show", "t\n1", "--checkpoint", same)
    first, *listed = live.error.rstrip("\n").split("\n")
    assert code == 2
    assert first.endswith("name one by its id:")
    assert all(line.startswith(f"  {same}") for line in listed)
    assert len(listed) > 1
    assert "␊" not in live.error


def test_what_is_only_recorded_reads_as_done_and_says_how_it_runs(live: Any) -> None:
    code, printed = live("answer", "t1", "--approve", "--record-only", *live.seen)
    assert (code, live.error) == (0, "")
    assert printed.splitlines() == [
        "recorded",
        "t1 is decided and nothing has run yet: `agent-lab-tui go-on t1` carries it out.",
    ]


@pytest.mark.parametrize("flags", [[], ["--record-only"]])
def test_a_graph_that_cannot_be_loaded_is_told_once(live: Any, flags: list[str]) -> None:
    live.write("agent.py", "import nowhere_to_be_found\n")
    live("answer", "t1", "--approve", *live.seen, *flags)
    assert live.error.count("nowhere_to_be_found") == 1


def test_a_missing_module_names_the_way_to_the_projects_own_python(live: Any) -> None:
    live.write("agent.py", "import nowhere_to_be_found\n")
    assert "--python" in live("check")[1]
    assert "--python" in live("doctor")[1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["list", "--graph", "none.py:graph"], "There is no file "),
        (["list", "--graph", "agent.py"], "The name 'agent.py' names a file"),
    ],
)
def test_a_wrong_graph_is_told_in_a_whole_sentence(folder: Any, words: list[str], said: str) -> None:
    code, _ = folder(*words)
    assert code == 2
    assert folder.error.startswith(said)
    assert folder.error.endswith(".\n")


@pytest.mark.parametrize("command", ["list", "doctor"])
def test_settings_that_nobody_reads_are_told_in_one_line(folder: Any, command: str) -> None:
    folder.write("agent-lab.toml", 'grphs = ["agent.py:builder"]\nnotfy = "x"\n' + folder.settings)
    folder(command)
    (line,) = folder.error.splitlines()
    assert "grphs is not a key of agent-lab.toml." in line
    assert "And 1 more" in line


def test_answers_reach_their_graph_when_another_one_of_its_file_is_named(live: Any) -> None:
    settings = live.settings.replace('"*:review"', '"agent:review"')
    live.write("agent-lab.toml", settings)
    assert live("answer", "t1", "--approve", *live.seen)[0] == 0
    other = "\nother = StateGraph(State).add_node('look', lambda s: {}).add_edge(START, 'look')\n"
    live.write("agent.py", (live.path / "agent.py").read_text() + other)
    live.write(
        "agent-lab.toml", settings.replace('"agent.py:builder"', '"agent.py:builder", "agent.py:other"')
    )
    live.agent({"amount": 10}, "t2")
    assert live("answer", "t2", "--approve", "--seen", live.thread("t2").digest)[0] == 0
    assert live.error == ""
    assert live.paid == ["PAID 10", "PAID 10"]
