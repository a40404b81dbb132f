"""A host may die in any way: the desk hears of it, keeps what was decided, and goes on with a new host."""

from __future__ import annotations

import fcntl
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from agent_lab_tui.graph.hosting.host import Host, HostError, HostGone
from agent_lab_tui.graph.settings.file import RunSettings, Settings
from agent_lab_tui.graph.settings.specs import read_specs
from agent_lab_tui.store.files import open_database
from agent_lab_tui.store.processes import is_alive

AGENT = """
import fcntl, os, signal, subprocess, sys, threading, time
from pathlib import Path
from typing import TypedDict
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt

HERE = Path(__file__).parent

class State(TypedDict, total=False):
    said: str
    after: str

def fault(how):
    if how == "raise": raise ValueError("no such account")
    if how == "sys.exit": sys.exit(3)
    if how == "interrupt": raise KeyboardInterrupt
    if how == "os._exit": os._exit(7)
    if how == "segfault": os.kill(os.getpid(), signal.SIGSEGV)
    if how == "kill -9": os.kill(os.getpid(), signal.SIGKILL)
    if how == "child keeps the line":
        if (child := os.fork()) == 0: threading.Event().wait()
        (HERE / "child").write_text(str(child))
        os._exit(8)
    if how == "hang": threading.Event().wait()
    if how == "gate": fcntl.flock(open(HERE / "gate"), fcntl.LOCK_EX)
    if how == "input": input("password? ")

def ask(state: State):
    said = interrupt({"operation": "say"})
    (HERE / "said").open("a").write(f"{said}\\n")
    fault(said)
    return {"said": said}

async def ask_async(state: State):
    return ask(state)

def after(state: State):
    (HERE / "said").open("a").write("after\\n")
    return {"after": "yes"}

def build(node):
    b = StateGraph(State)
    b.add_node("ask", node)
    b.add_node("after", after)
    b.add_edge(START, "ask")
    b.add_edge("ask", "after")
    return b

graph = build(ask)
async_graph = build(ask_async)
"""

NAMES = (
    "raise",
    "sys.exit",
    "interrupt",
    "os._exit",
    "segfault",
    "kill -9",
    "child",
    "hang",
    "quit",
    "input",
)
MORE = (
    "step",
    "queue-1",
    "queue-2",
    "stop-1",
    "stop-2",
    "gone",
    "client",
    "async sys.exit",
    "async step",
    "left",
    "left async",
)


@pytest.fixture(scope="module")
def running(run: Any, make: Any) -> Any:
    return run("agent.py:graph", make(AGENT, *NAMES, *MORE))


def slow(*values: object) -> Any:
    return pytest.param(*values, marks=pytest.mark.slow)


def said(running: Any) -> list[str]:
    return (running.database.path.parent / "said").read_text("utf-8").splitlines()


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("raise", "ValueError: no such account"),
        ("sys.exit", "SystemExit: the node ended itself with sys.exit(3)"),
        ("interrupt", "KeyboardInterrupt"),
        ("input", "EOFError: EOF when reading a line"),
    ],
)
def test_a_node_that_raises_anything_is_a_failed_run_and_the_host_lives(
    running: Any, how: str, words: str
) -> None:
    pid = running.host.pid
    outcome = running.answer(how, how)
    assert (outcome.state, outcome.error) == ("failed", words)
    assert words.partition(":")[0] in running.host.output()
    assert running.journal.decision(outcome.decision_ids[0]).state == "failed"
    assert running.host.pid == pid


@pytest.mark.parametrize(
    ("thread_id", "how", "code", "words"),
    [
        ("os._exit", "os._exit", 7, "The host ended itself with exit code 7."),
        slow("segfault", "segfault", -11, "The host was killed by signal 11 (SIGSEGV)."),
        slow("kill -9", "kill -9", -9, "The host was killed by signal 9 (SIGKILL)."),
        slow("child", "child keeps the line", 8, "The host ended itself with exit code 8."),
    ],
)
def test_a_host_that_dies_is_told_and_replaced_and_its_decision_is_unknown(
    running: Any, thread_id: str, how: str, code: int, words: str
) -> None:
    decision = running.decide(thread_id, how)
    with pytest.raises(HostGone, match=words.replace("(", r"\(").replace(")", r"\)")):
        running.carry_out(thread_id)
    died = running.wait_for_death()
    assert (died.exit_code, died.detail, died.thread_ids) == (code, words, (thread_id,))
    assert not running.host.is_alive
    assert running.journal.decision(decision.decision_id).state == "running"
    (outcome,) = running.carry_out(thread_id)
    assert (outcome.state, outcome.decision_ids) == ("unknown", (decision.decision_id,))
    assert running.journal.decision(decision.decision_id).state == "unknown"
    assert said(running).count(how) == 1


