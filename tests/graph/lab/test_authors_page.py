"""The examples of docs/authors.md: each breaks as it says, and each mended one does not."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolCall
from langchain_core.tools import tool
from langgraph.cache.memory import InMemoryCache
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt

from agent_lab_tui.store.effects import Effects

PAGE = Path(__file__).resolve().parents[3] / "docs" / "authors.md"
EXAMPLE = re.compile(r"<!-- example: ([a-z -]+) -->\n```python\n(.*?)```", re.DOTALL)
EXAMPLES = dict(EXAMPLE.findall(PAGE.read_text("utf-8")))

Names = dict[str, Any]


class Played:
    """A graph of an example's nodes, one after the other, on one thread."""

    def __init__(self, names: Names, *nodes: str, **more: Any) -> None:
        builder: StateGraph[Any, Any, Any, Any] = StateGraph(dict)
        before = START
        for node in nodes:
            builder.add_node(node, names[node], **more)
            builder.add_edge(before, node)
            before = node
        self.graph = builder.compile(checkpointer=InMemorySaver(), cache=InMemoryCache())

    def start(self, thread: str = "t") -> None:
        self.graph.invoke({"text": "x", "run_id": "run-7"}, self.config(thread))

    def say(self, answer: str, thread: str = "t") -> None:
        (asked,) = self.graph.get_state(self.config(thread)).interrupts
        self.graph.invoke(Command(resume={asked.id: answer}), self.config(thread))

    def decide(self, decision: dict[str, Any], thread: str = "t") -> None:
        (asked,) = self.graph.get_state(self.config(thread)).interrupts
        self.graph.invoke(Command(resume={asked.id: {"decisions": [decision]}}), self.config(thread))

    def asks(self, thread: str = "t") -> list[Any]:
        return [asked.value for asked in self.graph.get_state(self.config(thread)).interrupts]

    @staticmethod
    def config(thread: str) -> Any:
        return {"configurable": {"thread_id": thread}}


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Names]:
    """Run an example of the page in an empty folder and give what it defines."""
    monkeypatch.chdir(tmp_path)

    def run(name: str, **more: Any) -> Names:
        names: Names = {"interrupt": interrupt, "StateGraph": StateGraph, "START": START, "deeds": [], **more}
        code = compile(EXAMPLES[name], f"{PAGE.name}: {name}", "exec", dont_inherit=True)
        exec(code, names)
        return names

    return run


Example = Callable[..., Names]


def test_every_rule_has_an_example_that_breaks_and_one_that_is_mended() -> None:
    rules = {name.rpartition(" ")[0] for name in EXAMPLES if " " in name}
    assert rules == {"random-key", "bare-except", "order", "storable", "before", "subgraph", "cached"}
    pairs = {f"{rule} {how}" for rule in rules for how in ("breaks", "mended")}
    assert pairs | {"whole-pattern", "explain", "langchain"} == set(EXAMPLES)


def test_the_whole_pattern_asks_once_and_publishes_once(example: Example, tmp_path: Path) -> None:
    names = example("whole-pattern")
    graph = names["builder"].compile(checkpointer=InMemorySaver())
    config = Played.config("t")
    graph.invoke({"run_id": "run-1"}, config)
    assert not (tmp_path / "published.txt").exists()
    (asked,) = graph.get_state(config).interrupts
    assert asked.value["action_requests"][0]["impact"].startswith("Adds one line")
    graph.invoke(Command(resume={asked.id: {"decisions": [{"type": "approve"}]}}), config)
    before_publish = next(state for state in graph.get_state_history(config) if state.next == ("publish",))
    graph.invoke(None, before_publish.config)
    assert (tmp_path / "published.txt").read_text() == "The queue at noon is too long.\n"
    (effect,) = Effects(tmp_path / "agent.db.desk").all()
    assert (effect.key, effect.state) == ("run-1:publish", "done")


def test_a_question_back_is_answered_and_asked_again(example: Example) -> None:
    played = Played(example("explain"), "confirm")
    played.start()
    played.decide({"type": "explain", "message": "By whom?"})
    (asked,) = played.asks()
    assert "You asked: By whom?" in asked["action_requests"][0]["reason"]
    played.decide({"type": "approve"})
    assert played.graph.get_state(played.config("t")).values["may_run"]


