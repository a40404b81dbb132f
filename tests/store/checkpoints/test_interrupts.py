"""Questions read from rows: LangGraph's own view, thread by thread, and what it cannot tell."""

from __future__ import annotations

import importlib
import operator
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Annotated, Any

import pytest
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.errors import NodeInterrupt
from langgraph.func import entrypoint, task
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Send, interrupt
from pydantic import BaseModel
from typing_extensions import TypedDict

from agent_lab_tui.store.checkpoints import interrupts
from agent_lab_tui.store.checkpoints.interrupts import PendingInterrupt
from agent_lab_tui.store.files import open_database
from agent_lab_tui.store.values import to_json


@pytest.fixture
def zoo_modules(shared: Path) -> Iterator[Callable[[str], Any]]:
    """The zoo's graphs, imported as it imports them; gone again at the end."""
    before = set(sys.modules)
    sys.path.insert(0, str(shared / "zoo"))
    yield importlib.import_module
    sys.path.remove(str(shared / "zoo"))
    for name in set(sys.modules) - before:
        if getattr(sys.modules[name], "__file__", None) and str(shared) in str(sys.modules[name].__file__):
            del sys.modules[name]


def test_all_zoo_threads_ask_what_langgraph_says_they_ask(zoo_db: Path, zoo_expected: dict[str, Any]) -> None:
    """Ids, values, schemas, next nodes, errors, stored answers, subgraphs without checkpoints."""
    db = open_database(str(zoo_db))
    with db.reading() as conn:
        for thread_id, thread in zoo_expected.items():
            asked = interrupts.pending(conn, db, thread_id)
            wanted = {one["id"]: one for one in thread["interrupts"]}
            assert {one.interrupt_id for one in asked} == wanted.keys(), thread_id
            for one in asked:
                assert one.response_schema == wanted[one.interrupt_id].get("response_schema")
                assert _without_classes(wanted[one.interrupt_id]["value"], to_json(one.value)), thread_id
            assert sorted(interrupts.next_nodes(conn, db, thread_id)) == sorted(thread["next"]), thread_id
            assert list(interrupts.errors(conn, db, thread_id)) == thread["errors"], thread_id
            assert any(one.is_answered for one in asked) == thread["already_answered"], thread_id
            assert any(one.plain_only for one in asked) == thread["plain_only"], thread_id


def test_an_id_that_was_asked_once_is_told_from_one_that_never_was(
    tmp_path: Path,
) -> None:
    def both(state: State) -> dict[str, Any]:
        return {"said": [interrupt("first"), interrupt("second")]}

    with closing(sqlite3.connect(tmp_path / "a.db", check_same_thread=False)) as conn:
        graph = StateGraph(State).add_node("both", both).add_edge(START, "both")
        runs = graph.compile(checkpointer=SqliteSaver(conn))
        config = {"configurable": {"thread_id": "t"}}
        runs.invoke({"said": []}, config)
        ids = [runs.get_state(config).interrupts[0].id]
        runs.invoke(Command(resume={ids[0]: "a"}), config)
        ids.append(runs.get_state(config).interrupts[0].id)
        runs.invoke(Command(resume={ids[1]: "b"}), config)
    db = open_database(str(tmp_path / "a.db"))
    with db.reading() as reading:
        asked = [interrupts.was_asked(reading, db, "t", one) for one in (*ids, "f" * 32)]
    assert (len(set(ids)), asked) == (2, [True, True, False])


def _without_classes(expected: Any, found: Any) -> bool:
    """Compare with the zoo's own JSON, which names classes, shortens texts and sorts nothing."""
    if isinstance(expected, str) and "... (" in expected:
        return bool(str(found).startswith(expected.partition("...")[0]))
    if isinstance(expected, dict):
        keys = expected.keys() - {"__class__"}
        return found.keys() == keys and all(_without_classes(expected[key], found[key]) for key in keys)
    if isinstance(expected, list):
        return len(expected) == len(found) and all(map(_without_classes, expected, found))
    return bool(expected == found)


