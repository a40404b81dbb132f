"""From the timeline to a finished run, with keys alone, in a terminal of 80 by 24."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent_lab_tui.graph.reading import Reader, Thread
from agent_lab_tui.graph.settings import Settings
from agent_lab_tui.store.files import open_database

pytestmark = pytest.mark.slow

SETTINGS = """
[answers."*:gate"]
approve = "ok"
[[rule]]
operation = "patch"
risk = "low"
"""


def thread(db: Path, thread_id: str) -> Thread:
    return Reader(open_database(str(db)), Settings()).thread(thread_id)


def test_from_the_timeline_to_a_finished_forked_run(
    make_case: Callable[[str], Path], shared: Path, tmp_path: Path, terminal: Callable[..., Any]
) -> None:
    db, (case,) = make_case("10"), shared.glob("cases/10-*")
    (tmp_path / "agent-lab.toml").write_text(SETTINGS, "utf-8")
    desk = terminal("--db", str(db), "--graph", f"{case}/graph.py:builder", folder=tmp_path)
    desk.until("patch-1", "patch")
    desk.press("h")
    desk.until("← head", "step 0 → step 1")
    desk.press("f")
    desk.until("State at step 1", '"budget": 3')
    desk.press("down", "end", "left", "backspace", "1", "ctrl+s", pause=0.3)
    desk.until("budget  3 → 1", "Next", "gate")
    desk.press("enter")
    desk.until("It will stand before gate")
    desk.press("r")
    desk.until_true(lambda: [q.value["arguments"]["budget"] for q in thread(db, "patch-1").questions] == [1])
    desk.press("R")
    desk.until("all read")
    desk.press("a")
    desk.until_true(lambda: not thread(db, "patch-1").next)
    desk.until("✓")
    assert desk.close() == 0
    values = thread(db, "patch-1").values
    assert values["budget"] == 1
    assert values["messages"][-1].fields["content"] == "answer ok; targets ['host-a', 'host-b']; budget 1"


def test_from_a_failed_thread_to_the_replay_that_mends_it(
    zoo_db: Path, shared: Path, tmp_path: Path, terminal: Callable[..., Any]
) -> None:
    graph = f"{shared}/zoo/error_after_approval.py:make_graph"
    desk = terminal("--db", str(zoo_db), "--graph", graph, folder=tmp_path, ZOO_FIXED="1")
    desk.until("1 failed")
    desk.press("/")
    desk.type("error-next-node")
    desk.press("enter")
    desk.until("database is down")
    desk.press("h")
    desk.until("failed: Runt", "← head")
    desk.press("p")
    desk.until("Runs again", "apply")
    desk.press("enter")
    desk.until("It runs again for real")
    desk.type("replay")
    desk.press("enter")
    desk.until_true(lambda: not thread(zoo_db, "error-next-node").next)
    desk.until("✓")
    assert desk.close() == 0
    assert thread(zoo_db, "error-next-node").error is None
