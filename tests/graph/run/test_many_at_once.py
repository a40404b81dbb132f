"""Several questions in one thread: one, some or all are answered, each by its own answer and no other."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agent_lab_tui.graph.deciding.checks import Stale
from agent_lab_tui.graph.desk import Desk
from agent_lab_tui.graph.reading.impact import computed
from agent_lab_tui.graph.reading.reader import Thread
from agent_lab_tui.graph.settings.file import Settings
from agent_lab_tui.store.values import Ext

pytestmark = pytest.mark.slow

AGENT = """
import operator
from pathlib import Path
from typing import Annotated, TypedDict
from langchain_core.messages import AIMessage, AnyMessage
from langchain_core.tools import tool
from langgraph.func import entrypoint, task
from langgraph.graph import START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.prebuilt import ToolNode
from langgraph.types import Send, interrupt

class State(TypedDict, total=False):
    said: Annotated[list, operator.add]
    messages: Annotated[list[AnyMessage], add_messages]

def ran(name):
    with open(Path(__file__).with_name("ran.log"), "a") as log:
        log.write(name + "\\n")

def asking(name):
    def node(state):
        ran(name)
        return {"said": [[name, interrupt({"which": name})]]}
    return node

def one(node, name="leaf"):
    inner = StateGraph(State)
    inner.add_node(name, node)
    inner.add_edge(START, name)
    return inner

def sends(state):
    return [Send("work", {"n": n}) for n in range(3)]

def work(item):
    ran(f"work {item['n']}")
    return {"said": [[item["n"], interrupt({"which": item["n"]})]]}

spread = StateGraph(State)
spread.add_node("work", work)
spread.add_conditional_edges(START, sends, ["work"])

def quiz(state):
    ran("quiz")
    return {"said": [interrupt({"which": "first"}), interrupt({"which": "second"})]}
row = one(quiz, "quiz")

def until_good(state):
    said = interrupt({"which": "how many?"})
    while not isinstance(said, int) or said < 1:
        said = interrupt({"which": f"{said!r} will not do"})
    return {"said": [said]}
loop = one(until_good, "loop")

twins = StateGraph(State)
for name in ("left", "right"):
    twins.add_node(name, one(asking(name)).compile())
    twins.add_edge(START, name)

deep = one(one(one(asking("bottom")).compile(), "middle").compile(), "top")

inner = one(asking("called")).compile()
def calls(state):
    ran("calls")
    return inner.invoke({"said": []})
called = one(calls, "calls")

@tool
def pay(to: str) -> str:
    "Pay somebody."
    ran(f"pay {to}")
    return f"{to}: {interrupt({'which': to})}"

def model(state):
    calls = [{"name": "pay", "args": {"to": to}, "id": to} for to in ("ann", "bob")]
    return {"messages": [AIMessage("", tool_calls=calls)]}
tools = StateGraph(State)
tools.add_node("model", model)
tools.add_node("tools", ToolNode([pay]))
tools.add_edge(START, "model")
tools.add_conditional_edges(
    "model", lambda s: [Send("tools", [call]) for call in s["messages"][-1].tool_calls], ["tools"])

@task
def rate(topic):
    ran(f"rate {topic}")
    return interrupt({"which": topic})

@task
def draft(topic):
    ran("draft")
    return topic

@entrypoint()
def essay(given):
    topic = draft("cats").result()
    ratings = [rate(topic), rate("dogs")]
    return [one.result() for one in ratings]

def boom(state):
    raise ValueError("boom")

def handler(state):
    return {"said": [interrupt({"which": "handler"})]}

handled = StateGraph(State)
handled.add_node("boom", boom, error_handler=handler)
handled.add_edge(START, "boom")

def route(state):
    return "yes" if interrupt({"which": "edge"}) == "y" else "no"

edge = StateGraph(State)
edge.add_node("node", lambda state: ran("node") or {"said": ["node"]})
edge.add_node("yes", lambda state: {"said": ["yes"]})
edge.add_node("no", lambda state: {"said": ["no"]})
edge.add_edge(START, "node")
edge.add_conditional_edges("node", route, ["yes", "no"])

kept = one(one(asking("kept")).compile(checkpointer=True), "sub")

class Item(TypedDict, total=False):
    n: int
    said: Annotated[list, operator.add]

each = StateGraph(Item)
each.add_node("leaf", lambda item: {"said": [[item["n"], interrupt({"which": item["n"]})]]})
each.add_edge(START, "leaf")
fleet = StateGraph(State)
fleet.add_node("sub", each.compile())
fleet.add_conditional_edges(START, lambda state: [Send("sub", {"n": n}) for n in range(2)], ["sub"])

async def later(state):
    return {"said": [interrupt({"which": "async"})]}
coroutines = one(later, "later")