def test_an_approved_call_of_a_langchain_agent_is_done_once(example: Example, tmp_path: Path) -> None:
    outbox: list[str] = []

    @tool
    def send_mail(to: str) -> str:
        """Send a mail."""
        outbox.append(to)
        return "sent"

    call = ToolCall(name="send_mail", args={"to": "ann"}, id="call-1")
    given = {"model": Model(messages=iter([AIMessage("", tool_calls=[call]), AIMessage("Done.")]))}
    names = example("langchain", send_mail=send_mail, outbox=outbox, checkpointer=InMemorySaver(), **given)
    agent, config = names["agent"], Played.config("t")
    agent.invoke({"messages": [HumanMessage("Write to Ann.")]}, config)
    assert outbox == []
    (asked,) = agent.get_state(config).interrupts
    agent.invoke(Command(resume={asked.id: {"decisions": [{"type": "approve"}]}}), config)
    (effect,) = Effects(tmp_path / "agent.db.desk").all()
    assert (outbox, effect.state, effect.key.startswith("t:call-1:")) == (["ann"], "done", True)


class Model(GenericFakeChatModel):
    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self


@pytest.mark.parametrize(("how", "paid"), [("breaks", 2), ("mended", 1)])
def test_a_key_made_by_chance_pays_twice(how: str, paid: int, example: Example) -> None:
    names = example(f"random-key {how}")
    played = Played(names, "pay")
    played.start()
    played.say("yes")
    assert names["deeds"] == ["paid"] * paid


def test_a_bare_except_opens_the_gate(example: Example) -> None:
    names = example("bare-except breaks")
    played = Played(names, "publish")
    played.start()
    assert (played.asks(), names["deeds"]) == ([], ["published"])


def test_without_it_the_gate_holds(example: Example) -> None:
    names = example("bare-except mended")
    played = Played(names, "publish")
    played.start()
    assert (played.asks(), names["deeds"]) == (["Publish?"], [])
    played.say("yes")
    assert names["deeds"] == ["published"]


@pytest.mark.parametrize(
    ("how", "nodes", "done"),
    [("breaks", ["act"], ["delete everything?"]), ("mended", ["choose", "act"], ["say hi?"])],
)
def test_a_yes_goes_to_another_question_when_the_order_moves(
    how: str, nodes: list[str], done: list[str], example: Example
) -> None:
    names = example(f"order {how}")
    played = Played(names, *nodes)
    played.start()
    assert played.asks() == ["say hi?"]
    names["world"].insert(0, "delete everything?")
    played.say("yes")
    assert names["deeds"] == done


def test_a_payload_that_cannot_be_stored_asks_nobody(example: Example) -> None:
    played = Played(example("storable breaks"), "confirm")
    with pytest.raises(TypeError, match="not msgpack serializable"):
        played.start()
    assert played.asks() == []


def test_a_plain_payload_asks(example: Example) -> None:
    played = Played(example("storable mended"), "confirm")
    played.start()
    assert played.asks() == [{"operation": "publish", "undo": "delete the last line"}]


@pytest.mark.parametrize(
    ("name", "nodes", "mailed"),
    [
        ("before breaks", ["publish"], 2),
        ("before mended", ["draft", "confirm"], 1),
        ("subgraph breaks", ["publish"], 2),
        ("subgraph mended", ["draft", "publish"], 1),
    ],
)
def test_what_stands_before_the_question_is_done_again(
    name: str, nodes: list[str], mailed: int, example: Example
) -> None:
    names = example(name)
    played = Played(names, *nodes)
    played.start()
    played.say("yes")
    assert names["deeds"] == ["mailed a draft"] * mailed


@pytest.mark.parametrize(("how", "asked"), [("breaks", []), ("mended", ["Publish?"])])
def test_a_cached_asking_node_gives_the_first_answer_to_the_second_thread(
    how: str, asked: list[str], example: Example
) -> None:
    names = example(f"cached {how}")
    played = Played(names, "confirm", cache_policy=names["policy"])
    played.start("first")
    played.say("yes", "first")
    played.start("second")
    assert played.asks("second") == asked