@pytest.mark.slow
def test_what_a_dead_host_had_started_ends_with_it(running: Any) -> None:
    """Or an effect might still happen while the operator is told what did."""
    wait_until_gone(int((running.database.path.parent / "child").read_text("utf-8")))


def test_a_hang_ends_when_the_operator_ends_it(running: Any) -> None:
    running.decide("hang", "hang")
    future = running.host.carry_out("hang")
    running.wait_for_node("hang")
    running.host.kill()
    with pytest.raises(HostGone, match="ended by the operator"):
        future.result(30)
    assert running.wait_for_death().thread_ids == ("hang",)


@contextmanager
def gate(running: Any) -> Iterator[None]:
    """Hold the nodes that were told to wait at the gate."""
    with (running.database.path.parent / "gate").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def test_a_run_can_be_stopped_after_the_step_in_hand(running: Any) -> None:
    running.decide("step", "gate")
    with gate(running):
        future = running.host.carry_out("step")
        running.wait_for_node("step")
        running.host.stop_after_step()
        # the frame is read by a thread of the host: once this answer is here, the wish before it was heard
        running.host.state("agent", "quit")
    (outcome,) = future.result(30)
    assert (outcome.state, outcome.detail) == ("applied", "stopped after the step, as asked, before after")
    assert running.reader.thread("step").next == ("after",)


def test_runs_of_one_host_go_one_after_the_other(running: Any) -> None:
    running.decide("queue-1", "gate")
    running.decide("queue-2", "fine")
    with gate(running):
        first, second = running.host.carry_out("queue-1"), running.host.carry_out("queue-2")
        running.wait_for_node("queue-1")
        running.host.state("agent", "quit")
        assert not second.done()
    assert [outcome.state for outcome in (*first.result(30), *second.result(30))] == ["applied", "applied"]
    lines = said(running)
    assert lines[-4:] == ["gate", "after", "fine", "after"]


def test_a_wish_to_stop_lets_nothing_start_that_was_asked_for_before(running: Any) -> None:
    running.decide("stop-1", "gate")
    decision = running.decide("stop-2", "fine")
    with gate(running):
        first, second = running.host.carry_out("stop-1"), running.host.carry_out("stop-2")
        running.wait_for_node("stop-1")
        running.host.stop_after_step()
        running.host.state("agent", "quit")
    assert [outcome.state for outcome in first.result(30)] == ["applied"]
    assert second.result(30) == ()
    assert running.journal.decision(decision.decision_id).state == "recorded"
    assert [outcome.state for outcome in running.carry_out("stop-2")] == ["applied"]


CLIENT = """
import sys, threading
from pathlib import Path
from agent_lab_tui.graph.hosting.host import Host
from agent_lab_tui.graph.settings.file import RunSettings, Settings
from agent_lab_tui.graph.settings.specs import read_specs
from agent_lab_tui.store.files import open_database

db = open_database(sys.argv[1])
(project,) = read_specs(["agent.py:graph"], db.path.parent)
started = threading.Event()
def hear(event):
    if getattr(event, "kind", "") == "node":
        started.set()
host = Host(project, db, Settings(), hear)
host.carry_out(sys.argv[2])
started.wait(30)
print(host.pid, flush=True)
threading.Event().wait()
"""


