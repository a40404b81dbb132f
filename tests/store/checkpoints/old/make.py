"""Make the files of old LangGraph versions that the tests read.

Run once for each version, in an environment that has it; the result is kept as SQL:

    pip install langgraph==0.2.60 langgraph-checkpoint-sqlite==2.0.1
    python make.py old.db && sqlite3 old.db .dump > langgraph-0.2.60.sql

Before langgraph-checkpoint-sqlite 3.1 the table `writes` had no column `task_path`. The file of 1.0.10 was
written with langgraph-checkpoint-sqlite 3.0.3, that of 1.1.10 with 3.1.2.
"""

from __future__ import annotations

import contextlib
import operator
import sqlite3
import sys
from collections.abc import Callable
from typing import Annotated, Any, TypedDict

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.func import entrypoint, task
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Send, interrupt


class State(TypedDict, total=False):
    x: str
    xs: Annotated[list, operator.add]


def ask(state: State) -> State:
    return {"xs": [interrupt({"q": state.get("x")})]}


def two(state: State) -> State:
    first = interrupt("first?")
    return {"xs": [first, interrupt(f"second {first}")]}


def bad(state: State) -> State:
    raise ValueError(f"no {interrupt('bad?')}")


def boom(state: State) -> State:
    raise RuntimeError("boom")


def pre(state: State) -> State:
    return {"x": "pre"}


def fin(state: State) -> State:
    return {"x": "done"}


def work(state: Any) -> State:
    return {"xs": [interrupt(state["i"])]}


def say(word: str) -> Callable[[State], State]:
    return lambda state: {"xs": [word]}


def line(node: Any, name: str = "ask") -> StateGraph:
    builder = StateGraph(State)
    for key, made in (("pre", pre), (name, node), ("fin", fin)):
        builder.add_node(key, made)
    for start, end in ((START, "pre"), ("pre", name), (name, "fin"), ("fin", END)):
        builder.add_edge(start, end)
    return builder


def leaf() -> Any:
    builder = StateGraph(State)
    builder.add_node("leaf", ask)
    builder.add_edge(START, "leaf")
    return builder.compile()


def sends() -> StateGraph:
    builder = StateGraph(State)
    for key, made in (("pre", pre), ("work", work), ("fin", fin)):
        builder.add_node(key, made)
    builder.add_edge(START, "pre")
    builder.add_conditional_edges("pre", lambda state: [Send("work", {"i": i}) for i in range(3)], ["work"])
    builder.add_edge("work", "fin")
    return builder


def join() -> StateGraph:
    builder = StateGraph(State)
    for key, made in (("a", say("a")), ("b", say("b")), ("j", ask)):
        builder.add_node(key, made)
    builder.add_edge(START, "a")
    builder.add_edge(START, "b")
    builder.add_edge(["a", "b"], "j")
    return builder


def cond() -> StateGraph:
    builder = StateGraph(State)
    for key, made in (("pre", pre), ("ask", ask), ("fin", fin)):
        builder.add_node(key, made)
    builder.add_edge(START, "pre")
    builder.add_conditional_edges("pre", lambda state: "ask", ["ask", "fin"])
    builder.add_edge("ask", "fin")
    return builder


GRAPHS: dict[str, tuple[Callable[[], StateGraph], dict[str, Any]]] = {
    "ask": (lambda: line(ask), {}),
    "two": (lambda: line(two, "two"), {}),
    "bad": (lambda: line(bad, "bad"), {}),
    "boom": (lambda: line(boom, "boom"), {}),
    "sub": (lambda: line(leaf(), "sub"), {}),
    "sends": (sends, {}),
    "join": (join, {}),
    "cond": (cond, {}),
    "brk": (lambda: line(say("z"), "brk"), {"interrupt_before": ["brk"]}),
}


@task()
def rate(topic: str) -> Any:
    return interrupt({"rate": topic})


def functional(saver: SqliteSaver) -> Any:
    @entrypoint(checkpointer=saver)
    def essay(topic: Any) -> Any:
        return [interrupt("publish?"), rate("cats").result()]

    return essay


def compiled(thread_id: str, saver: SqliteSaver) -> Any:
    """The graph of a thread: its id up to the first dash names it."""
    if thread_id.startswith("essay"):
        return functional(saver)
    make, options = GRAPHS[thread_id.partition("-")[0]]
    return make().compile(checkpointer=saver, **options)


def main(path: str) -> None:
    conn = sqlite3.connect(path, check_same_thread=False)
    saver = SqliteSaver(conn)

    def run(thread_id: str, *sent: Any) -> Any:
        graph = compiled(thread_id, saver)
        config = {"configurable": {"thread_id": thread_id, "tenant": "acme"}}
        for one in ({"x": "in"}, *sent):
            with contextlib.suppress(ValueError, RuntimeError):
                graph.invoke(one, config)
        return graph.get_state(config)

    for name in GRAPHS:
        run(name)
    run("ask-done", Command(resume="y"))
    run("sub-done", Command(resume="y"))
    run("two-2", Command(resume="A"))
    run("bad-2", Command(resume="zz"))
    run("essay")
    run("essay-2", Command(resume="go"))
    asked = [task.interrupts[0] for task in run("sends-1").tasks]
    answer = getattr(asked[1], "id", None) or getattr(asked[1], "interrupt_id", None)
    if answer is not None:
        compiled("sends-1", saver).invoke(
            Command(resume={answer: "one"}), {"configurable": {"thread_id": "sends-1"}}
        )
    conn.close()


if __name__ == "__main__":
    main(sys.argv[1])
