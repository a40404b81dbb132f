"""Run a lab agent's new task in this process, up to its first question or its end.

What comes after, answers and go-on, takes the desk's road: journal, lease, checks, host.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from agent_lab_tui.store.effects import Effects
from agent_lab_tui.store.journal.leases import Leases
from agent_lab_tui.store.tables import explained

from . import crash
from .locks import alone_in
from .registry import Agent, Beginning, LabRefused, Start, agents
from .workspace import Workspace, checked_id, checked_line, need_rights

if TYPE_CHECKING:
    from langgraph.checkpoint.sqlite import SqliteSaver


@dataclass(frozen=True, slots=True)
class Stand:
    """Where a run ended."""

    thread_id: str
    next: tuple[str, ...]
    asks: tuple[Any, ...]
    """The values of the questions it waits for."""


def start(lab: Workspace, agent: Agent, new: Start, on_step: Callable[[str], None]) -> Stand:
    """Begin a task and run it to its first question or its end.

    Args:
        lab: The folder.
        agent: Whose task it is.
        new: The task.
        on_step: Called with the name of each node that has run.

    Raises:
        LabRefused: The task exists, its thread does, or something it needs is missing; nothing was made.
    """
    checked_id(new.task_id)
    checked_line("--thread-id", new.thread_id)
    need_rights(lab)
    # One process at a time looks whether an id is free and takes it, whichever agent it is for.
    with alone_in(lab.database.parent):
        refuse_known(lab, new.task_id)
        if _has_thread(lab, new.thread_id):
            raise LabRefused(f"There is a thread {new.thread_id} already; --thread-id names another.")
        beginning = agent.begin(lab, new)
    crash.point("born")
    return run(lab, agent, new.thread_id, beginning, on_step)


def refuse_known(lab: Workspace, task_id: str) -> None:
    """Refuse an id that a task has, or one had: its keys still stand for what that one did.

    Raises:
        LabRefused: With the way on.
    """
    for agent in agents():
        if task_id in agent.tasks(lab):
            way_on = f"`agent-lab-tui lab resume {task_id}` carries it on"
            raise LabRefused(f"The task {task_id} of {agent.name} exists already: {way_on}.")
    if Effects(lab.ledger).all(f"{task_id}:"):
        raise LabRefused(
            f"A task {task_id} was dropped, and the ledger still knows its deeds: take another id."
        )


def run(
    lab: Workspace, agent: Agent, thread_id: str, beginning: Beginning, on_step: Callable[[str], None]
) -> Stand:
    """Run a thread from its input, under its lease.

    Raises:
        LabRefused: Another process runs it, or it has checkpoints already.
    """
    config: Any = {"configurable": {**beginning.configurable, "thread_id": thread_id}}
    if beginning.recursion_limit is not None:
        config["recursion_limit"] = beginning.recursion_limit
    with _lease(lab, thread_id), open_saver(lab) as saver:
        if saver.get_tuple(config) is not None:
            raise LabRefused(
                f"{thread_id} has begun already: `agent-lab-tui go-on {thread_id}` carries it on."
            )
        graph = agent.build(lab)
        graph.checkpointer = saver
        for update in graph.stream(dict(beginning.input), config, stream_mode="updates", durability="sync"):
            for node in update:
                if not node.startswith("__"):
                    on_step(node)
        state = graph.get_state(config)
    return Stand(thread_id, state.next, tuple(interrupt.value for interrupt in state.interrupts))


@contextmanager
def open_saver(lab: Workspace) -> Iterator[SqliteSaver]:
    """Open the checkpoint database; nothing that its blobs name is imported.

    Raises:
        CannotOpen: It is damaged, write-protected, or held too long by others.
    """
    os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")
    from .saver import LabSaver

    with explained(lab.database), LabSaver.from_conn_string(str(lab.database)) as saver:
        yield saver


@contextmanager
def _lease(lab: Workspace, thread_id: str) -> Iterator[None]:
    leases = Leases(lab.ledger)
    token = leases.take(thread_id)
    if token is None:
        raise LabRefused(f"Another process runs {thread_id} right now; wait for it.")
    try:
        yield
    finally:
        leases.release(thread_id, token)


def _has_thread(lab: Workspace, thread_id: str) -> bool:
    if not lab.database.exists():
        return False
    with open_saver(lab) as saver:
        return saver.get_tuple({"configurable": {"thread_id": thread_id}}) is not None