def client(running: Any, thread_id: str) -> tuple[subprocess.Popen[str], int]:
    """A desk in a process of its own, and the process id of its host, once a node runs."""
    process = subprocess.Popen(
        [sys.executable, "-c", CLIENT, str(running.database.path), thread_id],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    return process, int(process.stdout.readline())


def wait_until_gone(pid: int) -> None:
    """Wait for the end of a process that may not be ours to wait for."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        assert select.select([descriptor], [], [], 30)[0], "the host is still there"
    finally:
        os.close(descriptor)


def test_a_killed_desk_leaves_no_host_and_loses_no_outcome(running: Any) -> None:
    """The host finishes the step in hand, starts no other, writes the outcome down, and ends."""
    decision = running.decide("client", "gate")
    with gate(running):
        process, pid = client(running, "client")
        with process:
            os.kill(process.pid, signal.SIGKILL)
            process.wait(30)
        assert is_alive(pid, "")
    wait_until_gone(pid)
    ended = running.journal.decision(decision.decision_id)
    assert ended.state == "applied"
    assert ended.detail in ("finished", "stopped after the step, as asked, before after")


@pytest.mark.slow
def test_a_desk_that_is_closed_while_a_node_runs_leaves_it_to_end_by_itself(running: Any, run: Any) -> None:
    other = run("agent.py:graph", running.database.path)
    decision = other.decide("gone", "gate")
    with gate(running):
        other.host.carry_out("gone")
        other.wait_for_node("gone")
        pid = other.host.pid
        assert other.host.close(0) is False
    wait_until_gone(pid)
    assert running.journal.decision(decision.decision_id).state == "applied"


@pytest.mark.slow
@pytest.mark.parametrize(("thread_id", "graph"), [("left", "graph"), ("left async", "async_graph")])
def test_a_step_that_never_ends_does_not_keep_its_host_once_the_desk_is_gone(
    running: Any, run: Any, thread_id: str, graph: str
) -> None:
    other = run(f"agent.py:{graph}", running.database.path, Settings(run=RunSettings(grace=1)))
    decision = other.decide(thread_id, "hang")
    other.host.carry_out(thread_id)
    other.wait_for_node(thread_id)
    pid = other.host.pid
    assert other.host.close(0) is False
    wait_until_gone(pid)
    ended = running.journal.decision(decision.decision_id)
    assert (ended.state, running.journal.leases.alive(thread_id)) == ("unknown", False)
    assert ended.detail == "the host ended itself, for the step in hand went on for 1 s without a desk"
    assert (ended.break_off.how, ended.break_off.begun) == (ended.detail, ("ask",))
    (settled,) = running.deciding.unsettled(thread_id)
    assert settled.offers == ("send-again", "drop")
    assert settled.evidence.startswith(ended.detail)


def test_an_idle_host_ends_at_once_when_it_is_closed(running: Any, run: Any) -> None:
    other = run("agent.py:graph", running.database.path)
    pid = other.host.pid
    assert other.host.close() is True
    assert not is_alive(pid, "")
    assert not other.host.is_alive
    assert (other.host.output(), other.host.output_size) == ("", 0)


@pytest.mark.slow
def test_a_host_whose_graph_ends_it_while_loading_is_told(run: Any, make: Any, tmp_path: Path) -> None:
    db = make(AGENT, "t")
    (db.parent / "agent.py").write_text("import os\nos._exit(9)\n", "utf-8")
    with pytest.raises(HostGone, match="exit code 9"):
        run("agent.py:graph", db)


@pytest.mark.slow
def test_a_coroutine_that_calls_sys_exit_is_a_failed_run_too(run: Any, running: Any) -> None:
    """It surfaces out of the running event loop, which is then entered again."""
    other = run("agent.py:async_graph", running.database.path)
    outcome = other.answer("async sys.exit", "sys.exit")
    assert (outcome.state, outcome.error) == ("failed", "SystemExit: the node ended itself with sys.exit(3)")
    other.decide("async step", "gate")
    with gate(running):
        future = other.host.carry_out("async step")
        other.wait_for_node("async step")
        other.host.stop_after_step()  # heard though the node blocks the loop
        assert not future.done()
    assert [outcome.state for outcome in future.result(30)] == ["applied"]
    assert other.host.close() is True


@pytest.mark.slow
def test_a_host_that_hangs_while_it_loads_ends_with_its_desk(make: Any) -> None:
    db = make(AGENT, "t")
    (db.parent / "agent.py").write_text("import threading\nthreading.Event().wait()\n", "utf-8")
    (project,) = read_specs(["agent.py:graph"], db.parent)
    host = Host(project, open_database(str(db)), Settings(), lambda event: None)
    host.start()
    pid = host.pid
    assert pid is not None
    with pytest.raises(HostError, match="The host has been loading the graphs for 1 seconds"):
        host.facts(timeout=1)
    assert host.close(30) is True
    wait_until_gone(pid)


def test_a_new_host_is_there_within_seconds_of_a_death(running: Any) -> None:
    running.host.start()
    running.host.kill()
    running.wait_for_death()
    begun = time.monotonic()
    assert running.host.facts()[0].error is None
    assert time.monotonic() - begun < 20
