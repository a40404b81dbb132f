"""A folder with an agent that pays, its settings and its database, in which commands are run."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver

from agent_lab_tui.graph.reading.reader import Reader, Thread
from agent_lab_tui.graph.settings.file import Settings
from agent_lab_tui.store.files import open_database
from agent_lab_tui.store.journal.book import Journal
from agent_lab_tui.tui.cli import run

AGENT = """
import os
import signal
import time
from typing import TypedDict
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt


class State(TypedDict, total=False):
    amount: int
    said: object


def happens(where):
    # Die, or wait, at this place if a file says so.
    die, wait = f"die-in-{where}", f"wait-in-{where}"
    if os.path.exists(die):
        os.remove(die)
        os.kill(os.getpid(), signal.SIGKILL)
    if os.path.exists(wait):
        open(f"waiting-in-{where}", "w").close()
        while os.path.exists(wait):
            time.sleep(0.01)


def review(state: State):
    answer = interrupt({
        "operation": "transfer",
        "arguments": {"amount": state["amount"], "to": "bob"},
        "reason": "invoice 7",
    })
    if answer == "boom":
        raise ValueError("the bank is closed")
    happens("review")
    return {"said": answer}


def pay(state: State):
    if state["said"] in ("yes", {"pay": True}):
        with open(os.environ["EFFECTS_LOG"], "a") as log:
            log.write(f"PAID {state['amount']}\\n")
    happens("pay")
    return {}


builder = StateGraph(State)
builder.add_node("review", review)
builder.add_node("pay", pay)
builder.add_edge(START, "review")
builder.add_edge("review", "pay")
stops = builder.compile(interrupt_before=["pay"])
"""

GRAPHS = 'graphs = ["agent.py:builder"]\n'

SETTINGS = """
db = "agent.db"
[answers."*:review"]
approve = "yes"
reject = "no"
"""


class Folder:
    """The folder; called like the command line itself."""

    settings = SETTINGS

    def __init__(self, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.path = path
        self._capsys = capsys
        self.write("agent.py", AGENT)
        self.write("agent-lab.toml", SETTINGS)
        self.error = ""

    def write(self, name: str, text: str) -> None:
        (self.path / name).write_text(text, "utf-8")

    def agent(self, given: Any, thread_id: str = "t1", name: str = "builder") -> None:
        """Run the agent as another program would."""
        scope: dict[str, Any] = {}
        exec(AGENT, scope)
        with closing(sqlite3.connect(self.path / "agent.db", check_same_thread=False)) as conn:
            graph = scope[name]
            graph = graph.compile() if name == "builder" else graph
            graph.checkpointer = SqliteSaver(conn)
            with suppress(ValueError):
                graph.invoke(given, {"configurable": {"thread_id": thread_id}}, durability="sync")

    def __call__(self, *arguments: str) -> tuple[int, str]:
        """Run a command; return its exit code and what it printed."""
        self._capsys.readouterr()
        code = run(list(arguments))
        printed = self._capsys.readouterr()
        self.error = printed.err
        return code, printed.out

    def process(self, *arguments: str, before: str = "") -> subprocess.Popen[str]:
        """Start a command in a process of its own, after some Python statements."""
        script = f"{before}\nfrom agent_lab_tui.tui.cli import main\nmain({list(arguments)!r})"
        return subprocess.Popen(
            [sys.executable, "-c", script],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.path,
            env={**os.environ, "EFFECTS_LOG": str(self.path / "effects.log")},
        )

    def json(self, *arguments: str) -> tuple[int, Any]:
        code, printed = self(*arguments, "--json")
        return code, json.loads(printed) if printed else None

    def thread(self, thread_id: str = "t1") -> Thread:
        return Reader(open_database(str(self.path / "agent.db")), Settings()).thread(thread_id)

    @property
    def seen(self) -> tuple[str, str]:
        return "--seen", self.thread().digest

    @property
    def journal(self) -> Journal:
        return Journal(self.path / "agent.db")

    @property
    def paid(self) -> list[str]:
        log = self.path / "effects.log"
        return log.read_text("utf-8").splitlines() if log.exists() else []


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Folder:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EFFECTS_LOG", str(tmp_path / "effects.log"))
    made = Folder(tmp_path, capsys)
    made.agent({"amount": 10})
    return made


@pytest.fixture
def live(folder: Folder) -> Folder:
    """The same with its graph named in the settings: decisions are carried out, in a host."""
    folder.settings = GRAPHS + folder.settings
    folder.write("agent-lab.toml", folder.settings)
    return folder


@pytest.fixture
def al(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Run a command in this process; give its exit code and what it printed."""

    def call(*words: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = run(list(words))
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return call