graph = spread
GRAPHS = dict(spread=spread, row=row, loop=loop, twins=twins, deep=deep, called=called, tools=tools,
              essay=essay, handled=handled, edge=edge, kept=kept, fleet=fleet, coroutines=coroutines)

if __name__ == "__main__":
    import asyncio, copy, sys
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
    async def main():
        async with AsyncSqliteSaver.from_conn_string(sys.argv[1]) as saver:
            for name, made in GRAPHS.items():
                made = made.compile() if isinstance(made, StateGraph) else copy.copy(made)
                made.checkpointer = saver
                for thread in sys.argv[2:]:
                    await made.ainvoke({}, {"configurable": {"thread_id": f"{name}-{thread}"}})
    asyncio.run(main())
"""
NAMES = (
    "handled",
    "edge",
    "kept",
    "fleet",
    "spread",
    "row",
    "loop",
    "twins",
    "deep",
    "called",
    "tools",
    "essay",
    "coroutines",
)


class Many:
    """The threads of all graphs, answered through one desk."""

    def __init__(self, desk: Any, log: Path) -> None:
        self.desk = desk
        self._log = log

    def asks(self, thread_id: str) -> dict[Any, str]:
        """The questions of a thread: what each asks about, and its id."""
        return {one.value["which"]: one.id for one in self.thread(thread_id).questions}

    def thread(self, thread_id: str) -> Thread:
        thread: Thread = self.desk.choose_graph(thread_id, f"agent.{thread_id.partition('-')[0]}")
        return thread

    def answer(self, thread_id: str, answers: dict[Any, Any]) -> Any:
        """Give answers by what is asked about, in one order; give the state that then is."""
        asked = self.asks(thread_id)
        thread = self.thread(thread_id)
        values = {asked[which]: value for which, value in answers.items()}
        self.desk.record(self.desk.deciding.prepare(thread, values=values))
        (outcome,) = self.desk.carry_out(thread_id).result(60)
        assert (outcome.state, outcome.error) == ("applied", None)
        values = self.thread(thread_id).values
        return values.get("said", []) if isinstance(values, dict) else values

    def ran(self) -> list[str]:
        """Which bodies ran since it was asked last."""
        lines = self._log.read_text("utf-8").splitlines() if self._log.exists() else []
        self._log.unlink(missing_ok=True)
        return sorted(lines)


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Many]:
    folder = tmp_path_factory.mktemp("many")
    (folder / "agent.py").write_text(AGENT, "utf-8")
    threads = ("one", "some", "all", *ODD)
    subprocess.run([sys.executable, "agent.py", "agent.db", *threads], cwd=folder, check=True)
    specs = [f"{folder}/agent.py:{name}" for name in NAMES]
    with closing(Desk.open(Settings(), db=str(folder / "agent.db"), graphs=specs, operator="ann")) as desk:
        assert [facts.error for facts in desk.load_graphs()] == [None] * len(NAMES)
        yield Many(desk, folder / "ran.log")


ODD: dict[str, Any] = {
    "null": None,
    "no": False,
    "zero": 0,
    "nothing": "",
    "empty": {},
    "list": [],
    "ids": {"0123456789abcdef0123456789abcdef": 1},
    "nan": float("nan"),
    "bytes": b"\x00\xff",
    "decimal": Ext(0, ["decimal", "Decimal", "12.50"]),
    "date": Ext(1, ["datetime", "date", [2026, 1, 31]]),
}


def test_of_three_sends_one_some_and_all_are_answered(many: Many) -> None:
    assert many.asks("spread-one").keys() == {0, 1, 2}
    assert many.thread("spread-one").reruns == ("work",)
    many.ran()
    many.answer("spread-one", {1: "b"})
    assert many.asks("spread-one").keys() == {0, 2}
    assert many.ran() == ["work 0", "work 1", "work 2"]
    assert many.answer("spread-one", {0: "a", 2: "c"}) == [[0, "a"], [1, "b"], [2, "c"]]
    many.answer("spread-some", {0: "a", 2: "c"})
    assert many.answer("spread-some", {1: "b"}) == [[0, "a"], [1, "b"], [2, "c"]]
    many.ran()
    assert many.answer("spread-all", {0: "a", 1: "b", 2: "c"}) == [[0, "a"], [1, "b"], [2, "c"]]
    assert many.ran() == ["work 0", "work 1", "work 2"]


def test_that_the_unanswered_ones_run_again_too_is_said_beforehand(many: Many) -> None:
    thread = many.thread("spread-null")
    (first, *_) = thread.questions
    said = computed([first], waiting=thread.questions).lines
    assert "Also runs again, up to its own question: work." in said
    assert not any("Also" in line for line in computed(thread.questions, waiting=thread.questions).lines)


def test_questions_one_after_the_other_are_answered_one_by_one(many: Many) -> None:
    first = many.asks("row-one")
    assert first.keys() == {"first"}
    many.answer("row-one", {"first": "A"})
    assert many.asks("row-one").keys() == {"second"}
    assert many.asks("row-one")["second"] != first["first"]
    many.ran()
    assert many.answer("row-one", {"second": "B"}) == ["A", "B"]
    assert many.ran() == ["quiz"]


def test_a_validating_node_asks_until_the_answer_is_good(many: Many) -> None:
    many.answer("loop-one", {"how many?": "old"})
    many.answer("loop-one", {"'old' will not do": -3})
    assert many.answer("loop-one", {"-3 will not do": 42}) == [42]


def test_twin_subgraphs_are_told_apart(many: Many) -> None:
    thread = many.thread("twins-one")
    assert sorted(one.path for one in thread.questions) == [("left", "leaf"), ("right", "leaf")]
    many.answer("twins-one", {"right": "r"})
    assert many.asks("twins-one").keys() == {"left"}
    assert sorted(many.answer("twins-one", {"left": "l"})) == [["left", "l"], ["right", "r"]]
    assert sorted(many.answer("twins-all", {"left": 1, "right": 2})) == [["left", 1], ["right", 2]]


def test_a_question_two_levels_down_is_answered_at_the_root(many: Many) -> None:
    (question,) = many.thread("deep-one").questions
    assert question.path == ("top", "middle", "leaf")
    assert many.answer("deep-one", {"bottom": "y"}) == [["bottom", "y"]]


def test_a_function_that_calls_a_subgraph_is_said_to_run_again(many: Many) -> None:
    assert many.thread("called-one").reruns == ("calls", "calls > leaf")
    many.ran()
    assert many.answer("called-one", {"called": "y"}) == [["called", "y"]]
    assert many.ran() == ["called", "calls"]


def test_questions_inside_tools_reach_the_call_that_asked(many: Many) -> None:
    assert many.asks("tools-one").keys() == {"ann", "bob"}
    assert many.thread("tools-one").reruns == ("tools",)
    many.ran()
    many.answer("tools-one", {"bob": "yes"})
    assert many.ran() == ["pay ann", "pay bob"]
    many.answer("tools-one", {"ann": "no"})
    messages = many.thread("tools-one").values["messages"]
    assert {one.fields["content"] for one in messages[1:]} == {"ann: no", "bob: yes"}


def test_questions_inside_tasks_of_an_entrypoint_keep_finished_tasks(many: Many) -> None:
    """LangGraph shows those of two tasks one after the other, although both wait."""
    assert many.asks("essay-one").keys() == {"cats"}
    assert many.thread("essay-one").reruns == ("essay",)
    many.ran()
    many.answer("essay-one", {"cats": 5})
    assert many.asks("essay-one").keys() == {"dogs"}
    assert "draft" not in many.ran()
    assert many.answer("essay-one", {"dogs": 2}) == [5, 2]


def test_a_question_of_an_error_handler_reaches_the_handler(many: Many) -> None:
    """LangGraph's snapshot does not show it, its rows do."""
    thread = many.thread("handled-one")
    assert (thread.situation, thread.error) == ("waiting", "ValueError('boom')")
    assert many.answer("handled-one", {"handler": "never mind"}) == ["never mind"]
    assert many.thread("handled-one").situation == "done"


