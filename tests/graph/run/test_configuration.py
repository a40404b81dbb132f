"""What a run is given, and what it is refused for."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_lab_tui.graph.questions import Refused
from agent_lab_tui.graph.run.configuration import RunConfiguration, check_version
from agent_lab_tui.graph.settings.file import RunSettings

SETTINGS = RunSettings(
    configurable={"tenant": "acme", "model": "small"}, context={"a": 1}, recursion_limit=50
)


def test_the_thread_wins_over_the_settings_and_the_order_over_both() -> None:
    made = RunConfiguration.of("t", {"tenant": "beta"}, {"configurable": {"dry_run": True}}, SETTINGS)
    assert made.configurable == {"tenant": "beta", "model": "small", "dry_run": True}
    assert (made.context, made.recursion_limit) == ({"a": 1}, 50)
    made = RunConfiguration.of("t", {}, {"context": {"b": 2}, "recursion_limit": 5}, SETTINGS)
    assert (made.context, made.recursion_limit) == ({"b": 2}, 5)


def test_what_belongs_to_langgraph_is_not_taken_from_the_past() -> None:
    """A checkpoint id would make a run a replay, and a run id an input."""
    past = {"thread_id": "other", "checkpoint_id": "c", "checkpoint_ns": "n", "run_id": "r", "__pregel_x": 1}
    config = RunConfiguration.of("t", past, {}, RunSettings()).config()
    assert config == {"configurable": {"thread_id": "t"}}


def test_only_a_replay_names_a_checkpoint() -> None:
    made = RunConfiguration.of("t", {"tenant": "a"}, {}, SETTINGS)
    assert made.config("c", is_strict=True) == {
        "configurable": {
            "tenant": "a",
            "model": "small",
            "thread_id": "t",
            "checkpoint_id": "c",
            "checkpoint_ns": "",
            "__pregel_strict_resume": True,
        },
        "recursion_limit": 50,
    }


@pytest.mark.parametrize("version", ["1.2.19", "1.1.0", "0.6.11", "1.2.19.post1"])
def test_an_old_langgraph_only_reads(version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _install(tmp_path, version, monkeypatch)
    with pytest.raises(Refused, match=rf"langgraph {version} .*install langgraph>=1\.2\.20"):
        check_version()


@pytest.mark.parametrize("version", ["1.2.20", "1.3.0", "2.0.0rc1", "1.10.0"])
def test_a_langgraph_with_strict_resume_decides(
    version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _install(tmp_path, version, monkeypatch)
    check_version()


def _install(folder: Path, version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a version be found as the installed one."""
    record = folder / f"langgraph-{version}.dist-info"
    record.mkdir()
    (record / "METADATA").write_text(f"Metadata-Version: 2.1\nName: langgraph\nVersion: {version}\n", "utf-8")
    monkeypatch.syspath_prepend(folder)
