"""Small checkpoint files made by a real saver and a real graph."""

from __future__ import annotations

import operator
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import interrupt
from typing_extensions import TypedDict


class State(TypedDict, total=False):
    """The state of the small graph."""

    n: int
    said: Annotated[list[Any], operator.add]


def ask(state: State) -> State:
    """Ask, and fail on one answer."""
    answer = interrupt({"q": state.get("n", 0)})
    if answer == "boom":
        raise ValueError("boom")
    return {"said": [answer]}


builder = StateGraph(State)
builder.add_node("ask", ask)
builder.add_edge(START, "ask")

Graph = CompiledStateGraph[Any, Any, Any, Any]


class Agent:
    """A graph with a saver on one file, as an agent's own process would have it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.conn = sqlite3.connect(path, check_same_thread=False)
        self.saver = SqliteSaver(self.conn)
        self.graph: Graph = builder.compile(checkpointer=self.saver)

    def run(self, thread_id: str, value: Any = None, **config: Any) -> None:
        """Start a thread, or send it something."""
        given: Any = {"n": 1} if value is None else value
        self.graph.invoke(given, {"configurable": {"thread_id": thread_id, **config}})


@pytest.fixture
def agent_at() -> Iterator[Callable[[Path], Agent]]:
    """Open agents on files; they are closed at the end."""
    opened: list[Agent] = []

    def open_(path: Path) -> Agent:
        opened.append(Agent(path))
        return opened[-1]

    yield open_
    for agent in opened:
        agent.conn.close()


@pytest.fixture
def agent(tmp_path: Path, agent_at: Callable[[Path], Agent]) -> Agent:
    """An agent on an empty file."""
    return agent_at(tmp_path / "agent.db")


@pytest.fixture
def closed_db(tmp_path: Path) -> Path:
    """A file with one waiting thread that nobody has open."""
    path = tmp_path / "agent.db"
    with closing(sqlite3.connect(path, check_same_thread=False)) as conn:
        graph: Graph = builder.compile(checkpointer=SqliteSaver(conn))
        graph.invoke({"n": 1}, {"configurable": {"thread_id": "t"}})
    return path
