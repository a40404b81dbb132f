"""Every thread of the zoo: shown as LangGraph tells it, answered in every way, refused what would harm it."""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agent_lab_tui.graph.desk import Desk
from agent_lab_tui.graph.questions import Refused
from agent_lab_tui.graph.reading.reader import Thread
from agent_lab_tui.graph.settings.file import Settings
from agent_lab_tui.store.checkpoints.copying import copy_thread
from agent_lab_tui.store.checkpoints.rows import head
from agent_lab_tui.store.files import open_database
from agent_lab_tui.store.values import to_json
from agent_lab_tui.tui.cli import run

SECONDS = 60.0

GRAPHS = {"hitl-per-call": "hitl_agent_per_call", "subgraph-unsaved": "subgraph_unsaved"}
"""Graphs in the zoo's langgraph.json that are not named like their module."""

SENT = {"args": {"to": "bob@example.com", "subject": "Invoice 7", "body": "Please pay."}, "status": "sent"}
RESENT = {"args": {"to": "bob@example.com", "subject": "Reminder", "body": "Kindly pay."}, "status": "sent"}
INBOX = {
    "approve": SENT,
    "edit": RESENT,
    "respond": {"feedback": "be kinder", "status": "needs-work"},
    "reject": {"status": "ignored"},
}
FILES = [f"{name}.log" for name in "abcde"]
ENDS: dict[str, dict[str, dict[str, Any]]] = {
    "async-only": {
        "approve": {"body": "<html>https://example.com/a</html>", "ok": True},
        "reject": {"body": "", "ok": False},
    },
    "branched": {
        "approve": {"plan": "plan B", "answer": "yes", "done": True},
        "reject": {"plan": "plan B", "answer": "no", "done": False},
    },
    "breakpoint-before": {"continue": {"dropped": True, "next": ["report"]}},
    "breakpoint-after": {"continue": {"dropped": True, "report": "sessions dropped: True"}},
    "crashed": {"continue": {"results": ["part 0", "part 1", "part 2"], "ran": ["work-start", "work-done"]}},
    "dataclass-enum": {"approve": {"position": 3}, "reject": {"position": 0}},
    "deep-history": {
        "approve": {"done": True, "count": 300},
        "more": {"count": 310, "asks": [{"count": 310, "stop?": True}]},
    },
    "delta-channel": {
        "approve": {"log": [*(f"line {n}" for n in range(6)), "accepted"]},
        "reject": {"log": [*(f"line {n}" for n in range(6)), "refused"]},
    },
    "dict-approved": {
        "approve": {"amount": 120.0, "outcome": "refunded 120"},
        "edit": {"amount": 40.0, "outcome": "refunded 40"},
        "reject": {"outcome": "rejected: no receipt", "ran": []},
    },
    "edited-not-asked": {"continue": {"asks": [{"apply": "edited plan"}]}},
    "error-next-node": {"continue": {"applied": True, "ran": ["apply-attempt", "apply"]}},
    "error-poisoned-answer": {"approve": {"window": "night"}},
    "finished": {},
    "functional-1": {
        "approve": {"asks": [{"rate": "An essay about cats"}], "ran": ["essay-body", "rate-body"]}
    },
    "functional-2": {
        "answer": {"": {"text": "An essay about cats", "approval": "go", "stars": 5}},
    },
    "hitl-batched": {
        "approve": {
            "tools": {
                "send_email": "success",
                "search": "success",
                "delete_file": "success",
                "run_sql": "success",
            }
        },
        "mixed": {
            "tools": {
                "send_email": "success",
                "search": "success",
                "delete_file": "error",
                "run_sql": "success",
            }
        },
        "reject": {
            "tools": {"send_email": "error", "search": "success", "delete_file": "error", "run_sql": "error"}
        },
    },
    "hitl-per-call": {
        "approve": {
            "tools": {
                "send_email": "success",
                "search": "success",
                "delete_file": "success",
                "run_sql": "success",
            }
        },
        "reject": {
            "tools": {"send_email": "error", "search": "success", "delete_file": "error", "run_sql": "error"}
        },
    },
    "huge-state": {"approve": {"kept": True}, "reject": {"kept": False}},
    "inbox-list": INBOX,
    "inbox-single": INBOX,
    "linear-approval": {
        "approve": {"status": "published", "ran": ["approve-body", "publish"]},
        "reject": {"status": "rejected", "reason": "not funny enough", "ran": ["approve-body"]},
    },
    "nested-subgraph": {
        "approve": {"signature": "signed", "ran": ["ask_key-body", "finish", "announce"]},
        "reject": {"signature": "refused", "ran": ["ask_key-body", "finish", "announce"]},
    },
    "parallel-send": {
        "approve": {"verdicts": [f"{name}=keep" for name in FILES]},
        "reject": {"summary": ", ".join(f"{name}=drop" for name in FILES)},
    },
    "parallel-send-2of5": {
        "approve": {"verdicts": [f"{name}=keep" for name in FILES]},
        "reject": {"summary": "a.log=drop, b.log=keep, c.log=drop, d.log=keep, e.log=drop"},
    },
    "pydantic-state": {
        "approve": {"status": "closed", "notes": ["done"]},
        "reject": {"status": "open", "notes": ["still burning"]},
    },
    "string-continue": {"approve": {"pushed": True}, "reject": {"pushed": False}},
    "string-yes": {
        "approve": {"applied": True, "asks": [{"question": "push?", "say": "continue"}]},
        "reject": {"approved": False, "applied": False, "ran": []},
    },
    "subgraph-unsaved": {"approve": {"signature": "signed"}, "reject": {"signature": "refused"}},
    "two-questions-1": {
        "answer": {
            "asks": [{"confirm": "Deploy to staging?", "type_exactly": "DEPLOY"}],
            "ran": ["deploy-body"],
        }
    },
    "two-questions-2": {
        "approve": {"env": "production", "deployed": True, "ran": ["deploy-body", "deploy"]},
        "reject": {"env": "production", "deployed": False, "ran": ["deploy-body"]},
    },
    "typed-answer": {"approve": {"result": "approved=True limit=500 comment="}},
    "validation-loop": {
        "good": {"replicas": 3},
        "bad": {"asks": ["'lots' is not a positive whole number. How many replicas?"]},
    },
    "validation-loop-2": {
        "good": {"replicas": 3},
        "bad": {"asks": ["-1 is not a positive whole number. How many replicas?"]},
    },
}
"""By thread and answer, what its module promises: state; `asks` what is asked then, `next` what runs next,
`ran` the bodies that ran, `tools` what became of every tool call."""

