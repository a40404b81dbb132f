"""One database with threads of a small graph, and any number of operators at it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt
from typing_extensions import TypedDict

from agent_lab_tui.graph.deciding.desk_side import Deciding
from agent_lab_tui.graph.questions import Choice
from agent_lab_tui.graph.reading.reader import Reader, Thread
from agent_lab_tui.graph.settings.file import Settings
from agent_lab_tui.store.files import open_database
from agent_lab_tui.store.journal.book import Decision, Journal, State


class Transfer(TypedDict, total=False):
    amount: int
    said: Any


def review(state: Transfer) -> Transfer:
    value = {
        "operation": "transfer",
        "arguments": {"amount": state.get("amount", 10), "to": "bob"},
        "reason": "invoice 7",
    }
    answer = interrupt(value)
    if answer == "boom":
        raise ValueError("the bank is closed")
    return {"said": answer}


def done(state: Transfer) -> Transfer:
    return {}


def one_question() -> StateGraph[Transfer]:
    builder = StateGraph(Transfer)
    builder.add_node("review", review)
    builder.add_node("done", done)
    builder.add_edge(START, "review")
    builder.add_edge("review", "done")
    return builder


class Bench:
    """One database with threads of a small graph, and any number of operators."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.settings = Settings(answers={"*:review": {"approve": "yes", "reject": "no"}})

    def run(
        self, given: Any, builder: Callable[[], StateGraph[Transfer]] = one_question, **options: Any
    ) -> None:
        """Run thread task-1 as another program would."""
        with closing(sqlite3.connect(self.path, check_same_thread=False)) as conn:
            graph = builder().compile(checkpointer=SqliteSaver(conn), **options)
            config = {"configurable": {"thread_id": "task-1"}}
            with suppress(ValueError):
                graph.invoke(given, config, durability="sync")

    @property
    def journal(self) -> Journal:
        return Journal(self.path)

    def reader(self) -> Reader:
        return Reader(open_database(str(self.path)), self.settings, self.journal)

    def thread(self) -> Thread:
        return self.reader().thread("task-1")

    def decided(self, by: str = "ann") -> Decision:
        """Record a yes to everything that the thread asks."""
        thread = self.thread()
        choices = {question.id: [Choice("approve")] for question in thread.questions}
        deciding = self.operator(by, by)
        return deciding.record(deciding.prepare(thread, choices))

    def started(self, decision: Decision) -> int:
        """Write down that a decision runs, as a host does."""
        token = self.journal.leases.take("task-1")
        assert token is not None
        self.journal.start([decision.decision_id], token)
        return token

    def ended(self, decision: Decision, state: State, error: str | None = None) -> None:
        """Write down that a decision ran, and how it ended."""
        token = self.started(decision)
        self.journal.end([decision.decision_id], state, token, error=error)
        self.journal.leases.release("task-1", token)

    def operator(self, name: str = "ann", account: str = "ann") -> Deciding:
        return Deciding(self.reader(), self.journal, self.settings, name, account)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path / "agent.db")
