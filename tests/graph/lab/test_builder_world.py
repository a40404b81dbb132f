"""The builder in the world: other models, event loops, credentials, and many tasks that wait."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from lab_player import APPROVE, Player, explain
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.types import Command

from agent_lab_tui.graph.lab.builder.graph import build
from agent_lab_tui.graph.lab.builder.models import ChatModel
from agent_lab_tui.graph.lab.mail_client import start_courier
from agent_lab_tui.graph.lab.registry import LabRefused, Start, agent
from agent_lab_tui.graph.lab.starting import open_saver
from agent_lab_tui.graph.lab.workspace import Workspace
from agent_lab_tui.store.checkpoints.threads import every
from agent_lab_tui.store.files import open_database
from agent_lab_tui.store.lab.runs import Runs

TOKEN = "token-that-must-stay-outside"


def called(name: str, **arguments: str) -> AIMessage:
    call = {
        "id": f"id-{name}-{sorted(arguments.values())}",
        "name": name,
        "args": arguments,
        "type": "tool_call",
    }
    return AIMessage("I do it.", tool_calls=[call])


class Provider(BaseChatModel):
    """A chat model of LangChain whose provider is this test."""

    replies: list[AIMessage]
    heard: list[list[BaseMessage]]

    @property
    def _llm_type(self) -> str:
        return "test"

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Runnable[Any, AIMessage]:
        assert {"send_mail", "remove_folder"} <= {tool["function"]["name"] for tool in tools}
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **_: Any,
    ) -> ChatResult:
        self.heard.append(messages)
        return ChatResult(generations=[ChatGeneration(message=self.replies.pop(0))])


def test_any_chat_model_of_langchain_drives_the_same_loop(lab: Workspace) -> None:
    provider = Provider(
        replies=[
            called("fetch_sources", part="zlib"),
            called("build", part="zlib"),
            called("install", part="zlib"),
            called("package", project="zlib"),
            called("push", file="dist/zlib.pkg", channel="stable"),
            AIMessage("Because people wait for it."),
            AIMessage("Done.", usage_metadata={"input_tokens": 5, "output_tokens": 2, "total_tokens": 7}),
        ],
        heard=[],
    )
    beginning = agent("builder").begin(lab, Start("run-1", "run-1", {"project": "zlib"}))
    graph = build(lab, models=lambda *_: ChatModel(provider))
    config: Any = {"configurable": {"thread_id": "run-1", "__pregel_strict_resume": True}}
    with open_saver(lab) as saver:
        graph.checkpointer = saver
        graph.invoke(dict(beginning.input), config)
        for answer in (explain("Why now?"), APPROVE):
            (asked,) = graph.get_state(config).interrupts
            graph.invoke(Command(resume={asked.id: {"decisions": [answer]}}), config)
        values = graph.get_state(config).values
    assert asked.value["action_requests"][0]["reason"] == "I do it.\nBecause people wait for it."
    assert (values["status"], values["spent"]["tokens"]) == ("completed", 7)
    assert "[ ] build and install zlib" in str(provider.heard[0][0].content)
    assert "[x] pack zlib" in str(provider.heard[-1][0].content)


async def test_its_tables_work_in_the_threads_of_an_event_loop(notifying: Player) -> None:
    graph = agent("builder").build(notifying.lab)
    async with AsyncSqliteSaver.from_conn_string(str(notifying.lab.database)) as saver:
        graph.checkpointer = saver
        state = await graph.aget_state(notifying.config)
        answers = {asked.id: {"decisions": [APPROVE]} for asked in state.interrupts}
        await graph.ainvoke(Command(resume=answers), notifying.config, durability="sync")
        state = await graph.aget_state(notifying.config)
    assert state.values["status"] == "completed"
    assert sorted(notifying.mails()) == ["+49 30 1234", "boss@example.com", "tickets"]
    assert set(notifying.executions().values()) == {1}


def test_the_token_of_the_service_is_in_no_file_no_row_and_no_process_of_the_agent(notifying: Player) -> None:
    start_courier(notifying.lab.root / "mail", token=TOKEN)
    notifying.approve_all()
    assert len(notifying.mails()) == 3
    files = [path for path in notifying.lab.root.rglob("*") if path.is_file()]
    assert len(files) > 10
    assert [str(path) for path in files if TOKEN.encode() in path.read_bytes()] == []
    assert TOKEN not in str(notifying.values)
    assert TOKEN not in str(os.environ)
    assert TOKEN not in str(agent("builder").status(notifying.lab, "run-217"))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc for who holds a file")
def test_a_hundred_waiting_tasks_hold_no_process(lab: Workspace) -> None:
    first = Player(lab, "patch", "p-0")
    ended = first.in_process(
        "start()\nfor number in range(1, 100): Player(player.lab, 'patch', f'p-{number}').start()"
    )
    assert ended.returncode == 0, ended.stderr
    database = open_database(str(lab.database))
    with database.reading() as connection:
        assert [row.pending_tasks for row in every(connection, database)] == [1] * 100
    assert holders(lab.root) == []
    Player(lab, "patch", "p-42").approve_all()
    assert Player(lab, "patch", "p-42").snapshot().next == ()


def holders(root: Path) -> list[str]:
    """The processes that have a file below a folder open, or work in it."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            links = [os.readlink(link) for link in (*process.joinpath("fd").iterdir(), process / "cwd")]
        except OSError:
            continue
        if any(link.startswith(str(root)) for link in links):
            found.append(process.name)
    return found


def test_one_run_is_one_row_however_many_processes_carry_it(killed: Player) -> None:
    killed.go_on()
    killed.approve_all()
    (row,) = Runs(killed.lab.database).runs()
    assert (row.run_id, row.status) == ("run-217", "completed")


def test_a_model_that_cannot_be_had_is_one_sentence_and_makes_no_run(
    lab: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each provider's package raises errors of its own for a missing key."""

    class NoKey(Exception):
        pass

    def without_a_key(name: str) -> None:
        raise NoKey(f"{name}: set its key\nin the environment, or pass it\n")

    monkeypatch.setattr("langchain.chat_models.init_chat_model", without_a_key)
    with pytest.raises(LabRefused) as refused:
        Player(lab, "builder", "run-1").start(model="acme:large")
    assert str(refused.value) == "The model 'acme:large' cannot be used: acme:large: set its key"
    assert Runs(lab.database).runs() == ()
    assert not (lab.root / "work" / "run-1").exists()