def test_live_snapshots_of_all_zoo_threads_say_the_same(
    zoo_db: Path, zoo_expected: dict[str, Any], zoo_modules: Callable[[str], Any]
) -> None:
    """Against `get_state` now, also of every checkpoint in the past as a record."""
    db = open_database(str(zoo_db))
    copy = zoo_db.with_name("copy.sqlite")
    with closing(sqlite3.connect(zoo_db)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
    with closing(sqlite3.connect(copy, check_same_thread=False)) as theirs, db.reading() as conn:
        saver = SqliteSaver(theirs, serde=JsonPlusSerializer(allowed_msgpack_modules=None))
        for thread_id, thread in zoo_expected.items():
            graph = getattr(zoo_modules(thread["module"]), thread["factory"])(saver)
            live = graph.get_state({"configurable": {"thread_id": thread_id}})
            assert _ids(interrupts.pending(conn, db, thread_id)) == sorted(one.id for one in live.interrupts)
            assert sorted(interrupts.next_nodes(conn, db, thread_id)) == sorted(live.next)
            for past in graph.get_state_history({"configurable": {"thread_id": thread_id}}, limit=12):
                at = past.config["configurable"]["checkpoint_id"]
                found = interrupts.pending(conn, db, thread_id, at)
                assert _ids(found) == sorted(one.id for one in past.interrupts), (thread_id, at)
                assert sorted(interrupts.next_nodes(conn, db, thread_id, at)) == sorted(past.next), (
                    thread_id,
                    at,
                )


def _ids(asked: tuple[PendingInterrupt, ...]) -> list[str]:
    return sorted(one.interrupt_id for one in asked)


def test_a_question_of_a_subgraph_is_found_in_its_deepest_node(zoo_db: Path) -> None:
    db = open_database(str(zoo_db))
    with db.reading() as conn:
        (asked,) = interrupts.pending(conn, db, "nested-subgraph")
    assert asked.path == ("release", "sign", "ask_key")
    assert asked.index == 0


class State(TypedDict, total=False):
    n: int
    said: Annotated[list[Any], operator.add]


def ask(state: State) -> State:
    return {"said": [interrupt({"q": state.get("n", 0)})]}


def ask_twice(state: State) -> State:
    first = interrupt("first?")
    second = interrupt(f"second after {first}?")
    if second == "boom":
        raise ValueError("boom")
    return {"said": [first, second]}


def boom(state: State) -> State:
    raise RuntimeError("boom")


def one_node(node: Callable[[State], Any], **options: Any) -> StateGraph[Any]:
    builder: StateGraph[Any] = StateGraph(State)
    builder.add_node("here", node, **options)  # type: ignore[call-overload]
    builder.add_edge(START, "here")
    return builder


@pytest.fixture
def asked_by(tmp_path: Path) -> Iterator[Callable[..., tuple[PendingInterrupt, ...]]]:
    """Run a graph with some commands in turn; give what it asks then, checked against `get_state`."""
    path = tmp_path / "agent.db"
    conn = sqlite3.connect(path, check_same_thread=False)
    saver = SqliteSaver(conn)

    def run(graph: Any, *sent: Any, is_told: bool = True) -> tuple[PendingInterrupt, ...]:
        compiled = graph.compile(checkpointer=saver) if hasattr(graph, "compile") else graph(saver)
        config = {"configurable": {"thread_id": "t"}}
        for one in ({"n": 1}, *sent):
            with suppress(ValueError, RuntimeError):
                compiled.invoke(one, config)
        db = open_database(str(path))
        with db.reading() as reading:
            found = interrupts.pending(reading, db, "t")
            if is_told:
                live = compiled.get_state(config)
                assert _ids(found) == sorted(one.id for one in live.interrupts)
                assert sorted(interrupts.next_nodes(reading, db, "t")) == sorted(live.next)
        return found

    yield run
    conn.close()


Asked = Callable[..., tuple[PendingInterrupt, ...]]


def test_the_second_question_of_a_node_counts_the_answers_before_it(asked_by: Asked) -> None:
    (asked,) = asked_by(one_node(ask_twice), Command(resume="A"))
    assert (asked.value, asked.index, asked.stored_answers) == ("second after A?", 1, ("A",))
    assert not asked.is_answered


def test_an_answer_that_made_the_node_fail_is_stored_and_shown(asked_by: Asked) -> None:
    (asked,) = asked_by(one_node(ask_twice), Command(resume="A"), Command(resume="boom"))
    assert (asked.index, asked.stored_answers) == (1, ("A", "boom"))
    assert asked.is_answered
    assert asked.stored_answer == "boom"
    assert asked.error == "ValueError('boom')"


def test_an_error_before_the_question_was_asked_does_not_make_it_stuck(asked_by: Asked) -> None:
    """A failed node that was tried again and then asked: error and question stand side by side."""
    tries: list[int] = []

    def flaky(state: State) -> State:
        tries.append(1)
        if len(tries) == 1:
            raise ValueError("boom")
        return ask(state)

    (asked,) = asked_by(one_node(flaky), None)
    assert asked.error == "ValueError('boom')"
    assert not asked.is_answered


def test_a_misfit_for_a_typed_question_leaves_it_open(asked_by: Asked) -> None:
    class Answer(BaseModel):
        n: int

    def typed(state: State) -> State:
        try:
            return {"said": [interrupt("n?", response_schema=Answer)]}
        except ValueError as error:
            raise ValueError("boom") from error

    (asked,) = asked_by(one_node(typed), Command(resume={"n": "many"}))
    assert asked.response_schema is not None
    assert asked.response_schema["properties"]["n"]["type"] == "integer"
    assert (asked.stored_answers, asked.is_answered) == ((), False)


def test_parallel_sends_keep_their_nodes_apart_from_finished_ones(asked_by: Asked) -> None:
    builder: StateGraph[Any] = StateGraph(State)
    builder.add_node("quick", lambda state: {"said": ["quick"]})
    builder.add_node("slow", ask)
    builder.add_conditional_edges(
        START, lambda state: [Send("quick", {"n": 1}), Send("slow", {"n": 2})], ["quick", "slow"]
    )
    (asked,) = asked_by(builder)
    assert asked.path == ("slow",)


def test_a_subgraph_called_in_a_function_is_found(asked_by: Asked) -> None:
    inner = one_node(ask).compile()
    (asked,) = asked_by(one_node(lambda state: inner.invoke(state)))
    assert asked.path == ("here", "here")
    assert not asked.plain_only


def test_a_second_subgraph_called_in_one_function_is_found(asked_by: Asked) -> None:
    """LangGraph numbers further calls; the number is no node."""
    inner = one_node(ask).compile()

    def both(state: State) -> State:
        inner.invoke(state)
        return inner.invoke(state)  # type: ignore[return-value]

    (asked,) = asked_by(one_node(both), Command(resume="A"))
    assert asked.path == ("here", "here")
    assert not asked.plain_only


def test_a_subgraph_with_one_history_for_the_thread_is_found(asked_by: Asked) -> None:
    builder = one_node(ask).compile(checkpointer=True)
    (asked,) = asked_by(one_node(builder))  # type: ignore[arg-type]
    assert asked.path == ("here", "here")
    assert not asked.plain_only


def test_a_subgraph_without_checkpoints_takes_plain_answers_only(asked_by: Asked) -> None:
    inner = one_node(ask).compile(checkpointer=False)
    (asked,) = asked_by(one_node(inner))  # type: ignore[arg-type]
    assert asked.plain_only
    assert asked.path == ("here",)


def test_two_subgraphs_side_by_side_ask_each_for_themselves(asked_by: Asked) -> None:
    inner = one_node(ask).compile()
    builder: StateGraph[Any] = StateGraph(State)
    for name in ("left", "right"):
        builder.add_node(name, inner)
        builder.add_edge(START, name)
    assert {one.path for one in asked_by(builder)} == {("left", "here"), ("right", "here")}


def test_a_question_inside_a_task_shows_once_under_its_entrypoint(asked_by: Asked) -> None:
    @task
    def rate(n: int) -> Any:
        return interrupt({"rate": n})

    def make(saver: SqliteSaver) -> Any:
        @entrypoint(checkpointer=saver)
        def essay(given: Any) -> Any:
            return [rate(1).result(), interrupt("publish?")]

        return essay

    (asked,) = asked_by(make)
    assert (asked.path, asked.value, asked.plain_only) == (("essay",), {"rate": 1}, False)
    (asked,) = asked_by(make, Command(resume=5))
    assert (asked.path, asked.value, asked.index) == (("essay",), "publish?", 0)


def test_a_question_of_an_error_handler_is_listed_though_langgraph_forgets_it(asked_by: Asked) -> None:
    def handler(state: State) -> State:
        return {"said": [interrupt("handle?")]}

    (asked,) = asked_by(one_node(boom, error_handler=handler), is_told=False)
    assert (asked.value, asked.path, asked.plain_only) == ("handle?", ("here",), False)


@pytest.mark.filterwarnings("ignore:NodeInterrupt is deprecated")
def test_old_node_interrupts_are_listed_each(asked_by: Asked) -> None:
    def old(state: State) -> State:
        raise NodeInterrupt(f"stop {state.get('n')}")

    builder: StateGraph[Any] = StateGraph(State)
    builder.add_node("old", old)
    builder.add_conditional_edges(START, lambda state: [Send("old", {"n": n}) for n in (1, 2)], ["old"])
    assert [(one.interrupt_id, one.value) for one in asked_by(builder)] == [
        ("placeholder-id", "stop 1"),
        ("placeholder-id", "stop 2"),
    ]


def test_joins_wait_for_all_their_nodes_and_deferred_ones_for_the_end(asked_by: Asked) -> None:
    builder: StateGraph[Any] = StateGraph(State)
    builder.add_node("a", lambda state: {"said": ["a"]})
    builder.add_node("b", lambda state: {"said": ["b"]})
    builder.add_node("b2", ask)
    builder.add_node("join", lambda state: {})
    builder.add_node("last", ask, defer=True)
    builder.add_edge(START, "a")
    builder.add_edge(START, "b")
    builder.add_edge("b", "b2")
    builder.add_edge(["a", "b2"], "join")
    builder.add_edge("a", "last")
    builder.add_edge("last", END)
    (asked,) = asked_by(builder)
    assert asked.path == ("b2",)
    (asked,) = asked_by(builder, Command(resume="A"))
    assert asked.path == ("last",)


@pytest.mark.parametrize("name", ["a, b", "gate [1]", "承認", "esc\x1b[31m", "~__pregel_pull, x", "x" * 300])
def test_nodes_of_any_name_are_told_by_that_very_name(asked_by: Asked, name: str) -> None:
    builder: StateGraph[Any] = StateGraph(State)
    builder.add_node(name, ask)
    builder.add_edge(START, name)
    (asked,) = asked_by(builder)
    assert asked.path == (name,)


def test_answers_given_before_at_a_node_come_newest_first(agent: Any) -> None:
    for thread_id in ("a", "b", "c"):
        agent.run(thread_id)
        agent.run(thread_id, Command(resume={"by": thread_id}))
    db = open_database(str(agent.path))
    with db.reading() as conn:
        assert interrupts.answers_given(conn, db, "ask", 2) == ({"by": "c"}, {"by": "b"})
        assert interrupts.answers_given(conn, db, "other", 2) == ()


def test_an_answer_with_which_the_node_failed_is_not_offered_again(tmp_path: Path) -> None:
    def ask(state: State) -> State:
        if interrupt({"q": 1}) == "boom":
            raise ValueError("no")
        return {}

    builder: StateGraph[Any] = StateGraph(State)
    builder.add_node("ask", ask)
    builder.add_edge(START, "ask")
    with closing(sqlite3.connect(tmp_path / "agent.db", check_same_thread=False)) as conn:
        graph = builder.compile(checkpointer=SqliteSaver(conn))
        for thread_id, answer in (("good", "yes"), ("bad", "boom")):
            config: Any = {"configurable": {"thread_id": thread_id}}
            graph.invoke({}, config)
            with suppress(ValueError):
                graph.invoke(Command(resume=answer), config)
    db = open_database(str(tmp_path / "agent.db"))
    with db.reading() as conn:
        assert interrupts.answers_given(conn, db, "ask", 5) == ("yes",)


def test_a_thread_that_is_not_there_asks_nothing(agent: Any) -> None:
    agent.run("t")
    db = open_database(str(agent.path))
    with db.reading() as conn:
        assert interrupts.pending(conn, db, "none") == ()
        assert interrupts.next_nodes(conn, db, "t", "none") == ()
        assert interrupts.errors(conn, db, "none") == ()


@pytest.mark.parametrize("junk", [b"", b"\xc1", b"\x91\x01", b"\xa3abc", b"\xc7\x01\x02\xc1"])
def test_a_broken_question_is_listed_and_raises_nothing(agent: Any, junk: bytes) -> None:
    agent.run("t")
    with closing(sqlite3.connect(agent.path)) as conn:
        conn.execute("UPDATE writes SET value = ? WHERE idx = -3", (junk,))
        conn.commit()
    db = open_database(str(agent.path))
    with db.reading() as conn:
        (asked,) = interrupts.pending(conn, db, "t")
        assert interrupts.next_nodes(conn, db, "t") == ("ask",)
    to_json(asked.value)


@pytest.mark.parametrize("junk", [b"", b"\xc1", b"\x80", b"\x81\xaechannel_values\x01", b"\x90"])
def test_a_broken_checkpoint_raises_nothing(agent: Any, junk: bytes) -> None:
    agent.run("t")
    with closing(sqlite3.connect(agent.path)) as conn:
        conn.execute("UPDATE checkpoints SET checkpoint = ?", (junk,))
        conn.commit()
    db = open_database(str(agent.path))
    with db.reading() as conn:
        (asked,) = interrupts.pending(conn, db, "t")
        assert asked.path == ("ask",)
        assert interrupts.next_nodes(conn, db, "t") == ("ask",)
