"""From the timeline to a finished run, with keys alone, in a terminal of 80 by 24."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent_lab_tui.graph.reading.reader import Reader, Thread
from agent_lab_tui.graph.settings.file import Settings
from agent_lab_tui.store.files import open_database

pytestmark = pytest.mark.slow

LEFT, BACKSPACE, CONTROL_S = "\x1b[D", "\x7f", "\x13"

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
    terminal: Callable[..., Any], make_case: Callable[[str], Path], shared: Path, tmp_path: Path
) -> None:
    db, (case,) = make_case("10"), shared.glob("cases/10-*")
    (tmp_path / "agent-lab.toml").write_text(SETTINGS, "utf-8")
    desk = terminal("--db", db, "--graph", f"{case}/graph.py:builder")
    desk.until_seen("patch-1")
    desk.press("h")
    desk.until_seen("step 0 → step 1")
    desk.press("f")
    desk.until_seen('"budget": 3')
    desk.press("down", "end", LEFT, BACKSPACE, "1", CONTROL_S)
    desk.until_seen("budget  3 → 1")
    desk.until_seen("gate")
    desk.press("enter")
    desk.until_seen("It will stand before gate")
    desk.press("r")
    desk.until(lambda: [q.value["arguments"]["budget"] for q in thread(db, "patch-1").questions] == [1])
    desk.press("R")
    desk.until_seen("all read")
    desk.press("a")
    desk.until(lambda: not thread(db, "patch-1").next)
    desk.until_seen("✓")
    desk.press("q")
    assert desk.wait_for_end() == 0
    values = thread(db, "patch-1").values
    assert values["budget"] == 1
    assert values["messages"][-1].fields["content"] == "answer ok; targets ['host-a', 'host-b']; budget 1"


def test_from_a_failed_thread_to_the_replay_that_mends_it(
    terminal: Callable[..., Any], zoo_db: Path, shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ZOO_FIXED", "1")
    desk = terminal("--db", zoo_db, "--graph", f"{shared}/zoo/error_after_approval.py:make_graph")
    desk.until_seen("1 failed")
    desk.press("/")
    desk.type("error-next-node")
    desk.press("enter")
    desk.until_seen("database is down")
    desk.press("h")
    desk.until_seen("failed: Runt")
    desk.press("p")
    desk.until_seen("Runs again")
    desk.until_seen("apply")
    desk.press("enter")
    desk.until_seen("It runs again for real")
    desk.type("replay")
    desk.press("enter")
    desk.until(lambda: not thread(zoo_db, "error-next-node").next)
    desk.until_seen("✓")
    desk.press("q")
    assert desk.wait_for_end() == 0
    assert thread(zoo_db, "error-next-node").error is None
