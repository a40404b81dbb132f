"""`doctor` tells what is not as it should be and what mends it; `--repair` writes down what was announced."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agent_lab_tui.graph.checking.doctor import examine
from agent_lab_tui.graph.desk import Desk
from agent_lab_tui.graph.settings.file import Settings
from agent_lab_tui.store.files import open_database
from agent_lab_tui.store.surroundings import Mount
from agent_lab_tui.tui.cli import run


@pytest.fixture
def tidy(folder: Any) -> Any:
    """A folder in which nothing is amiss: the files are their owner's alone."""
    (folder.path / "agent.db").chmod(0o600)
    with closing(sqlite3.connect(folder.path / "agent.db")) as conn:
        assert conn.execute("PRAGMA journal_mode=WAL").fetchone() == ("wal",)
    return folder


def found(folder: Any, *arguments: str) -> list[dict[str, Any]]:
    code, ailments = folder.json("doctor", *arguments)
    assert code == 0, folder.error
    for one in ailments:
        assert list(one) == ["thread_id", "finding", "evidence", "remedy"]
    result: list[dict[str, Any]] = ailments
    return result


def examined(folder: Any, **given: Any) -> list[str]:
    """Have the doctor look with made-up versions or mounts; return the findings."""
    desk = Desk(open_database(str(folder.path / "agent.db")), Settings(), operator="ann", os_user="ann")
    with closing(desk):
        args: dict[str, Any] = {"versions": {"langgraph": "1.2.24"}, "mounted": (), **given}
        return [one.finding for one in examine(desk, **args)]


def died(folder: Any, *, moved: bool) -> str:
    """Leave a decision that runs in a process which is gone; `moved`: the thread has its answer."""
    assert folder("answer", "t1", "--approve", "--record-only", *folder.seen)[0] == 0
    (decision,) = folder.journal.decisions()
    journal = folder.journal
    token = journal.leases.take("t1")
    assert token is not None
    journal.start([decision.decision_id], token)
    journal.leases.release("t1", token)
    if moved:
        from langgraph.types import Command

        folder.agent(Command(resume="yes"))
    return str(decision.decision_id)


def test_where_nothing_is_amiss_nothing_is_found(tidy: Any) -> None:
    assert found(tidy) == []
    code, printed = tidy("doctor")
    assert code == 0
    assert "langgraph " in printed
    assert "SQLite " in printed
    assert str(tidy.path / "agent.db") in printed
    assert "Nothing was found." in printed


def test_looking_writes_nothing(tidy: Any) -> None:
    died(tidy, moved=True)
    before = {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in _files(tidy.path)}
    assert found(tidy)
    assert {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in _files(tidy.path)} == before


def test_a_decision_that_evidence_settles_is_announced_and_then_repaired(tidy: Any) -> None:
    decision = died(tidy, moved=True)
    (one,) = found(tidy)
    assert one["thread_id"] == "t1"
    assert one["finding"] == f"decision {decision} stands as running and is applied"
    assert "its question is answered" in one["evidence"]
    assert one["remedy"] == "agent-lab-tui doctor --repair writes applied into the journal"
    assert tidy.journal.decision(decision).state == "running"
    paid = tidy.paid
    (done,) = found(tidy, "--repair")
    assert done["finding"] == f"decision {decision} is applied"
    assert tidy.journal.decision(decision).state == "applied"
    assert tidy.paid == paid
    assert found(tidy) == []
    assert found(tidy, "--repair") == []


def test_a_decision_whose_end_nobody_knows_is_left_to_a_person(tidy: Any) -> None:
    decision = died(tidy, moved=False)
    findings = found(tidy)
    assert any("is unknown" in one["finding"] for one in findings)
    found(tidy, "--repair")
    assert tidy.journal.decision(decision).state == "unknown"
    (one,) = found(tidy)
    assert one["finding"] == f"decision {decision} has no outcome: unknown"
    assert "no answer is stored" in one["evidence"]
    assert f"agent-lab-tui withdraw {decision} --drop gives it up" in one["remedy"]
    assert tidy.paid == []


def test_a_decision_that_never_started_is_told_with_its_age(tidy: Any) -> None:
    assert tidy("answer", "t1", "--approve", "--record-only", *tidy.seen)[0] == 0
    (one,) = found(tidy)
    assert "ago by" in one["evidence"]
    assert "never started" in one["evidence"]
    assert "agent-lab-tui go-on t1 carries it out" in one["remedy"]
    assert found(tidy, "--repair") == []
    assert tidy.journal.decisions()[0].state == "recorded"


def test_a_stuck_thread_and_its_two_ways_out_are_named(tidy: Any) -> None:
    from langgraph.types import Command

    tidy.agent(Command(resume="boom"))
    (one,) = found(tidy)
    assert one["finding"] == "a stored answer makes the node fail"
    assert "the bank is closed" in one["evidence"]
    assert one["remedy"] == (
        "agent-lab-tui go-on t1 tries again with it; agent-lab-tui ask-again t1 drops it"
    )


def test_a_question_left_behind_is_named_with_its_place(tidy: Any) -> None:
    asked = tidy.thread().checkpoint_id
    tidy.agent({"amount": 20})
    (one,) = found(tidy)
    assert one["finding"] == "a question was left behind"
    assert one["remedy"] == f"agent-lab-tui show t1 --checkpoint {asked}"
    code, shown = tidy.json("show", "t1", "--checkpoint", asked)
    assert (code, len(shown["questions"])) == (0, 1)


