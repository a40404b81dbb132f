"""A saver in memory keeps a thread for its own process only; a saver in a file keeps it for the next one."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypedDict

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from ...gate import ask
from .processes import run_process

MODULE = "agent_lab_tui.graph.lab.examples.memory"
CONFIG: RunnableConfig = {"configurable": {"thread_id": "task-001"}}


class _Note(TypedDict, total=False):
    topic: str
    text: str
    is_approved: bool


def _write(state: _Note) -> _Note:
    return {"text": f"a note on {state['topic']}"}


def _confirm(state: _Note) -> _Note:
    verdict = ask("publish", {"text": state["text"]}, reason="The note is ready.", impact="None.")
    return {"is_approved": verdict.may_run}


def _graph(saver: BaseCheckpointSaver[str]) -> CompiledStateGraph[_Note, None, _Note, _Note]:
    builder = StateGraph(_Note)
    builder.add_node("write", _write)
    builder.add_node("confirm", _confirm)
    builder.add_edge(START, "write")
    builder.add_edge("write", "confirm")
    builder.add_edge("confirm", END)
    return builder.compile(checkpointer=saver)


@contextmanager
def _saver(kind: str, folder: Path) -> Iterator[BaseCheckpointSaver[str]]:
    if kind == "memory":
        yield InMemorySaver()
    else:
        with SqliteSaver.from_conn_string(str(folder / "checkpoints.db")) as saver:
            yield saver


def _first(kind: str, folder: Path) -> None:
    with _saver(kind, folder) as saver:
        graph = _graph(saver)
        graph.invoke({"topic": "the queue at noon"}, CONFIG)
        print(f"task-001 waits at {graph.get_state(CONFIG).next[0]}; this process ends now")


def _second(kind: str, folder: Path) -> None:
    with _saver(kind, folder) as saver:
        state = _graph(saver).get_state(CONFIG)
        if state.interrupts:
            print(f"task-001 is found, it still waits at {state.next[0]}: {state.values['text']}")
        else:
            print("task-001 is not found: the saver kept it in the memory of a process that is gone")


def main(arguments: list[str]) -> int:
    """Start a task in one process and look for it in another, with both kinds of saver."""
    parser = argparse.ArgumentParser(prog="memory", description=__doc__)
    parser.add_argument("--part", choices=("first", "second"), help="only one of the two processes")
    parser.add_argument("--saver", choices=("memory", "file"), default="memory")
    parser.add_argument("--folder", type=Path, default=Path())
    options = parser.parse_args(arguments)
    if options.part:
        (_first if options.part == "first" else _second)(options.saver, options.folder)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        for kind, name in (("memory", "InMemorySaver"), ("file", "SqliteSaver")):
            print(f"{name}:")
            for part in ("first", "second"):
                run_process(MODULE, ["--part", part, "--saver", kind, "--folder", folder])
    return 0


if __name__ == "__main__":
    import sys

    sys.exit(main(sys.argv[1:]))