def test_a_question_of_an_edge_runs_its_node_again_and_that_is_said(many: Many) -> None:
    assert many.thread("edge-one").reruns == ("node",)
    many.ran()
    assert many.answer("edge-one", {"edge": "n"}) == ["node", "no"]
    assert many.ran() == ["node"]


def test_a_subgraph_with_a_history_of_its_own_is_answered(many: Many) -> None:
    (question,) = many.thread("kept-one").questions
    assert question.path == ("sub", "leaf")
    assert many.answer("kept-one", {"kept": "y"}) == [["kept", "y"]]


def test_one_subgraph_sent_to_twice_asks_twice(many: Many) -> None:
    thread = many.thread("fleet-one")
    assert [one.path for one in thread.questions] == [("sub", "leaf")] * 2
    many.answer("fleet-one", {1: "b"})
    assert many.asks("fleet-one").keys() == {0}
    assert many.answer("fleet-one", {0: "a"}) == [[0, "a"], [1, "b"]]


def test_a_coroutine_asks_as_any_node(many: Many) -> None:
    assert many.answer("coroutines-one", {"async": "go"}) == ["go"]


@pytest.mark.parametrize("name", ODD)
def test_any_value_reaches_the_node_unharmed(many: Many, name: str) -> None:
    (got,) = many.answer(f"coroutines-{name}", {"async": ODD[name]})
    assert repr(got) == repr(ODD[name])


def test_an_id_of_another_thread_answers_nothing(many: Many) -> None:
    other = many.asks("deep-some")["bottom"]
    thread = many.thread("deep-all")
    with pytest.raises(Stale, match="no longer waiting"):
        many.desk.deciding.prepare(thread, values={other: "y"})
