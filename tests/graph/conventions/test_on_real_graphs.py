"""Answers built by the conventions, given to real LangGraph and LangChain graphs."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import json
import sqlite3
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, TypedDict

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command
from pydantic import ValidationError

from agent_lab_tui.graph.conventions import AskContext, recognise
from agent_lab_tui.graph.conventions.form import read_form
from agent_lab_tui.graph.conventions.form_input import parse
from agent_lab_tui.graph.gate import Request, ask_all
from agent_lab_tui.graph.questions import Choice, Operation, Refused
from agent_lab_tui.graph.settings.file import Settings
from agent_lab_tui.store.values import decode


@dataclass
class Asked:
    """One waiting question of a thread, read raw, and the real graph that takes its answer."""

    graph: Any
    thread_id: str
    id: str
    value: Any
    schema: Any
    context: AskContext

    @property
    def operations(self) -> tuple[Operation, ...]:
        convention, _ = recognise(self.value, self.schema, self.context)
        return convention.operations(self.value, self.schema, self.context)

    def answer(self, *choices: Choice) -> Any:
        convention, _ = recognise(self.value, self.schema, self.context)
        return convention.answer(self.value, self.schema, choices, self.context)

    def check(self, answer: Any) -> None:
        convention, _ = recognise(self.value, self.schema, self.context)
        convention.check(self.value, self.schema, answer, self.context)

    def send(self, answer: Any) -> dict[str, Any]:
        return send(self.graph, self.thread_id, {self.id: answer})


def send(graph: Any, thread_id: str, answers: dict[str, Any]) -> dict[str, Any]:
    config = {"configurable": {"thread_id": thread_id, "__pregel_strict_resume": True}}
    graph.invoke(Command(resume=answers), config, durability="sync")
    state = graph.get_state({"configurable": {"thread_id": thread_id}})
    return {**state.values, "next": state.next}


Open = Callable[[Path, Callable[[Any], Any]], Any]


@pytest.fixture
def opened() -> Iterator[Open]:
    """Compile a graph on a database file whose connection is closed afterwards."""
    with contextlib.ExitStack() as stack:

        def open_(db: Path, make: Callable[[Any], Any]) -> Any:
            connection = stack.enter_context(contextlib.closing(sqlite3.connect(db, check_same_thread=False)))
            return make(SqliteSaver(connection))

        yield open_


def questions(
    db: Path, graph: Any, thread_id: str, node: str = "", settings: Settings | None = None
) -> list[Asked]:
    """Read the waiting questions of a thread's head from raw rows."""
    with contextlib.closing(sqlite3.connect(f"file:{db}?mode=ro", uri=True)) as connection:
        head, kind, body = connection.execute(
            "SELECT checkpoint_id, type, checkpoint FROM checkpoints"
            " WHERE thread_id = ? AND checkpoint_ns = '' ORDER BY checkpoint_id DESC",
            (thread_id,),
        ).fetchone()
        rows = connection.execute(
            "SELECT type, value FROM writes WHERE thread_id = ? AND checkpoint_id = ?"
            " AND channel = '__interrupt__' ORDER BY task_path",
            (thread_id, head),
        ).fetchall()
    messages = decode(kind, body)["channel_values"].get("messages")
    context = AskContext(node=node, graph="graph", settings=settings or Settings(), messages=messages)
    found = [one.fields for row in rows for one in decode(*row)]
    return [
        Asked(graph, thread_id, one["id"], one["value"], one.get("response_schema"), context) for one in found
    ]


@pytest.fixture
def zoo(shared: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ModuleType]:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.syspath_prepend(str(shared / "zoo"))
    return importlib.import_module