REFUSED = {("typed-answer", "bad"), ("hitl-per-call", "edit (send_email)")}
"""Answers that do not fit the question, or not every question, and must not be sent."""


class Zoo:
    """One host for the whole zoo; every answer is given in a copy of its thread."""

    def __init__(self, desk: Desk, effects: Path) -> None:
        self.desk = desk
        self._effects = effects

    def copy(self, thread_id: str, name: str) -> Thread:
        """Copy a thread as it stands, and say which graph is its own."""
        database = self.desk.database
        with database.reading() as conn:
            row = head(conn, thread_id)
        assert row is not None
        copy_thread(database, thread_id, row.checkpoint_id, f"{thread_id} {name}", is_fresh=False)
        return self.desk.choose_graph(f"{thread_id} {name}", name.partition(" ")[0])

    def go(self, order: Any) -> Thread:
        """Record an order, carry it out, and give the thread that then is."""
        decision = self.desk.record(order)
        (outcome,) = self.desk.carry_out(decision.order.thread_id).result(SECONDS)
        assert (outcome.state, outcome.error) == ("applied", None), decision.order.thread_id
        return self.desk.thread(decision.order.thread_id)

    def ran(self) -> list[str]:
        """Tell which bodies ran since it was asked last."""
        lines = self._effects.read_text("utf-8").splitlines() if self._effects.exists() else []
        self._effects.unlink(missing_ok=True)
        return [json.loads(line)["effect"] for line in lines]


