"""Which graphs are meant by what was typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agent_lab_tui.graph.settings.specs import SpecError, read_specs


def write(path: Path, text: str = "graph = None\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def config(folder: Path, **record: object) -> Path:
    return write(folder / "langgraph.json", json.dumps(record))


def test_a_file_without_a_slash_is_a_file(tmp_path: Path) -> None:
    write(tmp_path / "agent.py")
    (project,) = read_specs(["agent.py:graph"], tmp_path)
    (spec,) = project.specs
    assert (spec.name, spec.target, spec.paths) == ("agent", f"{tmp_path}/agent.py:graph", (tmp_path,))


def test_a_module_finds_the_folder_that_holds_it(tmp_path: Path) -> None:
    write(tmp_path / "desk" / "agent.py")
    (project,) = read_specs(["desk.agent:graph"], tmp_path)
    assert (project.specs[0].target, project.specs[0].paths) == ("desk.agent:graph", (tmp_path,))


def test_a_module_that_lies_elsewhere_leaves_the_path_alone(tmp_path: Path) -> None:
    (project,) = read_specs(["json.tool:main"], tmp_path)
    assert project.specs[0].paths == ()


def test_langgraph_json_gives_all_its_graphs_relative_to_itself(shared: Path, tmp_path: Path) -> None:
    folder = shared / "cases" / "19-langgraph-json-project"
    (project,) = read_specs([str(folder / "langgraph.json")], tmp_path)
    desk, audit = project.specs
    assert project.root == folder
    assert (desk.name, desk.description) == ("desk", "ticket desk")
    assert desk.target == f"{folder}/src/deskbot/agent.py:make_graph"
    assert (audit.name, audit.target, audit.paths) == ("audit", "deskbot.audit:graph", (folder / "src",))
    assert project.env == {"DESK_REGION": "eu-north-1", "DESK_QUEUE": "night", "DESK_EMPTY": ""}


@pytest.mark.parametrize("text", ["langgraph.json:audit", "audit", "./langgraph.json:audit"])
def test_one_graph_of_a_langgraph_json_can_be_named(shared: Path, text: str) -> None:
    (project,) = read_specs([text], shared / "cases" / "19-langgraph-json-project")
    assert [spec.name for spec in project.specs] == ["audit"]


def test_a_folder_stands_for_its_langgraph_json(shared: Path) -> None:
    (project,) = read_specs(["19-langgraph-json-project"], shared / "cases")
    assert [spec.name for spec in project.specs] == ["desk", "audit"]


def test_an_unknown_name_is_told_the_names_there_are(shared: Path) -> None:
    with pytest.raises(SpecError, match=r"no graph 'nope' in .*langgraph\.json; it has: desk, audit\.$"):
        read_specs(["nope"], shared / "cases" / "19-langgraph-json-project")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("nope", "'nope' is no graph: write FILE.py:NAME"),
        ("agent.py", "names a file but no graph in it: write agent.py:NAME"),
        ("none.py:graph", "There is no file"),
        ("none.json", "cannot be read"),
    ],
)
def test_a_wrong_spec_is_one_sentence_that_says_what_to_write(
    tmp_path: Path, text: str, sentence: str
) -> None:
    with pytest.raises(SpecError, match=sentence):
        read_specs([text], tmp_path)


@pytest.mark.parametrize(
    "text", ["{", "[]", "{}", '{"graphs": {}}', '{"graphs": {"a": 1}}', '{"graphs": {"a": "x"}}']
)
def test_a_langgraph_json_that_names_no_graphs_is_refused(tmp_path: Path, text: str) -> None:
    write(tmp_path / "langgraph.json", text)
    with pytest.raises(SpecError, match=r"langgraph\.json"):
        read_specs(["langgraph.json"], tmp_path)


def test_a_missing_env_file_is_named(tmp_path: Path) -> None:
    config(tmp_path, graphs={"a": "./a.py:graph"}, env="./.env")
    with pytest.raises(SpecError, match=r"The env file .*\.env named in"):
        read_specs(["langgraph.json"], tmp_path)


def test_a_missing_file_in_a_langgraph_json_leaves_the_other_graphs(tmp_path: Path) -> None:
    config(tmp_path, graphs={"a": "./a.py:graph", "b": "./b.py:graph"})
    (project,) = read_specs(["langgraph.json"], tmp_path)
    assert [spec.name for spec in project.specs] == ["a", "b"]


def test_a_package_to_be_installed_is_found_in_its_src(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", "")
    write(tmp_path / "src" / "agent" / "graph.py")
    config(tmp_path, graphs={"agent": "./src/agent/graph.py:graph"}, dependencies=[".", "langchain"])
    (project,) = read_specs(["langgraph.json"], tmp_path)
    assert project.specs[0].paths == (tmp_path / "src" / "agent", tmp_path / "src", tmp_path)


def test_files_of_one_folder_share_a_host_and_files_of_two_do_not(tmp_path: Path) -> None:
    for name in ("a/one.py", "a/two.py", "b/one.py"):
        write(tmp_path / name)
    projects = read_specs(["a/one.py:graph", "a/two.py:graph", "b/one.py:graph"], tmp_path)
    assert [[spec.name for spec in project.specs] for project in projects] == [["a/one", "two"], ["b/one"]]


def test_two_graphs_of_one_file_are_told_apart_by_their_attribute(tmp_path: Path) -> None:
    write(tmp_path / "agent.py")
    (project,) = read_specs(["agent.py:one", "agent.py:two", "agent.py:one"], tmp_path)
    assert [spec.name for spec in project.specs] == ["agent.one", "agent.two"]


def test_a_name_beside_its_langgraph_json_chooses_that_graph_alone(tmp_path: Path) -> None:
    config(tmp_path, graphs={"a": "./a.py:graph", "b": "./b.py:graph", "c": "./c.py:graph"})
    for specs in (["langgraph.json", "b"], ["b", "langgraph.json"], ["b"], ["langgraph.json:b"]):
        (project,) = read_specs(specs, tmp_path)
        assert [spec.name for spec in project.specs] == ["b"]
    (project,) = read_specs(["langgraph.json", "c", "a"], tmp_path)
    assert [spec.name for spec in project.specs] == ["c", "a"]
    with pytest.raises(SpecError, match=r"no graph 'd'.*a, b, c"):
        read_specs(["langgraph.json", "d"], tmp_path)