@pytest.fixture
def effects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[dict[str, Any]]]:
    log = tmp_path / "zoo-effects.jsonl"
    monkeypatch.setenv("ZOO_EFFECTS", str(log))
    return lambda: [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def test_langchain_batched_takes_mixed_choices(zoo_db: Path, zoo: Any, opened: Open, effects: Any) -> None:
    graph = opened(zoo_db, zoo("hitl_agent").make_graph)
    (asked,) = questions(zoo_db, graph, "hitl-batched")
    assert [one.name for one in asked.operations] == ["send_email", "delete_file", "run_sql"]
    assert {one.reason for one in asked.operations} == {
        "I will mail Bob, look something up, clean up and update the database."
    }
    edit = Choice("edit", arguments={"to": "alice@example.com", "body": "hi"})
    state = asked.send(asked.answer(edit, Choice("reject", text="keep it"), Choice("approve")))
    assert state["next"] == ()
    assert sorted((one["effect"], one.get("to")) for one in effects()) == [
        ("run_sql", None),
        ("search", None),
        ("send_email", "alice@example.com"),
    ]
    (refused,) = [one for one in state["messages"] if getattr(one, "status", "") == "error"]
    assert "with reason: keep it" in refused.content


def test_an_explanation_asked_of_langchain_counts_as_no_success(zoo_db: Path, zoo: Any, opened: Open) -> None:
    graph = opened(zoo_db, zoo("hitl_agent").make_graph)
    (asked,) = questions(zoo_db, graph, "hitl-batched")
    explain = Choice("explain", text="which Bob?")
    state = asked.send(asked.answer(explain, explain, explain))
    told = [one for one in state["messages"] if one.type == "tool" and "which Bob?" in one.content]
    assert [one.status for one in told] == ["error"] * 3


@pytest.mark.parametrize(
    "answer", [{"decisions": []}, {"decisions": [{"type": "respond", "message": "x"}] * 3}]
)
def test_what_is_refused_here_would_have_poisoned_langchain(
    zoo_db: Path, zoo: Any, opened: Open, answer: Any
) -> None:
    graph = opened(zoo_db, zoo("hitl_agent").make_graph)
    (asked,) = questions(zoo_db, graph, "hitl-batched")
    with pytest.raises(Refused):
        asked.check(answer)
    with pytest.raises(ValueError, match="decision"):
        asked.send(answer)


def test_langchain_per_call_takes_one_decision_for_each_question(
    zoo_db: Path, zoo: Any, opened: Open, effects: Any
) -> None:
    graph = opened(zoo_db, zoo("hitl_agent").make_graph_per_call)
    asked = {one.value["name"]: one for one in questions(zoo_db, graph, "hitl-per-call")}
    edit = Choice("edit", arguments={"to": "alice@example.com", "body": "hi"})
    answers = {
        asked["send_email"].id: asked["send_email"].answer(edit),
        asked["delete_file"].id: asked["delete_file"].answer(Choice("reject", text="keep it")),
        asked["run_sql"].id: asked["run_sql"].answer(Choice("approve")),
    }
    state = send(graph, "hitl-per-call", answers)
    assert state["next"] == ()
    assert sorted((one["effect"], one.get("to")) for one in effects()) == [
        ("run_sql", None),
        ("send_email", "alice@example.com"),
    ]


@pytest.mark.parametrize(
    "answer",
    [
        {"type": "edit", "edited_action": {"name": "delete_file", "args": {"path": "x"}}},
        {"type": "edit", "edited_action": {"name": "send_email", "args": {"to": "x"}}},
        {"decisions": [{"type": "approve"}]},
        "approve",
    ],
)
def test_what_per_call_refuses_langgraph_refuses_too(
    zoo_db: Path, zoo: Any, opened: Open, answer: Any
) -> None:
    graph = opened(zoo_db, zoo("hitl_agent").make_graph_per_call)
    (asked,) = [one for one in questions(zoo_db, graph, "hitl-per-call") if one.value["name"] == "send_email"]
    with pytest.raises(Refused):
        asked.check(answer)
    with pytest.raises(ValidationError):
        asked.send(answer)


@pytest.mark.parametrize("thread_id", ["inbox-list", "inbox-single"])
@pytest.mark.parametrize(
    ("choice", "status", "key", "value"),
    [
        (
            Choice("approve"),
            "sent",
            "args",
            {"to": "bob@example.com", "subject": "Invoice 7", "body": "Please pay."},
        ),
        (
            Choice("edit", arguments={"to": "bob@example.com", "subject": "Reminder", "body": "Please pay."}),
            "sent",
            "args",
            {"to": "bob@example.com", "subject": "Reminder", "body": "Please pay."},
        ),
        (Choice("respond", text="be kinder"), "needs-work", "feedback", "be kinder"),
        (Choice("reject", text="no"), "ignored", "args", None),
        (Choice("explain", text="why?"), "needs-work", "feedback", "why?"),
    ],
)
def test_agent_inbox_takes_every_choice(
    zoo_db: Path, zoo: Any, opened: Open, thread_id: str, choice: Choice, status: str, key: str, value: Any
) -> None:
    graph = opened(zoo_db, zoo("agent_inbox").make_graph)
    (asked,) = questions(zoo_db, graph, thread_id)
    state = asked.send(asked.answer(choice))
    assert (state["status"], state.get(key)) == (status, value)


@pytest.mark.parametrize(
    ("choice", "result"),
    [
        (Choice("approve"), "approved=True limit=0 comment="),
        (Choice("reject", text="too dear"), "approved=False limit=0 comment=too dear"),
    ],
)
def test_a_typed_question_takes_the_yes_and_the_no_of_its_schema(
    zoo_db: Path, zoo: Any, opened: Open, choice: Choice, result: str
) -> None:
    graph = opened(zoo_db, zoo("typed_answer").make_graph)
    (asked,) = questions(zoo_db, graph, "typed-answer")
    assert asked.send(asked.answer(choice))["result"] == result


def test_a_typed_question_takes_a_filled_form(zoo_db: Path, zoo: Any, opened: Open) -> None:
    graph = opened(zoo_db, zoo("typed_answer").make_graph)
    (asked,) = questions(zoo_db, graph, "typed-answer")
    answer = parse(read_form(asked.schema), {"approved": "yes", "limit": "500", "comment": ""})
    asked.check(answer)
    assert asked.send(answer)["result"] == "approved=True limit=500 comment="


def test_what_a_schema_refuses_langgraph_refuses_too(zoo_db: Path, zoo: Any, opened: Open) -> None:
    graph = opened(zoo_db, zoo("typed_answer").make_graph)
    (asked,) = questions(zoo_db, graph, "typed-answer")
    with pytest.raises(Refused, match="`approved` must be boolean"):
        asked.check({"approved": "maybe"})
    with pytest.raises(ValidationError):
        asked.send({"approved": "maybe"})
    assert asked.send(asked.answer(Choice("approve")))["next"] == ()


@pytest.mark.parametrize(
    ("choice", "outcome"),
    [
        (Choice("approve"), "refunded 120"),
        (Choice("edit", arguments={"order": "A-1001", "amount": 40}), "refunded 40"),
        (Choice("reject", text="no receipt"), "rejected: no receipt"),
    ],
)
def test_a_plain_question_takes_what_the_settings_say(
    zoo_db: Path, zoo: Any, opened: Open, choice: Choice, outcome: str
) -> None:
    forms = {
        "approve": {"approved": True},
        "edit": {"approved": True, "amount": "{arguments.amount}"},
        "reject": {"approved": False, "reason": "{reason}"},
    }
    graph = opened(zoo_db, zoo("dict_approved").make_graph)
    settings = Settings(answers={"graph:gate": forms})
    (asked,) = questions(zoo_db, graph, "dict-approved", "gate", settings)
    assert asked.send(asked.answer(choice))["outcome"] == outcome


def case(shared: Path, number: str) -> ModuleType:
    """Load the graph of a real-world case under a name of its own."""
    (path,) = shared.glob(f"cases/{number}-*/graph.py")
    spec = importlib.util.spec_from_file_location(f"case_{number}_graph", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_two_decisions_and_one_call_that_needs_nobody(
    make_case: Callable[[str], Path], shared: Path, opened: Open, tmp_path: Path
) -> None:
    db = make_case("01")
    graph = opened(db, case(shared, "01").make_graph)
    (asked,) = questions(db, graph, "billing-1")
    assert [(one.name, one.allowed) for one in asked.operations] == [
        ("send_invoice", ("approve", "edit", "reject", "respond", "explain")),
        ("purge_records", ("approve", "reject", "explain")),
    ]
    answer = asked.answer(Choice("approve"), Choice("reject", text="table is still in use"))
    assert answer == {
        "decisions": [{"type": "approve"}, {"type": "reject", "message": "table is still in use"}]
    }
    assert asked.send(answer)["next"] == ()
    log = (tmp_path / "effects.log").read_text().splitlines()
    assert sorted(log) == ["list_invoices ACME-17", "send_invoice ACME-17 120.5"]


@pytest.mark.parametrize(
    ("thread_id", "choice", "effect"),
    [
        (
            "idx-1",
            Choice("edit", arguments={"index": "orders-2024", "cluster": "staging"}),
            "orders-2024 staging",
        ),
        ("idx-2", Choice("reject", text="not on a Friday"), None),
        ("idx-3", Choice("approve"), "orders-2024 prod"),
    ],
)
def test_a_wrong_shape_is_not_sent_and_a_right_one_works(
    make_case: Callable[[str], Path],
    shared: Path,
    opened: Open,
    tmp_path: Path,
    thread_id: str,
    choice: Choice,
    effect: str | None,
) -> None:
    db = make_case("06")
    graph = opened(db, case(shared, "06").make_graph)
    (asked,) = questions(db, graph, thread_id)
    wrong = [{"decisions": []}, {"decision": "approve"}, {"decisions": [{"type": "respond", "message": "x"}]}]
    for answer in wrong:
        with pytest.raises(Refused):
            asked.check(answer)
    assert asked.send(asked.answer(choice))["next"] == ()
    log = tmp_path / "effects.log"
    assert (log.read_text().splitlines() if log.exists() else []) == (
        [f"drop_index {effect}"] if effect else []
    )


class Said(TypedDict, total=False):
    said: list[list[Any]]


def gate_node(_: Said) -> Said:
    requests = [
        Request("mail", {"to": "ann"}, reason="asked for", impact="One mail.", risk="high", key="run-1:1:1"),
        Request("pay", {"sum": 5}, allowed=("approve", "reject")),
    ]
    return {"said": [[one.kind, dict(one.arguments), one.text] for one in ask_all(requests)]}


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        (Choice("approve"), ["approve", {"to": "ann"}, ""]),
        (Choice("edit", arguments={"to": "bob"}), ["edit", {"to": "bob"}, ""]),
        (Choice("reject", text="no"), ["reject", {"to": "ann"}, "no"]),
        (Choice("explain", text="which Ann?"), ["explain", {"to": "ann"}, "which Ann?"]),
    ],
)
def test_our_gate_takes_every_choice_it_offers(
    tmp_path: Path, opened: Open, choice: Choice, said: list[Any]
) -> None:
    builder = StateGraph(Said)
    builder.add_node("gate", gate_node)
    builder.add_edge(START, "gate")
    builder.add_edge("gate", END)
    db = tmp_path / "gate.sqlite"
    graph = opened(db, builder.compile)
    graph.invoke({"said": []}, {"configurable": {"thread_id": "t"}})
    (asked,) = questions(db, graph, "t", "gate")
    mail, pay = asked.operations
    assert mail.allowed == ("approve", "edit", "reject", "explain")
    assert (mail.key, mail.reason, mail.impact, mail.risk) == ("run-1:1:1", "asked for", "One mail.", "high")
    assert (pay.allowed, pay.reason) == (("approve", "reject", "explain"), None)
    state = asked.send(asked.answer(choice, Choice("reject", text="not now")))
    assert state["said"] == [said, ["reject", {"sum": 5}, "not now"]]
