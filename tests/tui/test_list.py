"""The command `list`: every thread and where it stands, for people and for programs."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt
from rich.cells import cell_len
from typing_extensions import TypedDict

from agent_lab_tui.tui.cli import run
from agent_lab_tui.tui.commands import list as list_


class State(TypedDict, total=False):
    n: int


def ask(state: State) -> State:
    interrupt({"q": 1})
    return {}


builder: StateGraph[Any] = StateGraph(State)
builder.add_node("ask", ask)
builder.add_edge(START, "ask")


def start(path: Path, *thread_ids: str, waits: bool = True, **given: str) -> None:
    """Run threads as an agent's own process would."""
    with closing(sqlite3.connect(path, check_same_thread=False)) as conn:
        graph = builder.compile(checkpointer=SqliteSaver(conn), interrupt_before=None if waits else ["ask"])
        for thread_id in thread_ids:
            graph.invoke({"n": 1}, {"configurable": {"thread_id": thread_id, **given}})


@pytest.fixture
def db(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "agent.db"


def listed(capsys: pytest.CaptureFixture[str], db: Path, *arguments: str) -> list[dict[str, Any]]:
    assert run(["--db", str(db), "list", "--json", *arguments]) == 0
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return found


def test_json_has_exactly_its_fields(capsys: pytest.CaptureFixture[str], zoo_db: Path) -> None:
    found = listed(capsys, zoo_db)
    assert len(found) == 33
    for line in found:
        assert list(line) == [
            "thread_id", "situation", "questions", "graph", "step", "checkpoint_id", "updated_at",
        ]  # fmt: skip
    stuck = next(line for line in found if line["thread_id"] == "error-poisoned-answer")
    assert (stuck["situation"], stuck["questions"], stuck["graph"], stuck["step"]) == ("stuck", 1, None, 0)
    assert stuck["updated_at"].endswith("+00:00")


@pytest.mark.parametrize(
    ("arguments", "thread_ids"),
    [
        (["--situation", "stuck"], {"error-poisoned-answer"}),
        (["--situation", "done", "--situation", "failed"], {"finished", "error-next-node"}),
        (["--all", "--situation", "done"], {"finished"}),
        (
            ["--all", "--situation", "quiet"],
            {"finished", "crashed", "edited-not-asked", "breakpoint-after", "breakpoint-before"},
        ),
        (["--situation", "running"], set()),
    ],
)
def test_situations_choose_threads(
    capsys: pytest.CaptureFixture[str], zoo_db: Path, arguments: list[str], thread_ids: set[str]
) -> None:
    assert {line["thread_id"] for line in listed(capsys, zoo_db, *arguments)} == thread_ids


def test_old_questions_are_found_behind_a_hundred_newer_threads(
    capsys: pytest.CaptureFixture[str], db: Path
) -> None:
    start(db, "old")
    start(db, *(f"new-{n}" for n in range(101)), waits=False)
    assert len(listed(capsys, db)) == 100
    assert len(listed(capsys, db, "--all")) == 102
    assert [line["thread_id"] for line in listed(capsys, db, "--situation", "waiting")] == ["old"]
    assert len(listed(capsys, db, "--situation", "stopped")) == 100
    assert len(listed(capsys, db, "--situation", "stopped", "--all")) == 101


def test_people_get_an_aligned_table_in_which_nothing_takes_effect(
    capsys: pytest.CaptureFixture[str], db: Path
) -> None:
    start(db, "plain", "[red]alert[/red]", "esc\x1b[31m-2\r", "受注-２０２６-０００１", "a\nb")
    assert run(["--db", str(db), "list"]) == 0
    printed = capsys.readouterr().out
    heading, *rows = printed.splitlines()
    assert len(rows) == 5
    assert "\x1b" not in printed
    assert "\r" not in printed
    assert any(row.endswith("[red]alert[/red]") for row in rows)
    column = heading.index("THREAD")
    for row in rows:
        before = row
        while cell_len(before) > column:
            before = before[:-1]
        assert before.endswith("  ")


def test_columns_line_up_where_wide_characters_stand_in_them(
    capsys: pytest.CaptureFixture[str], make_case: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["--db", str(make_case("15")), "list"]) == 0
    heading, *rows = capsys.readouterr().out.splitlines()
    assert len(rows) == 4
    for row in rows:
        (day,) = re.finditer(r"\d{4}-\d\d-\d\d ", row)
        assert cell_len(row[: day.start()]) == heading.index("UPDATED")
    assert all("送金" in row for row in rows)


def test_json_cannot_drive_a_terminal_and_keeps_the_id(capsys: pytest.CaptureFixture[str], db: Path) -> None:
    hostile = "a\x9b31m\u202eb\x7f受"
    start(db, hostile)
    assert run(["--db", str(db), "list", "--json"]) == 0
    printed = capsys.readouterr().out
    assert not {"\x9b", "\u202e", "\x7f"} & set(printed)
    assert "受" in printed
    assert json.loads(printed)[0]["thread_id"] == hostile


def test_an_empty_list_says_so(capsys: pytest.CaptureFixture[str], db: Path) -> None:
    start(db, "t")
    assert run(["--db", str(db), "list", "--situation", "done"]) == 0
    assert capsys.readouterr().out == "No threads stand there.\n"


def test_waiting_ends_at_once_when_a_question_waits_already(
    capsys: pytest.CaptureFixture[str], db: Path
) -> None:
    start(db, "t")
    assert [line["thread_id"] for line in listed(capsys, db, "--wait")] == ["t"]


def test_waiting_ends_when_a_question_comes(capsys: pytest.CaptureFixture[str], db: Path) -> None:
    """Another process's threads come and stop without asking; the one that asks ends the wait."""
    start(db, "stopped", waits=False)
    looked = threading.Event()

    def come() -> None:
        looked.wait(10)
        start(db, "also-stopped", waits=False)
        start(db, "asks")

    other = threading.Thread(target=come)
    other.start()
    threading.Timer(0.3, looked.set).start()
    assert [line["thread_id"] for line in listed(capsys, db, "--wait")] == ["asks"]
    other.join()


@pytest.mark.parametrize(
    ("path", "sentence"), [("none.db", "does not exist"), (".", "is a folder"), ("empty.db", "is empty")]
)
def test_a_file_that_cannot_be_opened_is_one_sentence_and_exit_2(
    capsys: pytest.CaptureFixture[str], db: Path, path: str, sentence: str
) -> None:
    (db.parent / "empty.db").touch()
    assert run(["list", "--db", str(db.parent / path), "--json"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert sentence in said.err
    assert said.err.count("\n") == 1


def test_list_loads_neither_textual_nor_langgraph(zoo_db: Path) -> None:
    """In a process of its own, because the tests have loaded everything."""
    code = (
        "import sys; from agent_lab_tui.tui.cli import run; code = run(sys.argv[1:]);"
        "heavy = {'textual', 'langgraph', 'langchain_core', 'langchain', 'pydantic'} & set(sys.modules);"
        "print(sorted(heavy), file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "--db", str(zoo_db), "list", "--json"],
        capture_output=True,
        text=True,
        check=False,
        cwd=zoo_db.parent,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.strip() == "[]"
    assert len(json.loads(done.stdout)) == 33


def test_list_loads_jsonschema_only_for_questions_with_a_schema(db: Path) -> None:
    start(db, "t")
    code = (
        "import sys; from agent_lab_tui.tui.cli import run; code = run(sys.argv[1:]);"
        "sys.exit(code or 'jsonschema' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code, "--db", str(db), "list"], check=False)
    assert done.returncode == 0


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kathmandu", "America/St_Johns", "Australia/Lord_Howe"])
def test_times_are_those_of_this_systems_zone(monkeypatch: pytest.MonkeyPatch, zone: str) -> None:
    """Zones lie apart by quarters of an hour; the list writes a whole quarter from one look at the zone."""
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    list_._quarter.cache_clear()
    try:
        for at in range(1_767_323_045, 1_767_323_045 + 86_400 * 400, 86_399 * 7):
            assert list_._local(at) == time.strftime("%Y-%m-%d %H:%M:%S %Z", time.localtime(at))
    finally:
        monkeypatch.undo()
        time.tzset()
        list_._quarter.cache_clear()


def test_two_jobs_of_one_user_are_listed_by_the_user(capsys: pytest.CaptureFixture[str], db: Path) -> None:
    start(db, "job-1", "job-2", user_id="ann")
    start(db, "job-3", user_id="bob")
    start(db, "job-4", waits=False, user_id="ann")
    start(db, "ann")

    def where(*words: str) -> list[str]:
        return sorted(one["thread_id"] for one in listed(capsys, db, *words))

    assert where("--where", "user_id=ann") == ["job-1", "job-2", "job-4"]
    assert where("--where", "user_id:ann", "--situation", "waiting") == ["job-1", "job-2"]
    assert where("--where", "user_id=an") == []
    assert where("--where", "user_id=ann", "--wait") == ["job-1", "job-2"]


def test_a_label_that_is_none_is_a_wrong_command(capsys: pytest.CaptureFixture[str], db: Path) -> None:
    start(db, "job-1")
    assert run(["--db", str(db), "list", "--where", "ann"]) == 2
    assert "it takes NAME=VALUE, such as user_id=ann" in capsys.readouterr().err
    assert run(["--db", str(db), "list", "--where", "user_id=ann"]) == 0
    assert capsys.readouterr().out == "No such threads.\n"