@pytest.mark.parametrize(
    ("kind", "finding"),
    [
        ("nfs4", "the database lies on a network file system"),
        ("9p", "the database lies on a Windows drive"),
        ("ext4", None),
    ],
)
def test_a_file_system_that_sqlite_cannot_trust_is_named(tidy: Any, kind: str, finding: str | None) -> None:
    told = examined(tidy, mounted=(Mount(Path("/"), "ext4"), Mount(tidy.path, kind)))
    assert told == ([finding] if finding else [])


@pytest.mark.parametrize("version", ["1.2.19", "1.0.0", "", "not installed"])
def test_an_old_langgraph_reads_but_does_not_decide(tidy: Any, version: str) -> None:
    assert examined(tidy, versions={"langgraph": version}) == [
        "this LangGraph can only be read with, not decided with"
    ]


def test_rights_and_journal_mode_are_looked_at(tidy: Any) -> None:
    with closing(sqlite3.connect(tidy.path / "agent.db")) as conn:
        conn.execute("PRAGMA journal_mode=DELETE")
    (tidy.path / "agent.db").chmod(0o644)
    mode, rights = found(tidy)
    assert "its journal mode is delete" in mode["evidence"]
    assert "agent.db is -rw-r--r--" in rights["evidence"]
    assert rights["remedy"] == f"chmod 600 {tidy.path / 'agent.db'}"


def test_a_journal_that_the_desk_made_with_the_rights_of_the_database_is_no_fault_of_its_own(
    tidy: Any,
) -> None:
    (tidy.path / "agent.db").chmod(0o644)
    assert tidy("answer", "t1", "--approve", "--record-only", *tidy.seen)[0] == 0
    rights = next(one for one in found(tidy) if one["finding"] == "others than the owner may look")
    assert rights["evidence"].endswith("agent.db is -rw-r--r--; the files beside it have its rights")
    assert str(tidy.path / "agent.db.desk") in rights["remedy"]
    (tidy.path / "agent.db").chmod(0o600)
    rights = next(one for one in found(tidy) if one["finding"] == "others than the owner may look")
    assert "agent.db.desk is -rw-r--r--" in rights["evidence"]


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="this system does not tell who has files open")
def test_a_host_of_this_desk_is_no_finding_and_another_process_is_one(tidy: Any) -> None:
    opener = "import sys; file = open(sys.argv[1]); print('open', flush=True); sys.stdin.read()"
    starter = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {opener!r}, sys.argv[1]])"
    for script, findings in ((opener, []), (starter, ["another process has the database open"])):
        command = [sys.executable, "-c", script, str(tidy.path / "agent.db")]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            if findings:
                process.wait(60)
            assert examined(tidy) == findings
            process.communicate()


def test_a_journal_changed_by_another_hand_is_found(tidy: Any) -> None:
    assert tidy("answer", "t1", "--approve", "--record-only", *tidy.seen)[0] == 0
    with closing(sqlite3.connect(tidy.path / "agent.db.desk")) as conn:
        for (name,) in conn.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            conn.execute(f"DROP TRIGGER {name}")
        conn.execute("UPDATE event SET by = 'mallory' WHERE seq = 1")
        conn.commit()
    findings = [one["finding"] for one in found(tidy)]
    assert "the journal was changed by another hand" in findings


def test_a_graph_that_cannot_be_loaded_is_a_finding(tidy: Any) -> None:
    tidy.write("broken.py", "raise RuntimeError('no key')\n")
    (one,) = found(tidy, "--graph", "broken.py:graph")
    assert one["finding"] == "graph broken cannot be loaded"
    assert "no key" in one["evidence"]
    assert one["remedy"] == "agent-lab-tui check"


def test_a_graph_changed_after_it_asked_is_a_finding(tidy: Any) -> None:
    assert found(tidy, "--graph", "agent.py:builder") == []
    later = time.time() + 60
    os.utime(tidy.path / "agent.py", (later, later))
    (one,) = found(tidy, "--graph", "agent.py:builder")
    assert one["finding"] == "to be known before deciding"
    assert "was changed after this was asked" in one["evidence"]


def _files(folder: Path) -> list[Path]:
    """List what holds something: not SQLite's own files for readers."""
    return [path for path in folder.iterdir() if path.is_file() and not path.name.endswith(("-wal", "-shm"))]


@pytest.mark.slow
def test_what_does_not_agree_in_a_lab_is_told_with_the_command_that_mends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["demo", "lab", "--no-tui"]) == 0
    monkeypatch.chdir(tmp_path / "lab")
    report = tmp_path / "lab" / "output" / "task-000" / "report.md"
    report.write_text("somebody's own words", "utf-8")
    capsys.readouterr()
    assert run(["doctor", "--json"]) == 0
    findings = json.loads(capsys.readouterr().out)
    (own,) = [one for one in findings if "lab recover" in one["remedy"]]
    assert own["thread_id"]
    assert own["remedy"].endswith("hand to a human")
    assert report.read_text("utf-8") == "somebody's own words"


def test_a_project_with_an_interpreter_of_its_own_is_looked_at_in_it(tidy: Any) -> None:
    (one,) = found(tidy, "--graph", "agent.py:builder", "--python", str(tidy.path / "no-such-python"))
    assert "no-such-python cannot be started" in one["evidence"]
    assert found(tidy, "--graph", "agent.py:builder", "--python", sys.executable) == []
