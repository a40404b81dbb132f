"""Answers reach their graph under every name that it could have, and keys of no use are told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agent_lab_tui.graph.hosting.facts import GraphFacts
from agent_lab_tui.graph.settings.file import Settings, load
from agent_lab_tui.graph.settings.naming import named_as_loaded, of_no_use
from agent_lab_tui.graph.settings.specs import Project, read_specs

NODES = (
    GraphFacts("agent.graph", nodes=("review", "send")),
    GraphFacts("agent.other", nodes=("check", "send")),
)


@pytest.fixture
def both(tmp_path: Path) -> tuple[Project, ...]:
    (tmp_path / "agent.py").touch()
    return read_specs(["agent.py:graph", "agent.py:other"], tmp_path)


def answers(**by_key: Any) -> Settings:
    return Settings(
        answers={key.replace("__", ":").replace("_", "."): kinds for key, kinds in by_key.items()}
    )


def test_a_file_alone_still_names_the_graph_that_has_the_node(both: tuple[Project, ...]) -> None:
    settings = named_as_loaded(answers(agent__review={"approve": 1}), both, NODES)
    assert settings.templates("agent.graph", "review") == {"approve": 1}
    assert settings.templates("agent.other", "review") == {}
    assert list(of_no_use(settings, both, NODES)) == []


def test_the_whole_name_holds_where_the_file_alone_would_do(tmp_path: Path) -> None:
    (tmp_path / "agent.py").touch()
    one = read_specs(["agent.py:graph"], tmp_path)
    settings = named_as_loaded(answers(agent_graph__review={"approve": 1}), one, ())
    assert settings.templates("agent", "review") == {"approve": 1}


@pytest.mark.parametrize("is_first", [True, False])
def test_the_name_that_the_graph_goes_by_wins(both: tuple[Project, ...], is_first: bool) -> None:
    pairs = [("agent.graph:review", {"approve": 1}), ("agent:review", {"approve": 2, "reject": 2})]
    given = Settings(answers=dict(pairs if is_first else pairs[::-1]))
    found = named_as_loaded(given, both, NODES).templates("agent.graph", "review")
    assert found == {"approve": 1, "reject": 2}


def test_a_node_that_two_graphs_of_the_file_have_needs_the_whole_name(both: tuple[Project, ...]) -> None:
    settings = named_as_loaded(answers(agent__send={"approve": 1}), both, NODES)
    assert settings.templates("agent.graph", "send") == {}
    (said,) = of_no_use(settings, both, NODES)
    assert "none of agent.graph, agent.other: name the one" in said


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("agnt:review", "is for no graph that is named; there is: agent.graph, agent.other."),
        ("agent.graph:revew", "is for no node that is there."),
        ("*:revew", "is for no node that is there."),
    ],
)
def test_answers_for_nothing_are_told(both: tuple[Project, ...], key: str, said: str) -> None:
    assert list(of_no_use(Settings(answers={key: {}}), both, NODES)) == [f'[answers."{key}"] {said}']


def test_of_graphs_that_are_not_loaded_no_node_is_missed(both: tuple[Project, ...]) -> None:
    for key in ("agent:review", "agent.graph:revew", "*:revew", "*:*"):
        assert list(of_no_use(Settings(answers={key: {}}), both, ())) == []


def test_unknown_keys_are_told_with_their_line(tmp_path: Path) -> None:
    (tmp_path / "agent-lab.toml").write_text('grphs = ["agent.py:graph"]\n')
    (said,) = of_no_use(load(tmp_path / "agent-lab.toml"), (), ())
    assert said.endswith("line 1: grphs is not a key of agent-lab.toml.")
