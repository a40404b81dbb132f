"""Real graphs, real files, real hosts: what the tests of running share."""

from __future__ import annotations

import importlib.util
import queue
import sqlite3
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver

from agent_lab_tui.graph.deciding.desk_side import Deciding
from agent_lab_tui.graph.hosting.events import Event, HostDied, HostError, Outcome, Progress
from agent_lab_tui.graph.hosting.host import Host
from agent_lab_tui.graph.reading.reader import Reader
from agent_lab_tui.graph.settings.file import Settings
from agent_lab_tui.graph.settings.specs import read_specs
from agent_lab_tui.store.files import open_database
from agent_lab_tui.store.journal.book import Decision, Journal

SECONDS = 30.0
"""No test waits longer for a host."""


@pytest.fixture
def fresh_imports() -> Iterator[None]:
    """Forget afterwards what a test imported and put on the path; write no bytecode beside it."""
    path, modules, writes = list(sys.path), set(sys.modules), sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    yield
    sys.path[:] = path
    sys.dont_write_bytecode = writes
    for name in set(sys.modules) - modules:
        if not name.startswith(("langgraph", "langchain", "langsmith", "agent_lab_tui", "pydantic")):
            del sys.modules[name]


class Running:
    """A database, its journal and a host of its own, at the hands of one operator."""

    def __init__(self, spec: str, db: Path, settings: Settings) -> None:
        self.events: queue.Queue[Event] = queue.Queue()
        self.settings = settings
        self.database = open_database(str(db))
        (self.project,) = read_specs([spec], db.parent)
        self.host = Host(self.project, self.database, settings, self.events.put)
        self.journal = Journal(self.database.path)
        try:
            facts = self.host.facts()
        except HostError:
            self.host.close()
            raise
        self.reader = Reader(self.database, settings, self.journal, facts)
        self.deciding = Deciding(self.reader, self.journal, settings, "ann", "ann")

    def decide(self, thread_id: str, value: Any) -> Decision:
        """Record one answer for every question of a thread."""
        thread = self.reader.thread(thread_id)
        values = {question.id: value for question in thread.questions}
        return self.deciding.record(self.deciding.prepare(thread, values=values))

    def carry_out(self, thread_id: str) -> tuple[Outcome, ...]:
        """Run what is recorded for a thread, and wait for it."""
        return self.host.carry_out(thread_id).result(SECONDS)

    def answer(self, thread_id: str, value: Any) -> Outcome:
        """Decide, run, and give the one outcome."""
        self.decide(thread_id, value)
        (outcome,) = self.carry_out(thread_id)
        return outcome

    def wait_for_node(self, thread_id: str) -> None:
        """Wait until a node of a thread runs."""
        while True:
            event = self.events.get(timeout=SECONDS)
            if isinstance(event, Progress) and (event.kind, event.thread_id) == ("node", thread_id):
                return

    def wait_for_death(self) -> HostDied:
        """Wait until the host is told to have died."""
        while True:
            event = self.events.get(timeout=SECONDS)
            if isinstance(event, HostDied):
                return event


Run = Callable[..., Running]


@pytest.fixture(scope="module")
def run() -> Iterator[Run]:
    """Start hosts that are closed when the module is through."""
    started: list[Running] = []

    def start(spec: str, db: Path, settings: Settings | None = None) -> Running:
        started.append(Running(spec, db, settings or Settings()))
        return started[-1]

    yield start
    for running in started:
        assert running.host.close()


Make = Callable[..., Path]


@pytest.fixture(scope="module")
def make(tmp_path_factory: pytest.TempPathFactory) -> Make:
    """Write an agent's file and run its `graph` to the first stop, once for every thread."""

    def make(text: str, *threads: str, given: Mapping[str, Any] | None = None) -> Path:
        folder = tmp_path_factory.mktemp("agent")
        (folder / "agent.py").write_text(text, "utf-8")
        spec = importlib.util.spec_from_file_location("agent", folder / "agent.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        with closing(sqlite3.connect(folder / "agent.db", check_same_thread=False)) as connection:
            graph = module.graph.compile(checkpointer=SqliteSaver(connection))
            for thread_id in threads:
                graph.invoke({**(given or {})}, {"configurable": {"thread_id": thread_id}})
        return folder / "agent.db"

    return make
