"""A project's own interpreter runs its graphs: looked at beforehand, and given nothing of ours but code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agent_lab_tui.graph.hosting.events import HostError
from agent_lab_tui.graph.hosting.interpreter import NEEDS, demand_fit, interpreter_of
from agent_lab_tui.graph.settings.file import RunSettings, Settings, load
from agent_lab_tui.tui import cli

AGENT = """
import os, sys
from typing import TypedDict
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt

class State(TypedDict, total=False):
    said: str
    told: dict

def ask(state: State):
    said = interrupt("go?")
    found = [path for path in sys.path if os.path.isdir(os.path.join(path, "tui"))]
    from importlib.metadata import version
    told = {"python": sys.executable, "langgraph": version("langgraph"), "shadows": found,
            "env": os.environ.get("VIRTUAL_ENV"), "path": os.environ["PATH"].split(os.pathsep)[0]}
    return {"said": said, "told": told}

graph = StateGraph(State)
graph.add_node("ask", ask)
graph.add_edge(START, "ask")
"""


def fake_python(path: Path, **found: Any) -> str:
    """Write a program that answers as an interpreter in which these things are installed."""
    told = {"": [3, 11], **dict.fromkeys(NEEDS, "9999.0"), **found}
    path.write_text(f"#!{sys.executable}\nprint({json.dumps(json.dumps(told))})\n", "utf-8")
    path.chmod(0o755)
    return str(path)


def test_the_folder_of_an_environment_stands_for_its_interpreter(tmp_path: Path) -> None:
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").symlink_to(sys.executable)
    python = str(tmp_path / ".venv" / "bin" / "python")
    assert interpreter_of(".venv", tmp_path) == python
    assert interpreter_of(".venv/bin/python", tmp_path) == python
    (tmp_path / "agent-lab.toml").write_text('[run]\npython = ".venv"\n', "utf-8")
    assert load(tmp_path / "agent-lab.toml").run.python == python


def test_an_interpreter_with_all_that_is_needed_fits(tmp_path: Path) -> None:
    demand_fit(sys.executable, {})
    demand_fit(fake_python(tmp_path / "python"), {})


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ({"": [3, 10]}, "is Python 3.10; the desk runs graphs in Python 3.11 or newer"),
        ({"langgraph": "1.2.19"}, "langgraph 1.2.19 is too old"),
        ({"langgraph": None}, "langgraph is missing"),
        ({"xxhash": None, "jsonschema": None}, "jsonschema is missing, xxhash is missing"),
    ],
)
def test_one_that_lacks_something_is_refused_with_what_to_install(
    tmp_path: Path, found: dict[str, Any], words: str
) -> None:
    python = fake_python(tmp_path / "python", **found)
    with pytest.raises(HostError) as refused:
        demand_fit(python, {})
    assert words in str(refused.value)
    if "" not in found:
        assert f"{python} -m pip install 'langgraph>=1.2.20'" in str(refused.value)


@pytest.mark.parametrize("kind", ["missing", "folder", "no python", "fails"])
def test_what_is_no_interpreter_is_told_in_a_sentence(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "python"
    if kind == "folder":
        path.mkdir()
    elif kind != "missing":
        path.write_text(
            "#!/bin/sh\n" + ("echo hello" if kind == "no python" else "echo oh >&2; exit 3"), "utf-8"
        )
        path.chmod(0o755)
    with pytest.raises(HostError, match=r"^\S*python (cannot be started|is no Python that can be used)"):
        demand_fit(str(path), {})


def test_a_named_interpreter_runs_the_graph_without_a_folder_of_ours_on_its_path(make: Any, run: Any) -> None:
    running = run("agent.py:graph", make(AGENT, "t"), Settings(run=RunSettings(python=sys.executable)))
    assert running.answer("t", "yes").error is None
    told = running.reader.thread("t").values["told"]
    assert told["python"] == sys.executable
    assert told["path"] == os.path.dirname(sys.executable)
    assert told["shadows"] == []


def test_a_host_is_not_started_where_it_cannot_run(make: Any, run: Any, tmp_path: Path) -> None:
    python = fake_python(tmp_path / "python", langgraph="1.0.0")
    with pytest.raises(HostError, match=r"langgraph 1\.0\.0 is too old"):
        run("agent.py:graph", make(AGENT, "t"), Settings(run=RunSettings(python=python)))


@pytest.fixture(scope="module", params=["langgraph==1.2.20", "langgraph"], ids=["oldest", "newest"])
def other(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Another environment, with the oldest LangGraph that may decide, or the newest there is."""
    folder = tmp_path_factory.mktemp("other") / "venv"
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True, capture_output=True)
    python = str(folder / "bin" / "python")
    needs = (request.param, "langgraph-checkpoint-sqlite", "jsonschema", "ormsgpack", "regex", "xxhash")
    done = subprocess.run(
        [python, "-m", "pip", "install", "-q", *needs], check=False, capture_output=True, text=True
    )
    if done.returncode:
        pytest.skip(f"pip cannot install another LangGraph here: {done.stderr[-200:]}")
    return python


@pytest.mark.slow
def test_a_project_with_other_pins_is_decided_in_its_own_environment(
    make: Any, run: Any, other: str, capsys: pytest.CaptureFixture[str]
) -> None:
    db = make(AGENT, "t", "u")
    version = "import importlib.metadata as m; print(m.version('langgraph'), end='')"
    theirs = subprocess.run([other, "-c", version], check=True, capture_output=True, text=True).stdout
    running = run("agent.py:graph", db, Settings(run=RunSettings(python=other)))
    assert running.answer("t", "yes").error is None
    told = running.reader.thread("t").values["told"]
    assert (told["python"], told["langgraph"]) == (other, theirs)
    assert told["env"] == str(Path(other).parent.parent)
    assert told["shadows"] == []

    digest = running.reader.thread("u").digest
    place = ("--db", str(db), "--graph", f"{db.parent}/agent.py:graph", "--python", other)
    code = cli.run(["answer", "u", "--value", '"no"', "--seen", digest, *place])
    assert code == 0, capsys.readouterr().err
    values = running.reader.thread("u").values
    assert (values["said"], values["told"]["langgraph"]) == ("no", theirs)