@pytest.fixture(scope="module")
def zoo(shared: Path, zoo_master: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Zoo]:
    folder = tmp_path_factory.mktemp("zoo")
    shutil.copy(zoo_master / "zoo.sqlite", folder / "zoo.sqlite")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ZOO_EFFECTS", str(folder / "effects.jsonl"))
        patch.setenv("ZOO_FIXED", "1")
        desk = Desk.open(
            Settings(),
            db=str(folder / "zoo.sqlite"),
            graphs=(str(shared / "zoo" / "langgraph.json"),),
            operator="ann",
        )
        with closing(desk):
            desk.load_graphs()
            yield Zoo(desk, folder / "effects.jsonl")


def answered(zoo: Zoo, thread_id: str, graph: str, name: str, answer: Any) -> Thread:
    """Give one entry of a thread's answers, to all that it asks."""
    deciding, thread = zoo.desk.deciding, zoo.copy(thread_id, f"{graph} {name}")
    zoo.ran()
    if thread.situation == "stuck":
        thread = zoo.go(deciding.ask_again(thread))
    if name == "continue":
        return zoo.go(deciding.go_on(thread))
    return zoo.go(deciding.prepare(thread, values={one.id: answer for one in thread.questions}))


def found(zoo: Zoo, thread: Thread, wanted: dict[str, Any]) -> dict[str, Any]:
    """Tell of a thread what is wanted to be known."""
    values = to_json(thread.values)
    told = {"": values} | (values if isinstance(values, dict) else {})
    told["asks"] = [to_json(one.value) for one in thread.questions]
    told["next"] = list(thread.next)
    told["ran"] = zoo.ran()
    if "tools" in wanted:
        messages = [one for one in values["messages"] if one.get("type") == "tool"]
        told["tools"] = {one["name"]: one["status"] for one in messages}
    ends = {"asks": [], "next": []} if not {"asks", "next"} & wanted.keys() else {}
    return {key: told.get(key) for key in {**ends, **wanted}}


@pytest.mark.slow
def test_every_answer_of_the_zoo_leads_to_what_its_module_says(
    zoo: Zoo, zoo_expected: dict[str, Any]
) -> None:
    wrong = {}
    for thread_id, expected in zoo_expected.items():
        names = {name for name in expected["answers"] if (thread_id, name) not in REFUSED}
        assert names == ENDS[thread_id].keys(), thread_id
        graph = GRAPHS.get(thread_id, expected["module"])
        for name, wanted in ENDS[thread_id].items():
            thread = answered(zoo, thread_id, graph, name, expected["answers"][name])
            ends = {"asks": [], "next": []} if not {"asks", "next"} & wanted.keys() else {}
            told = found(zoo, thread, wanted)
            if told != {**ends, **wanted}:
                wrong[thread_id, name] = told
    assert wrong == {}


