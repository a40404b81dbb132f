"""Play one agent from its start to its end in this process, saying yes, or no, to everything it asks.

Run as `python -m agent_lab_tui.graph.lab.faults.play FOLDER AGENT ID SAYS [NAME=VALUE ...]`, to be killed.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from langgraph.types import Command

from ..registry import Start, agent
from ..starting import open_saver, start
from ..workspace import Workspace

NO = "not now"


def answer(value: Any, says: str) -> dict[str, Any]:
    """Return a yes or a no to a question, in the form in which it was asked."""
    is_yes = says == "approve"
    if isinstance(value, dict) and "action_requests" in value:
        decision = {"type": "approve"} if is_yes else {"type": "reject", "message": NO}
        return {"decisions": [decision for _ in value["action_requests"]]}
    return {"approved": True} if is_yes else {"approved": False, "why": NO}


def play(lab: Workspace, agent_name: str, task_id: str, says: str, settings: dict[str, str]) -> None:
    """Start a task and answer it until it asks nothing more."""
    start(lab, agent(agent_name), Start(task_id, task_id, settings), lambda _: None)
    config: Any = {"configurable": {"thread_id": task_id, "__pregel_strict_resume": True}}
    with open_saver(lab) as saver:
        graph = agent(agent_name).build(lab)
        graph.checkpointer = saver
        while asked := graph.get_state({"configurable": {"thread_id": task_id}}).interrupts:
            answers = {question.id: answer(question.value, says) for question in asked}
            graph.invoke(Command(resume=answers), config, durability="sync")


def main(arguments: list[str]) -> None:
    """Play what the arguments name."""
    folder, agent_name, task_id, says, *settings = arguments
    given = dict(setting.split("=", 1) for setting in settings)
    play(Workspace(Path(folder)), agent_name, task_id, says, given)


if __name__ == "__main__":
    main(sys.argv[1:])
