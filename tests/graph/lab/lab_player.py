"""Somebody who plays the lab's agents: in this process, and in others that are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langgraph.types import Command, StateSnapshot

from agent_lab_tui.graph.lab import crash
from agent_lab_tui.graph.lab.courier import MAILBOX
from agent_lab_tui.graph.lab.registry import Start, agent
from agent_lab_tui.graph.lab.starting import open_saver, start
from agent_lab_tui.graph.lab.workspace import Workspace
from agent_lab_tui.store.effects import Effects
from agent_lab_tui.store.lab.mailbox import Mailbox
from agent_lab_tui.store.lab.runs import Runs

APPROVE: dict[str, Any] = {"type": "approve"}


def reject(reason: str) -> dict[str, Any]:
    return {"type": "reject", "message": reason}


def edit(name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "edit", "edited_action": {"name": name, "args": arguments}}


def explain(question: str) -> dict[str, Any]:
    return {"type": "explain", "message": question}


@dataclass(frozen=True)
class Asked:
    """One question as the gate asks it."""

    id: str
    request: dict[str, Any]

    @property
    def name(self) -> str:
        name: str = self.request["name"]
        return name


@dataclass(frozen=True)
class Player:
    """Starts an agent and answers it, in this process, as an operator would."""

    lab: Workspace
    agent: str
    task_id: str

    @property
    def config(self) -> Any:
        return {"configurable": {"thread_id": self.task_id, "__pregel_strict_resume": True}}

    def start(self, max_steps: int | None = None, **options: str) -> None:
        new = Start(self.task_id, self.task_id, options, max_steps)
        start(self.lab, agent(self.agent), new, lambda _: None)

    def answer(self, **decisions: dict[str, Any]) -> None:
        """Answer the open questions of these operations, all in one map."""
        asked = {one.name: one.id for one in self.asked()}
        self.run(Command(resume={asked[name]: {"decisions": [said]} for name, said in decisions.items()}))

    def approve_all(self) -> None:
        """Say yes to everything that is asked, until nothing is."""
        while asked := self.asked():
            self.run(Command(resume={one.id: {"decisions": [APPROVE]} for one in asked}))

    def go_on(self) -> None:
        self.run(None)

    def run(self, order: Any) -> None:
        with open_saver(self.lab) as saver:
            graph = agent(self.agent).build(self.lab)
            graph.checkpointer = saver
            graph.invoke(order, self.config, durability="sync")

    def snapshot(self) -> StateSnapshot:
        with open_saver(self.lab) as saver:
            graph = agent(self.agent).build(self.lab)
            graph.checkpointer = saver
            return graph.get_state({"configurable": {"thread_id": self.task_id}})

    @property
    def values(self) -> dict[str, Any]:
        return dict(self.snapshot().values)

    def asked(self) -> list[Asked]:
        return [Asked(each.id, each.value["action_requests"][0]) for each in self.snapshot().interrupts]

    def results(self) -> list[str]:
        """What the tools told the model, in the order of the conversation."""
        return [str(message.content) for message in self.values["messages"] if message.type == "tool"]

    def executions(self) -> Counter[str]:
        """How often each call really ran, by key."""
        return Counter(call.key for call in Runs(self.lab.database).calls(self.task_id))

    def effects(self) -> dict[str, str]:
        """The state of every effect in the ledger, by key."""
        return {effect.key: effect.state for effect in Effects(self.lab.ledger).all(f"{self.task_id}:")}

    def mails(self) -> list[str]:
        """The recipients of all mails that really went out."""
        return [sent.mail.recipient for sent in Mailbox(self.lab.root / "mail" / MAILBOX).sent()]

    def in_process(
        self, what: str, die_at: str | None = None, *, is_bare: bool = False
    ) -> subprocess.CompletedProcess[str]:
        """Do `start`, `go_on`, `approve_all` or an answer in a process of its own, killed at a place."""
        kept = () if is_bare else os.environ
        environment = {name: os.environ[name] for name in kept if name != crash.VARIABLE}
        if die_at:
            environment[crash.VARIABLE] = die_at
        code = (
            "import sys; sys.path.insert(0, sys.argv[1])\n"
            "from pathlib import Path\n"
            "from lab_player import *\n"
            f"player = Player(Workspace(Path(sys.argv[2])), {self.agent!r}, {self.task_id!r})\n"
            f"player.{what}\n"
        )
        command = [sys.executable, "-c", code, str(Path(__file__).parent), str(self.lab.root)]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    def dies(self, what: str, at: str) -> None:
        """Do it in a process that is killed at a place, and be sure that it was."""
        died = self.in_process(what, die_at=at)
        assert died.returncode == -signal.SIGKILL, died.stderr
