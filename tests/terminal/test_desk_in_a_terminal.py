"""The desk as a person has it: started from a shell, driven by keys alone."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from agent_lab_tui.graph.reading.reader import Reader
from agent_lab_tui.graph.settings.file import Settings
from agent_lab_tui.store.files import open_database

pytestmark = pytest.mark.slow


def thread(db: Path, thread_id: str):
    return Reader(open_database(str(db)), Settings()).thread(thread_id)


def editor(desk) -> list[str]:
    """Return the line that is edited."""
    return [line.split("│")[2].rstrip() for line in desk.text().split("\n") if '"cluster"' in line]


def graph(shared: Path, number: str, name: str) -> str:
    (folder,) = shared.glob(f"cases/{number}-*")
    return f"{folder / 'graph.py'}:{name}"


def test_list_open_approve_reject_with_a_reason_and_quit(terminal, make_case, shared, tmp_path: Path) -> None:
    db = make_case("01")
    desk = terminal("--db", db, "--graph", graph(shared, "01", "graph"), "--operator", "ann")
    desk.until_seen("send_invoice")
    desk.until_seen("Then:")
    assert "1 waiting" in desk.text()
    assert "120.5" in desk.text()
    for _ in range(4):
        desk.press("space")
    desk.until_seen("1 of 2 operations read")
    desk.press("a")
    desk.until_seen("1 ✓ send_invoice")
    desk.press("r")
    desk.until_seen("Reject purge_records")
    desk.type("table is still in use")
    desk.press("enter")
    desk.until_seen("✓ billing-1")
    desk.press("q")
    assert desk.wait_for_end() == 0
    assert thread(db, "billing-1").next == ()
    log = (tmp_path / "effects.log").read_text("utf-8")
    assert "send_invoice ACME-17 120.5" in log
    assert "purge_records" not in log


def test_edit_the_arguments(terminal, make_case, shared, tmp_path: Path) -> None:
    db = make_case("06")
    settings = tmp_path / "agent-lab.toml"
    settings.write_text('[[rule]]\noperation = "drop_index"\nconfirm = "key"\n', "utf-8")
    desk = terminal("--db", db, "--graph", graph(shared, "06", "graph"), "--settings", settings)
    desk.until_seen("Then:")
    desk.press("space", "space", "space")
    desk.until_seen("all read")
    shown = thread(db, "idx-3").questions[0].operations[0].arguments
    desk.press("e")
    desk.until_seen("Edit drop_index")
    desk.press("down", "down", "end")
    for left in ("prod", "pro", "pr", "p", ""):
        desk.type("\x7f")
        desk.until(lambda left=left: any(line.endswith(f'"{left}') for line in editor(desk)))
    desk.type('staging"')
    desk.until_seen('"staging"')
    desk.press("\x13")
    desk.until_seen('+   "cluster": "staging"')
    desk.press("enter")
    desk.until_seen("✓ idx-3")
    assert f"drop_index {shown['index']} staging" in (tmp_path / "effects.log").read_text("utf-8")


def test_no_control_sequence_of_the_data_reaches_the_terminal(terminal, make_case) -> None:
    db = make_case("13")
    desk = terminal("--db", db)
    desk.until_seen("2 threads")
    desk.until_seen("evil.test/x|sh")
    desk.press("enter", "space", "S", "h", "L", "R", "escape", "down", "enter", "space")
    assert "all safe" not in desk.screen.title
    for sequence in (b"\x1b]0;all safe", b"\x1b]52;", b"\x1b]8;;https", b"\x1b[31mred", b"\x1b[8m and"):
        assert sequence not in desk.raw


def test_a_graph_that_writes_to_the_terminal_spoils_nothing(terminal, make_case, shared) -> None:
    db = make_case("20")
    settings = db.parent / "agent-lab.toml"
    settings.write_text(
        '[answers."graph:gate"]\napprove = "ok"\n\n[[rule]]\noperation = "*"\nconfirm = "key"\n'
    )
    desk = terminal("--db", db, "--graph", graph(shared, "20", "builder"), "--settings", settings)
    desk.until_seen("Then:")
    desk.press("space", "space", "a")
    desk.until_seen("✓ sync-1")
    for word in ("BANNER", "PRINT", "DUNDER", "FD1", "FD2", "CHILD", "old option"):
        assert word not in desk.text()
    desk.press("L")
    desk.until_seen("PRINT")
    desk.press("q")
    assert desk.wait_for_end() == 0
    assert b"\x1b[?1049l" in desk.raw
    assert b"\x1b[?25h" in desk.raw
    assert thread(db, "sync-1").values["result"] == "ok"


def test_the_history_of_a_thread_is_read_and_its_state_opened(terminal, zoo_db, shared) -> None:
    desk = terminal("--db", zoo_db)
    desk.until_seen("33 threads")
    desk.press("/")
    desk.type("branched")
    desk.press("enter", "h")
    desk.until_seen("← head")
    desk.until_seen("├")
    desk.press("down", "enter")
    desk.until_seen("State of branched at step")
    desk.press("escape", "escape")
    desk.until_seen("Request")


def test_the_title_counts_what_waits_and_is_given_back(terminal, zoo_db) -> None:
    desk = terminal("--db", zoo_db)
    desk.until_seen("26 waiting")
    desk.until(lambda: re.search(rb"\x1b\][02];26 waiting", desk.raw))
    assert b"\x1b[22;0t" in desk.raw
    desk.press("q")
    assert desk.wait_for_end() == 0
    assert b"\x1b[23;0t" in desk.raw


def test_a_question_that_comes_rings_and_counts_in_the_title(terminal, zoo_db) -> None:
    desk = terminal("--db", zoo_db)
    desk.until_seen("33 threads")
    desk.until(lambda: re.search(rb"\x1b\][02];26 waiting", desk.raw))
    desk.rest()
    bells = _bells(desk.raw)
    with closing(sqlite3.connect(zoo_db)) as connection, connection:
        for table in ("checkpoints", "writes"):
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            copied = ", ".join("?" if name == "thread_id" else name for name in columns)
            connection.execute(
                f"INSERT INTO {table} SELECT {copied} FROM {table} WHERE thread_id = ?",
                ("brand-new", "linear-approval"),
            )
    desk.until_seen("34 threads")
    desk.until(lambda: desk.screen.title.startswith("27 waiting"))
    assert _bells(desk.raw) == bells + 1


def _bells(raw: bytes) -> int:
    """Count the bells that do not end a title."""
    return re.sub(rb"\x1b\][^\x07\x1b]*\x07", b"", raw).count(b"\x07")


def test_a_database_that_cannot_be_opened_is_one_sentence_in_the_shell(terminal, tmp_path: Path) -> None:
    desk = terminal("--db", tmp_path / "nothing.sqlite")
    assert desk.wait_for_end() == 2
    assert b"nothing.sqlite" in desk.raw
    assert b"Traceback" not in desk.raw
