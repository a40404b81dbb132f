"""The lab when its folder, its files or those who use it are not as they should be."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from agent_lab_tui.graph.lab import crash
from agent_lab_tui.graph.lab.demo import make_demo
from agent_lab_tui.graph.lab.mail_client import stop_courier

Said = tuple[int, str, str]
Command = Callable[..., Said]

EVERY_COMMAND = (
    ("lab", "status"),
    ("lab", "status", "task-001"),
    ("lab", "resume", "task-001"),
    ("lab", "recover"),
    ("lab", "start", "analysis", "new-1"),
    ("lab", "start", "patch", "new-2"),
    ("lab", "start", "builder", "new-3"),
    ("lab", "backup", "../copy"),
    ("lab", "prune", "--older-than", "1d"),
)


@pytest.fixture(scope="module")
def master(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A demo made once; tests work on copies."""
    folder = tmp_path_factory.mktemp("master") / "demo"
    make_demo(folder, lambda _: None)
    return folder


@pytest.fixture
def folder(master: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh copy of the demo, which is the present folder."""
    copy = tmp_path / "demo"
    shutil.copytree(master, copy)
    monkeypatch.chdir(copy)
    return copy


def in_a_process(
    *words: str,
    folder: Path,
    die_at: str | None = None,
    above: tuple[str, ...] = (),
    first_on_path: Path | None = None,
) -> subprocess.Popen[str]:
    environment = {**os.environ, **({crash.VARIABLE: die_at} if die_at else {})}
    if first_on_path is not None:
        environment["PYTHONPATH"] = str(first_on_path)
    command = [*above, sys.executable, "-P", "-m", "agent_lab_tui.tui", *words]
    return subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )


def ended(process: subprocess.Popen[str]) -> Said:
    out, err = process.communicate()
    return process.returncode, out, err


def is_one_sentence(err: str) -> bool:
    return len(err.strip().splitlines()) == 1 and "Traceback" not in err


# Clocks


@pytest.mark.slow
def test_a_clock_that_was_set_back_a_day_does_nothing_twice(
    folder: Path, al: Command, tmp_path: Path
) -> None:
    """LangGraph finds the newest checkpoint by its time: those of the resume then lie before the question."""
    yesterday = tmp_path / "yesterday"
    yesterday.mkdir()
    (yesterday / "sitecustomize.py").write_text(
        "import time\nreal = time.time_ns\ntime.time_ns = lambda: real() - 86_400_000_000_000\n", "utf-8"
    )
    ended(in_a_process("lab", "resume", "task-001", folder=folder, first_on_path=yesterday))
    found = json.loads(al("lab", "status", "task-001", "--json")[1])
    assert (found["status"], found["is_accepted"]) == ("completed", False)
    assert [one["finding"] for one in found["findings"]] == [
        "the row says completed, its thread has not ended"
    ]
    assert al("lab", "recover", "task-001")[0] == 0
    assert json.loads(al("lab", "status", "task-001", "--json")[1])["findings"] == []
    assert len((folder / "output" / "task-001" / "run.log").read_text("utf-8").splitlines()) == 1


# Names


@pytest.mark.parametrize("words", [("status",), ("resume",), ("recover",), ("clean",)])
@pytest.mark.parametrize("task_id", ["task-999", "..", "a\nb", "", "'; drop table tasks;--", "x" * 5000])
def test_a_task_that_is_not_there_is_not_found_whatever_its_name(
    words: tuple[str, ...], task_id: str, folder: Path, al: Command
) -> None:
    code, out, err = al("lab", *words, "--", task_id)
    assert (code, out) == (3, "")
    assert is_one_sentence(err)
    assert "There is no task" in err
    assert "lab status` lists them" in err


@pytest.mark.parametrize("thread_id", ["", " ", "two\nlines", "red \x1b[31m"])
def test_a_thread_is_named_by_one_line(thread_id: str, folder: Path, al: Command) -> None:
    code, _, err = al("lab", "start", "analysis", "new-1", "--thread-id", thread_id)
    assert (code, "--thread-id takes one line of text" in err) == (2, True)
    assert al("lab", "status", "new-1")[0] == 3


# Files


@pytest.mark.parametrize("words", EVERY_COMMAND)
def test_a_damaged_database_is_named_and_nothing_is_written(
    words: tuple[str, ...], folder: Path, al: Command
) -> None:
    database = folder / "data" / "agent.db"
    for side in ("-wal", "-shm"):
        Path(f"{database}{side}").unlink(missing_ok=True)
    with database.open("r+b") as file:
        file.truncate(5000)
    before = database.read_bytes()
    code, out, err = al(*words)
    assert (code, out) == (2, "")
    assert is_one_sentence(err)
    assert str(database) in err
    assert "restore it from a backup" in err
    assert database.read_bytes() == before
    assert not (folder.parent / "copy").exists()


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE task_steps SET arguments_json = '{' WHERE task_id = 'task-001'",
        "UPDATE task_steps SET arguments_json = x'ff00' WHERE task_id = 'task-001'",
        "UPDATE task_steps SET tool_name = CAST(x'c328' AS TEXT) WHERE task_id = 'task-001'",
    ],
)
def test_a_damaged_row_is_a_finding_and_hides_nothing_of_the_other_tasks(
    damage: str, folder: Path, al: Command
) -> None:
    (folder / "output" / "task-000" / "report.md").unlink()
    with closing(sqlite3.connect(folder / "data" / "agent.db")) as connection, connection:
        assert connection.execute(damage).rowcount > 0
    for words in (("doctor",), ("lab", "recover", "--dry-run")):
        _, out, err = al(*words)
        assert "Traceback" not in err
        assert "task-001: its records cannot be read" in out
        assert "task-000: the row says completed, the result is not there" in out
    code, _, err = al("lab", "status", "task-001")
    assert code == 2
    assert is_one_sentence(err)
    assert "restore it from a backup" in err
    assert al("show", "task-001")[0] == 0


def test_a_folder_in_place_of_a_file_is_said(folder: Path, al: Command) -> None:
    business = folder / "data" / "business.db"
    business.unlink()
    business.mkdir()
    code, _, err = al("lab", "status", "report-1")
    assert code == 2
    assert is_one_sentence(err)
    assert "look what stands in its place" in err


@pytest.mark.parametrize("words", EVERY_COMMAND)
def test_a_database_that_is_gone_is_not_made_anew_beside_its_journal(
    words: tuple[str, ...], folder: Path, al: Command
) -> None:
    """An empty one would know nothing of what was done, and the ledger would stop every new deed."""
    for path in (folder / "data").glob("agent.db*"):
        if not path.name.endswith(".desk"):
            path.unlink()
    code, out, err = al(*words)
    assert (code, out) == (2, "")
    assert "agent.db is gone, though its journal is there: bring it back from a backup" in err
    assert not (folder / "data" / "agent.db").exists()


@pytest.fixture
def protected(folder: Path) -> Iterator[Path]:
    """The demo, where nobody may write."""
    paths = [folder, *folder.rglob("*")]
    for path in paths:
        path.chmod(0o500 if path.is_dir() else 0o400)
    yield folder
    for path in paths:
        path.chmod(0o700 if path.is_dir() else 0o600)


def without_rights(*words: str, folder: Path) -> Said:
    """Run a command in a process that is not above the rights of files, as root would be."""
    setpriv = shutil.which("setpriv")
    if os.geteuid() == 0 and setpriv is None:
        pytest.skip("root is above the rights of files, and there is no setpriv to give that up")
    above = (str(setpriv), "--inh-caps=-all", "--bounding-set=-all") if os.geteuid() == 0 else ()
    return ended(in_a_process(*words, folder=folder, above=above))


@pytest.mark.slow
def test_a_folder_where_nobody_may_write_is_looked_at_and_copied(protected: Path) -> None:
    code, out, err = without_rights("lab", "status", "task-000", folder=protected)
    assert (code, err) == (0, "")
    assert "task-000  analysis, thread task-000" in out
    assert without_rights("lab", "status", folder=protected)[0] == 0
    assert without_rights("lab", "resume", "task-001", "--look", folder=protected)[0] == 0
    assert without_rights("lab", "recover", "--dry-run", folder=protected)[0] == 0
    assert without_rights("lab", "backup", "../copy", folder=protected)[0] == 0
    assert (protected.parent / "copy" / "data" / "agent.db").is_file()


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("start", "analysis", "new-1"),
        ("start", "patch", "new-2"),
        ("start", "builder", "new-3"),
        ("resume", "task-001"),
        ("recover",),
        ("prune", "--older-than", "0d", "--yes"),
        ("clean", "task-000", "--yes"),
    ],
)
def test_where_nobody_may_write_nothing_is_begun_and_one_sentence_says_why(
    words: tuple[str, ...], protected: Path
) -> None:
    code, _, err = without_rights("lab", *words, folder=protected)
    assert code == 2
    assert is_one_sentence(err), err
    assert "right" in err or "ermission" in err


# Copies


def test_a_backup_may_be_named_from_within_the_lab(folder: Path, al: Command) -> None:
    assert al("lab", "backup", "../copy")[0] == 0
    code, out, _ = al("lab", "status", "task-001", "--dir", "../copy", "--json")
    assert (code, json.loads(out)["situation"]) == (0, "waiting")


@pytest.mark.parametrize("place", ["backup:file#4", "backup:copied"])
def test_a_backup_killed_on_its_way_leaves_none_and_the_next_one_is_whole(
    place: str, folder: Path, al: Command
) -> None:
    process = in_a_process("lab", "backup", "../copy", folder=folder, die_at=place)
    assert ended(process)[0] == -signal.SIGKILL
    assert not (folder.parent / "copy").exists()
    assert al("lab", "backup", "../copy")[0] == 0
    assert al("lab", "resume", "task-001", "--dir", "../copy")[0] == 0


def test_a_copy_has_no_road_to_the_couriers_of_the_original(folder: Path, al: Command) -> None:
    address = folder / "mail" / "courier.json"
    address.parent.mkdir(exist_ok=True)
    address.write_text("{}", "utf-8")
    assert al("lab", "backup", "../copy")[0] == 0
    assert not (folder.parent / "copy" / "mail" / "courier.json").exists()


def test_a_backup_where_none_can_be_made_is_one_sentence(folder: Path, al: Command) -> None:
    code, _, err = al("lab", "backup", "/proc/copy")
    assert code == 2
    assert is_one_sentence(err)
    assert "/proc" in err


# Two at once


@pytest.mark.slow
def test_of_two_starts_of_one_id_one_begins_and_the_other_is_told(folder: Path, al: Command) -> None:
    """Also of two agents: an id that both had taken would belong to neither."""
    for number, agents in enumerate((("analysis", "analysis"), ("report", "builder"), ("patch", "outbox"))):
        task_id = f"race-{number}"
        both = [in_a_process("lab", "start", name, task_id, folder=folder) for name in agents]
        ends = sorted((ended(process) for process in both), key=lambda said: said[0])
        assert [code for code, *_ in ends] == [0, 4], ends
        assert f"The task {task_id} of" in ends[1][2]
        assert "exists already" in ends[1][2]
        _, out, _ = al("lab", "recover", task_id, "--json")
        assert json.loads(out) == []
        _, out, _ = al("lab", "status", "--json")
        assert [one["task_id"] for one in json.loads(out)].count(task_id) == 1


@pytest.mark.slow
def test_who_loses_a_resume_is_told_what_became_of_the_task(folder: Path, al: Command) -> None:
    for number in range(4):
        task_id = f"race-{number}"
        assert al("lab", "start", "analysis", task_id)[0] == 0
        both = [in_a_process("lab", "resume", task_id, folder=folder) for _ in range(2)]
        ends = sorted((ended(process) for process in both), key=lambda said: said[0])
        told = ends[1][1] + ends[1][2]
        if ends[1][0] == 0:
            assert "is completed already" in told
        else:
            assert ends[1][0] == 3
            assert "puts it right" not in told
            assert "Traceback" not in told
        assert len((folder / "output" / task_id / "run.log").read_text("utf-8").splitlines()) == 1


# Ways on


def typed_in(line: str) -> list[str]:
    """Return the command that a line tells to type, without the program's name."""
    return shlex.split(line[line.index("agent-lab-tui") :])[1:]


def test_a_budget_that_is_too_small_is_told_before_an_answer_is_used_up_on_it(
    folder: Path, al: Command
) -> None:
    assert al("lab", "start", "analysis", "small", "--max-steps", "2")[0] == 0
    code, _, err = al("lab", "resume", "small")
    assert (code, "2 of 2 steps used, 3 needed" in err) == (4, True)
    assert json.loads(al("show", "small", "--json")[1])["situation"] == "waiting"
    assert al("lab", "resume", "small", "--max-steps", "2")[0] == 2
    assert al("lab", "resume", "small", "--max-steps", "3")[0] == 0
    assert json.loads(al("lab", "status", "small", "--json")[1])["is_accepted"]


def test_a_task_that_has_used_up_its_budget_is_allowed_more_and_goes_on(folder: Path, al: Command) -> None:
    assert al("lab", "start", "report", "small", "--max-steps", "1")[0] == 1
    code, out, _ = al("lab", "status", "small", "--json")
    assert "lab resume --max-steps allows more" in json.loads(out)["error"]
    code, out, _ = al("lab", "resume", "small", "--max-steps", "3", "--json")
    assert (code, json.loads(out)["situation"]) == (0, "waiting")


def test_the_limits_of_a_builder_are_not_raised(folder: Path, al: Command) -> None:
    code, _, err = al("lab", "resume", "run-217", "--max-steps", "99")
    assert (code, "start a new task with higher ones" in err) == (2, True)


def test_the_line_to_type_next_answers_what_waits_even_where_several_things_are_asked(
    folder: Path, al: Command
) -> None:
    code, out, err = al("lab", "resume", "run-217")
    assert (code, "It waits for an answer, which resume does not give" in err) == (4, True)
    lines = [line for line in out.splitlines() if line.startswith("Next")]
    assert [line.partition(":")[0] for line in lines] == ["Next, for push", "Next, for send_mail"]
    assert al(*typed_in(lines[0]))[0] == 0
    thread = json.loads(al("show", "run-217", "--json")[1])
    assert [one["operations"][0]["name"] for one in thread["questions"]] == ["send_mail"]


def test_what_nobody_knows_is_told_with_a_line_for_each_thing_that_can_be_said(
    folder: Path, al: Command, request: pytest.FixtureRequest
) -> None:
    request.addfinalizer(partial(stop_courier, folder / "mail"))
    assert al("lab", "start", "outbox", "doubt", "--set", "kind=plain")[0] == 0
    thread = json.loads(al("show", "doubt", "--json")[1])
    words = ("answer", "doubt", "--approve", "--seen", thread["digest"])
    ended(in_a_process(*words, folder=folder, die_at="outbox:sent"))
    assert al("lab", "recover", "doubt")[0] == 0
    code, out, _ = al("lab", "resume", "doubt")
    assert (code, "␠" in out) == (4, False)
    assert "doubt:step:3 send_mail: it is looked up, else a person is asked" in out
    told = {line.partition(":")[0].strip(): line for line in out.splitlines() if line.startswith("  to ")}
    assert list(told) == ["to run it again", "to take it as done", "to stop"]
    assert al(*typed_in(told["to take it as done"]))[0] == 0
    assert json.loads(al("lab", "status", "doubt", "--json")[1])["is_accepted"]


def test_a_status_has_a_proof_for_each_insert(folder: Path, al: Command) -> None:
    assert al("lab", "start", "report", "two", "--set", "summary=yes")[0] == 0
    names = [check["name"] for check in json.loads(al("lab", "status", "two", "--json")[1])["checks"]]
    assert names[1:3] == ["report inserted", "summary inserted"]


def test_the_lines_of_a_status_are_shown_without_marks_of_ours(folder: Path, al: Command) -> None:
    ended(in_a_process("lab", "start", "analysis", "killed", folder=folder, die_at="extract"))
    _, out, _ = al("lab", "status", "killed")
    assert "    way on  agent-lab-tui lab recover killed" in out
    assert "␠" not in out


# A later version of a graph


@pytest.mark.slow
def test_a_renamed_node_is_warned_of_and_an_old_thread_is_taken_over_knowingly(
    folder: Path, al: Command
) -> None:
    (folder / "later.py").write_text(
        "from pathlib import Path\n"
        "from agent_lab_tui.graph.lab.report import build\n"
        "from agent_lab_tui.graph.lab.workspace import Workspace\n"
        "report = build(Workspace(Path(__file__).resolve().parent), 'ask_approval')\n",
        "utf-8",
    )
    later = ("--graph", "later.py:report")

    def thread() -> dict[str, Any]:
        found: dict[str, Any] = json.loads(al(*later, "show", "report-1", "--json")[1])
        return found

    assert thread()["situation"] == "foreign"
    assert "No loaded graph fits this thread" in al(*later, "show", "report-1")[1]
    yes = ("--value", '{"approved": true}', "--seen", thread()["digest"])
    code, _, err = al(*later, "answer", "report-1", *yes)
    assert (code, "has no node request_approval" in err) == (4, True)
    take_over = ("fork", "report-1", "head", "--as-node", "generate_report", "--run")
    code, _, err = al(*later, *take_over)
    assert (code, "approve request_approval unasked" in err) == (4, True)
    assert thread()["situation"] == "foreign"
    assert al(*later, *take_over, "--confirm", "approve request_approval unasked")[0] == 0
    assert (thread()["situation"], thread()["next"]) == ("waiting", ["ask_approval"])
    yes = ("--value", '{"approved": true}', "--seen", thread()["digest"])
    assert al(*later, "answer", "report-1", *yes)[0] == 0
    assert json.loads(al("lab", "status", "report-1", "--json")[1])["is_accepted"]
    assert len((folder / "output" / "report-1" / "drafts.log").read_text("utf-8").splitlines()) == 1
