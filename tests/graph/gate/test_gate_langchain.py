"""The middleware for LangChain agents: a tool call is run once over kills, replays and edits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from agent_lab_tui.graph import gate
from agent_lab_tui.graph.gate.langchain import EffectsMiddleware
from agent_lab_tui.store.effects import Effects

CONFIG: Any = {"configurable": {"thread_id": "t"}}


class Model(GenericFakeChatModel):
    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self


class Outside:
    """Mails that went out, and whether the next answer is lost."""

    def __init__(self) -> None:
        self.mails: list[str] = []
        self.looks = 0
        self.is_losing_answers = False

    def send(self, to: str) -> str:
        self.mails.append(to)
        if self.is_losing_answers:
            raise TimeoutError("no answer")
        return f"sent to {to}"


@pytest.fixture
def outside() -> Outside:
    return Outside()


@pytest.fixture
def ledger(tmp_path: Path) -> Effects:
    return Effects(tmp_path / "effects.db")


def make(outside: Outside, ledger: Effects, **more: Any) -> Any:
    @tool
    def send_mail(to: str) -> str:
        """Send a mail."""
        return outside.send(to)

    @tool
    def look() -> str:
        """Look."""
        outside.looks += 1
        return "seen"

    calls = [
        {"name": "send_mail", "args": {"to": "ann"}, "id": "call-1"},
        {"name": "look", "args": {}, "id": "call-2"},
    ]
    messages = iter([AIMessage("I write to Ann.", tool_calls=calls), AIMessage("Done."), AIMessage("Done.")])
    return create_agent(
        Model(messages=messages),
        [send_mail, look],
        middleware=[
            HumanInTheLoopMiddleware(interrupt_on={"send_mail": True}),
            EffectsMiddleware(ledger, {"send_mail"}, **more),
        ],
        checkpointer=InMemorySaver(),
    )


def answer(graph: Any, *decisions: dict[str, Any]) -> None:
    (interrupt,) = graph.get_state(CONFIG).interrupts
    graph.invoke(Command(resume={interrupt.id: {"decisions": list(decisions)}}), CONFIG)


def started(outside: Outside, ledger: Effects, **more: Any) -> Any:
    graph = make(outside, ledger, **more)
    graph.invoke({"messages": [HumanMessage("write to Ann")]}, CONFIG)
    return graph


def results(graph: Any) -> dict[str, str]:
    messages = graph.get_state(CONFIG).values["messages"]
    return {one.tool_call_id: one.content for one in messages if isinstance(one, ToolMessage)}


def before_tools(graph: Any) -> Any:
    return next(one for one in graph.get_state_history(CONFIG) if "tools" in one.next)


def test_an_approved_call_runs_once_and_a_replay_gives_its_message_back(
    outside: Outside, ledger: Effects
) -> None:
    graph = started(outside, ledger)
    answer(graph, {"type": "approve"})
    graph.invoke(None, before_tools(graph).config)
    assert outside.mails == ["ann"]
    assert outside.looks == 2
    assert results(graph) == {"call-1": "sent to ann", "call-2": "seen"}


def test_edited_arguments_are_what_runs_and_what_is_recorded(outside: Outside, ledger: Effects) -> None:
    graph = started(outside, ledger)
    edited = {"name": "send_mail", "args": {"to": "bob"}}
    answer(graph, {"type": "edit", "edited_action": edited})
    assert outside.mails == ["bob"]
    (effect,) = ledger.all()
    assert effect.key.startswith("t:call-1:")


def test_another_yes_to_other_arguments_in_the_past_is_another_deed(
    outside: Outside, ledger: Effects
) -> None:
    graph = started(outside, ledger)
    answer(graph, {"type": "approve"})
    asked = next(one for one in graph.get_state_history(CONFIG) if one.interrupts)
    graph.invoke(None, asked.config)
    answer(graph, {"type": "edit", "edited_action": {"name": "send_mail", "args": {"to": "bob"}}})
    assert outside.mails == ["ann", "bob"]


def test_a_call_of_unknown_end_is_asked_about_and_the_finished_one_is_not_run_again(
    outside: Outside, ledger: Effects
) -> None:
    graph = started(outside, ledger)
    outside.is_losing_answers = True
    with pytest.raises(TimeoutError):
        answer(graph, {"type": "approve"})
    outside.is_losing_answers = False
    graph.invoke(None, CONFIG)
    (interrupt,) = graph.get_state(CONFIG).interrupts
    assert interrupt.value["type"] == "unknown_outcome"
    assert interrupt.value["action_requests"][0]["args"] == {"to": "ann"}
    answer(graph, {"type": "respond", "message": "it arrived"})
    assert outside.mails == ["ann"]
    assert results(graph)["call-1"] == "it arrived"


def test_what_can_be_looked_up_is_not_asked(outside: Outside, ledger: Effects) -> None:
    def verify(arguments: Any) -> gate.Evidence:
        return gate.done("found at the service") if arguments["to"] in outside.mails else gate.not_done()

    graph = started(outside, ledger, verify={"send_mail": verify})
    outside.is_losing_answers = True
    with pytest.raises(TimeoutError):
        answer(graph, {"type": "approve"})
    graph.invoke(None, CONFIG)
    assert outside.mails == ["ann"]
    assert results(graph)["call-1"] == "found at the service"


async def test_async_agents_run_a_call_once(outside: Outside, ledger: Effects) -> None:
    graph = make(outside, ledger)
    await graph.ainvoke({"messages": [HumanMessage("write to Ann")]}, CONFIG)
    (interrupt,) = (await graph.aget_state(CONFIG)).interrupts
    await graph.ainvoke(Command(resume={interrupt.id: {"decisions": [{"type": "approve"}]}}), CONFIG)
    await graph.ainvoke(None, before_tools(graph).config)
    assert outside.mails == ["ann"]
