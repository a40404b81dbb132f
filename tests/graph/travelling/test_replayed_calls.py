"""A replay of a LangChain agent is told as it comes: the middleware's key is made again by the same call."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command

from agent_lab_tui.graph.desk import Desk
from agent_lab_tui.graph.gate.langchain import EffectsMiddleware
from agent_lab_tui.graph.settings.file import Settings

CONFIG: Any = {"configurable": {"thread_id": "t"}}
APPROVED = {"type": "approve"}
EDITED = {"type": "edit", "edited_action": {"name": "send_mail", "args": {"to": "bob"}}}


class Model(GenericFakeChatModel):
    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self


@pytest.mark.parametrize(("decision", "would"), [(APPROVED, "be skipped"), (EDITED, "unknown")])
def test_a_call_that_stands_in_the_checkpoint_is_not_said_to_run_again(
    tmp_path: Path, decision: Any, would: str
) -> None:
    @tool
    def send_mail(to: str) -> str:
        """Send a mail."""
        return f"sent to {to}"

    call = {"name": "send_mail", "args": {"to": "ann"}, "id": "call_8fJk29dLx0q1"}
    agent: Any = create_agent(
        Model(messages=iter([AIMessage("", tool_calls=[call]), AIMessage("Done.")])),
        [send_mail],
        middleware=[
            HumanInTheLoopMiddleware(interrupt_on={"send_mail": True}),
            EffectsMiddleware(ledger=tmp_path / "agent.db.desk", tools={"send_mail"}),
        ],
    )
    with closing(sqlite3.connect(tmp_path / "agent.db", check_same_thread=False)) as conn:
        agent.checkpointer = SqliteSaver(conn)
        (asked,) = agent.invoke({"messages": "write"}, CONFIG)["__interrupt__"]
        question = agent.get_state(CONFIG).config["configurable"]["checkpoint_id"]
        agent.invoke(Command(resume={asked.id: {"decisions": [decision]}}), CONFIG)
    desk = Desk.open(Settings(), db=str(tmp_path / "agent.db"), operator="ann")
    with closing(desk):
        (fate,) = desk.travelling.preview_replay("t", question).effects
    assert (fate.operation, fate.would) == ("send_mail", would)