@pytest.mark.slow
def test_answers_of_the_zoo_that_do_not_fit_are_refused_and_nothing_runs(
    zoo: Zoo, zoo_expected: dict[str, Any]
) -> None:
    for thread_id, name in REFUSED:
        expected = zoo_expected[thread_id]
        graph = GRAPHS.get(thread_id, expected["module"])
        with pytest.raises(Refused):
            answered(zoo, thread_id, graph, name, expected["answers"][name])
        assert zoo.ran() == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("thread_id", "name"),
    [
        ("async-only", "approve"),
        ("dict-approved", "edit"),
        ("hitl-batched", "mixed"),
        ("inbox-list", "edit"),
        ("nested-subgraph", "reject"),
        ("parallel-send", "approve"),
        ("subgraph-unsaved", "approve"),
        ("two-questions-1", "answer"),
        ("typed-answer", "approve"),
    ],
)
def test_the_command_line_leads_to_the_same_ends(
    zoo_db: Path,
    zoo_expected: dict[str, Any],
    shared: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    thread_id: str,
    name: str,
) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    expected = zoo_expected[thread_id]
    graph = GRAPHS.get(thread_id, expected["module"])
    place = (
        "--db",
        str(zoo_db),
        "--graph",
        str(shared / "zoo" / "langgraph.json"),
        "--graph",
        graph,
        "--json",
    )
    assert run(["show", thread_id, "--db", str(zoo_db), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    answers = {one["id"]: {"value": expected["answers"][name]} for one in shown["questions"]}
    seen = ("--seen", shown["digest"], "--answers", json.dumps(answers))
    assert run(["answer", thread_id, *seen, *place]) == 0, capsys.readouterr().err
    capsys.readouterr()
    assert run(["show", thread_id, "--db", str(zoo_db), "--json"]) == 0
    after = json.loads(capsys.readouterr().out)
    wanted = ENDS[thread_id][name]
    assert [one["value"] for one in after["questions"]] == wanted.get("asks", [])
    state = {key: wanted[key] for key in wanted.keys() - {"asks", "next", "ran", "tools"}}
    assert {key: after["values"].get(key) for key in state} == state


@pytest.mark.slow
def test_an_edit_of_one_call_of_three_asks_for_the_other_two(zoo: Zoo, zoo_expected: dict[str, Any]) -> None:
    thread = zoo.copy("hitl-per-call", "hitl_agent_per_call one")
    edit = zoo_expected["hitl-per-call"]["answers"]["edit (send_email)"]
    (mail,) = [one for one in thread.questions if one.operations[0].name == "send_email"]
    after = zoo.go(zoo.desk.deciding.prepare(thread, values={mail.id: edit}))
    assert {one.operations[0].name for one in after.questions} == {"delete_file", "run_sql"}


def test_show_tells_of_every_zoo_thread_what_langgraph_tells(
    zoo_db: Path, zoo_expected: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    for thread_id, expected in zoo_expected.items():
        assert run(["show", thread_id, "--db", str(zoo_db), "--json"]) == 0
        shown = json.loads(capsys.readouterr().out)
        assert {one["id"] for one in shown["questions"]} == {one["id"] for one in expected["interrupts"]}
        assert sorted(shown["next"]) == sorted(expected["next"]), thread_id
        assert shown["error"] == next(iter(expected["errors"]), None)
        stored = [one["stored_answer"] for one in shown["questions"] if one["stored_answer"] is not None]
        assert bool(stored) == expected["already_answered"]


APPROVE = {"type": "approve"}
MISFITS = [
    ("hitl-batched", {"decisions": [APPROVE, APPROVE]}, "2 decisions for 3 actions"),
    ("hitl-batched", {"decisions": [APPROVE, {"type": "respond", "message": "no"}, APPROVE]}, "respond"),
    ("hitl-batched", [APPROVE, APPROVE, APPROVE], "decisions"),
    ("hitl-per-call", {"type": "maybe"}, "maybe"),
    ("typed-answer", {"approved": "maybe"}, "approved"),
    ("typed-answer", {"approved": True, "limit": 5000}, "limit"),
    ("inbox-list", {"type": "accept", "args": None}, "list"),
    ("inbox-single", [{"type": "accept", "args": None}], "list"),
    ("inbox-list", [{"type": "shrug", "args": None}], "shrug"),
]


@pytest.fixture
def untouched(zoo_db: Path) -> Iterator[Path]:
    """The zoo's database, held against itself at the end: the same bytes, and no journal beside it."""
    before = hashlib.sha256(zoo_db.read_bytes()).hexdigest()
    yield zoo_db
    assert hashlib.sha256(zoo_db.read_bytes()).hexdigest() == before
    assert not zoo_db.with_name("zoo.sqlite.desk").exists()


@pytest.mark.parametrize(("thread_id", "value", "word"), MISFITS)
def test_a_wrong_answer_is_refused_and_not_a_byte_is_changed(
    untouched: Path,
    capsys: pytest.CaptureFixture[str],
    thread_id: str,
    value: Any,
    word: str,
) -> None:
    code, said = answer(untouched, capsys, thread_id, "--value", json.dumps(value))
    assert code == 4
    assert word in said


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        (("--value", "yes"), 4, "--value is not JSON"),
        (("--choices", '[{"approve"'), 4, "--choices is not JSON"),
        (("--question", "nonsense", "--value", "1"), 4, "nonsense"),
        (("--question", "f" * 32, "--value", "1"), 4, "has asked no question"),
        (("--choices", '[{"approve": {}}]'), 4, "1 choice for 3 operations"),
        (
            ("--choices", '[{"approve": {}}, {"edit": {"arguments": {"path": "x"}}}, {"approve": {}}]'),
            4,
            "`edit` is not allowed",
        ),
        (("--reject", " "), 4, "reason"),
    ],
)
def test_what_cannot_be_meant_is_refused_and_not_a_byte_is_changed(
    untouched: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    code: int,
    word: str,
) -> None:
    got, said = answer(untouched, capsys, "hitl-batched", *arguments)
    assert (got, word in said) == (code, True), said


def answer(db: Path, capsys: pytest.CaptureFixture[str], thread_id: str, *arguments: str) -> tuple[int, str]:
    """Answer the first question of a thread on the command line, having seen it."""
    desk = Desk(open_database(str(db)), Settings(), operator="ann", os_user="ann")
    with closing(desk):
        thread = desk.thread(thread_id)
    named = () if "--question" in arguments else ("--question", thread.questions[0].id)
    seen = ("--seen", thread.digest, "--record-only", "--db", str(db))
    capsys.readouterr()
    code = run(["answer", thread_id, *named, *arguments, *seen])
    return code, capsys.readouterr().err


def test_an_edit_written_as_a_value_needs_what_the_rule_of_the_new_operation_asks(
    untouched: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text(
        '[[rule]]\noperation = "wire_money"\nrisk = "critical"\nconfirm = "type:amount"\n', "utf-8"
    )
    edit = {"type": "edit", "edited_action": {"name": "wire_money", "args": {"amount": 900}}}
    value = json.dumps({"decisions": [edit, APPROVE, APPROVE]})
    code, said = answer(untouched, capsys, "hitl-batched", "--value", value, "--settings", str(rules))
    assert code == 2
    assert "confirmed by the value of `amount`" in said


@pytest.mark.parametrize("stored", [1, 1.5, None, "{", b"\xff", "[" * 100_000], ids=lambda one: repr(one)[:6])
def test_a_thread_whose_metadata_is_broken_is_read_all_the_same(
    zoo_db: Path, capsys: pytest.CaptureFixture[str], stored: Any
) -> None:
    with closing(sqlite3.connect(zoo_db)) as conn, conn:
        conn.execute("UPDATE checkpoints SET metadata = ? WHERE thread_id = 'nested-subgraph'", (stored,))
    threads = json.loads(printed(capsys, "list", "--db", str(zoo_db), "--json"))
    assert "nested-subgraph" in [one["thread_id"] for one in threads]
    assert json.loads(printed(capsys, "list", "--where", "user_id=ann", "--db", str(zoo_db), "--json")) == []
    shown = json.loads(printed(capsys, "show", "nested-subgraph", "--db", str(zoo_db), "--json"))
    assert shown["situation"] == "waiting"
    assert json.loads(printed(capsys, "history", "nested-subgraph", "--db", str(zoo_db), "--json"))
    assert "nested-subgraph" not in printed(capsys, "doctor", "--db", str(zoo_db))


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run a command that must go well; give what it printed."""
    capsys.readouterr()
    code = run(list(arguments))
    said = capsys.readouterr()
    assert code == 0, said.err
    return said.out
