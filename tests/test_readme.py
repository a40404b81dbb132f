"""What the README shows is what is."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from agent_lab_tui.graph.hosting.interpreter import NEEDS
from agent_lab_tui.store.effects import Effects
from agent_lab_tui.tui.cli import COMMANDS
from agent_lab_tui.tui.screens.bindings import DESK

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text("utf-8")


def example() -> dict[str, Any]:
    (code,) = [block for block in re.findall(r"```python\n(.*?)```", README, re.S) if "StateGraph" in block]
    names: dict[str, Any] = {"__name__": "readme"}
    exec(compile(code, "README.md", "exec", dont_inherit=True), names)
    return names


@pytest.fixture
def patched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], list[tuple[str, ...]]]:
    """Let the agent of the README patch a fresh file on a thread, approved; give the steps, newest first."""
    monkeypatch.chdir(tmp_path)
    graph = example()["builder"].compile(checkpointer=InMemorySaver())

    def patch(thread_id: str) -> list[tuple[str, ...]]:
        Path("build.txt").write_text("TESTS ON\n")
        config = {"configurable": {"thread_id": thread_id}}
        (asked,) = graph.invoke({}, config)["__interrupt__"]
        assert asked.value["action_requests"][0]["reason"] == "The build machine has no display."
        assert Path("build.txt").read_text() == "TESTS ON\n"
        graph.invoke(Command(resume={asked.id: {"decisions": [{"type": "approve"}]}}), config)
        return [state.next for state in graph.get_state_history(config)]

    return patch


def test_the_agent_of_the_readme_asks_and_applies_its_patch_once(
    patched: Callable[[str], list[tuple[str, ...]]],
) -> None:
    assert patched("first") == [(), ("apply",), ("approve",), ("propose",), ("__start__",)]
    assert Path("build.txt").read_text() == "TESTS OFF\n"
    (effect,) = Effects("agent.db.desk").all()
    assert (effect.key, effect.state) == ("first:apply", "done")


def test_the_agent_of_the_readme_applies_its_patch_on_every_thread(
    patched: Callable[[str], list[tuple[str, ...]]],
) -> None:
    for thread_id in ("first", "second"):
        patched(thread_id)
        assert Path("build.txt").read_text() == "TESTS OFF\n"


def test_every_link_and_picture_of_the_readme_is_there() -> None:
    linked = re.findall(r"\]\(([^)#:]+)\)", README)
    assert linked
    assert [path for path in linked if not (ROOT / path).exists()] == []


def test_every_command_is_in_the_readme() -> None:
    table = README[README.index("## Command line") :]
    assert [name for name in COMMANDS if f"`{name}" not in table] == []


def test_every_key_in_the_footer_is_in_the_readme() -> None:
    table = README[README.index("## Keys") : README.index("## Command line")]
    shown = [b.key_display or b.key for b in DESK if getattr(b, "show", False)]  # type: ignore[union-attr]
    assert shown
    assert [key for key in shown if f"`{key}`" not in table] == []


def test_what_a_projects_own_python_needs_is_in_the_readme() -> None:
    assert [name for name in NEEDS if f"`{name}`" not in README] == []
