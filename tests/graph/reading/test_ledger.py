"""A request whose key is done in the ledger beside the database says what a yes will do."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, TypedDict

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph

from agent_lab_tui.graph.deciding.desk_side import Deciding
from agent_lab_tui.graph.gate import NotDone, ask, once
from agent_lab_tui.graph.questions import Choice, ChoiceKind
from agent_lab_tui.graph.reading.reader import Reader
from agent_lab_tui.graph.settings.file import Settings
from agent_lab_tui.store.files import open_database
from agent_lab_tui.store.journal.book import Journal


class State(TypedDict, total=False):
    said: Any


def confirm(state: State) -> State:
    return {"said": ask("mail", {"to": "ann"}, reason="due", risk="low", key="run-1:mail").kind}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    builder: StateGraph[Any, Any, Any, Any] = StateGraph(State)
    builder.add_node("confirm", confirm)
    builder.add_edge(START, "confirm")
    with closing(sqlite3.connect(tmp_path / "agent.db", check_same_thread=False)) as conn:
        graph = builder.compile(checkpointer=SqliteSaver(conn))
        graph.invoke({}, {"configurable": {"thread_id": "t"}})
    return tmp_path / "agent.db"


def mail(path: Path, key: str = "run-1:mail", run: Callable[[], str] = lambda: "sent") -> None:
    once(key, "mail", {"to": "ann"}, run, ledger=path.with_name("agent.db.desk"))


def warned(path: Path) -> tuple[str, ...]:
    return Reader(open_database(str(path)), Settings()).thread("t").warnings


def test_a_key_that_is_done_is_warned_of(path: Path) -> None:
    mail(path)
    (warning,) = warned(path)
    assert warning.startswith("run-1:mail was done at ")
    assert warning.endswith(": approving does not do it again.")


def test_other_keys_and_what_is_not_done_are_not_warned_of(path: Path) -> None:
    mail(path, key="run-2:mail")
    with pytest.raises(NotDone):
        mail(path, run=_not)
    assert warned(path) == ()


def _not() -> str:
    raise NotDone("no network")


@pytest.mark.parametrize(("kind", "number"), [("approve", 1), ("edit", 1), ("reject", 0), ("explain", 0)])
def test_only_who_lets_it_run_is_told_so_when_deciding(path: Path, kind: ChoiceKind, number: int) -> None:
    mail(path)
    reader = Reader(open_database(str(path)), Settings())
    deciding = Deciding(reader, Journal(path), Settings(), "ann", "ann")
    thread = reader.thread("t")
    choice = Choice(kind, arguments={"to": "ann"}, text="why?")
    found = deciding.warnings(thread, {thread.questions[0].id: [choice]})
    assert len([one for one in found if "does not do it again" in one]) == number
