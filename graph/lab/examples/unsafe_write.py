"""A node is killed after its insert and before its checkpoint, so it runs again: with and without a key."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import TypedDict

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph

from agent_lab_tui.store.lab.twin_reports import TwinReports

from .. import crash
from .processes import run_process

MODULE = "agent_lab_tui.graph.lab.examples.unsafe_write"
AFTER_INSERT = "unsafe-write:after insert"


class _State(TypedDict, total=False):
    operation_id: str
    report: str
    write_status: str


def run(folder: Path, way: str) -> None:
    """Run the graph of one way of writing to its end, from where its checkpoint stands."""
    reports = TwinReports(folder / "business.db")

    def write(state: _State) -> _State:
        if way == "unsafe":
            status: str = reports.insert_numbered(state["report"])
        else:
            status = reports.insert_keyed(state["operation_id"], state["report"])
        print(f"write_report: {status}")
        crash.point(AFTER_INSERT)
        return {"write_status": status}

    builder = StateGraph(_State)
    builder.add_node("write_report", write)
    builder.add_edge(START, "write_report")
    builder.add_edge("write_report", END)
    config: RunnableConfig = {"configurable": {"thread_id": way}}
    with SqliteSaver.from_conn_string(str(folder / "checkpoints.db")) as saver:
        graph = builder.compile(checkpointer=saver)
        is_new = not graph.get_state(config).next
        first = _State(operation_id=f"{way}:write:1", report="The queue at noon is too long.")
        graph.invoke(first if is_new else None, config)


def main(arguments: list[str]) -> int:
    """Kill both ways of writing in the same window, carry both on, and count the rows."""
    parser = argparse.ArgumentParser(prog="unsafe-write", description=__doc__)
    parser.add_argument("--run", choices=("unsafe", "safe"), help="only one process of one way")
    parser.add_argument("--folder", type=Path, default=Path())
    options = parser.parse_args(arguments)
    if options.run:
        run(options.folder, options.run)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        for way in ("unsafe", "safe"):
            print(f"{way} write, killed after the insert and before the checkpoint, then carried on:")
            run_process(MODULE, ["--run", way, "--folder", folder], die_at=AFTER_INSERT)
            run_process(MODULE, ["--run", way, "--folder", folder])
        numbered, keyed = TwinReports(Path(folder, "business.db")).counts()
    print(f"Rows without a key: {numbered}. Rows with the operation's key: {keyed}.")
    print("The checkpoint said in both cases that the node had not run; the key in the table knew better.")
    return 0


if __name__ == "__main__":
    import sys

    sys.exit(main(sys.argv[1:]))
