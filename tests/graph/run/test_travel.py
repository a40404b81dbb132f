"""A fork writes what was meant, and can be tried out without touching the thread."""

from __future__ import annotations

import asyncio
import importlib
import operator
import sqlite3
import sys
from collections.abc import Awaitable, Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import START, StateGraph
from langgraph.runtime import RunControl

from agent_lab_tui.graph.questions import Refused
from agent_lab_tui.graph.run.configuration import RunConfiguration
from agent_lab_tui.graph.run.engine import Engine
from agent_lab_tui.graph.run.streaming import Telling
from agent_lab_tui.graph.run.travel import Edit, fork, preview
from agent_lab_tui.store.files import open_database
from agent_lab_tui.store.journal.book import Order
from agent_lab_tui.store.values import encode

pytestmark = [
    pytest.mark.filterwarnings("default::DeprecationWarning"),
    pytest.mark.usefixtures("fresh_imports"),
]


class Log(TypedDict):
    log: Annotated[list[str], operator.add]


@pytest.fixture
def patch_db(make_case: Callable[[str], Path], shared: Path) -> Path:
    """The thread `patch-1`, which asks to patch host-a and host-b."""
    sys.path.insert(0, str(next(shared.glob("cases/10-*"))))
    return make_case("10")


def dump(path: Path) -> list[Any]:
    with closing(sqlite3.connect(path)) as connection:
        return [
            connection.execute(f"SELECT * FROM {table}").fetchall() for table in ("checkpoints", "writes")
        ]


def head_of(path: Path, thread_id: str) -> str:
    with closing(sqlite3.connect(path)) as connection:
        (newest,) = connection.execute(
            "SELECT max(checkpoint_id) FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ''",
            [thread_id],
        ).fetchone()
    return str(newest)


def use(
    db: Path, graph: Any, thread_id: str, act: Callable[[Engine], Awaitable[Any]], *, is_reading: bool = False
) -> Any:
    async def run() -> Any:
        async with AsyncSqliteSaver.from_conn_string(str(db)) as saver:
            saver.is_setup = is_reading
            return await act(Engine(graph, saver, RunConfiguration(thread_id, {}, None, None)))

    return asyncio.run(run())


def patch_graph() -> Any:
    return importlib.import_module("graph").builder.compile()


def try_out(db: Path, checkpoint_id: str, **edit: Any) -> Any:
    return use(
        db,
        patch_graph(),
        "patch-1",
        lambda engine: preview(engine, open_database(str(db)), checkpoint_id, Edit(**edit)),
        is_reading=True,
    )


def carry_out(
    db: Path,
    graph: Any,
    thread_id: str,
    checkpoint_id: str,
    blobs: Mapping[str, Any] | None = None,
    **options: Any,
) -> dict[str, Any]:
    order = Order(
        "fork",
        thread_id,
        checkpoint_id,
        "",
        answers={name: encode(value) for name, value in (blobs or {}).items()},
        options=options,
    )

    async def act(engine: Engine) -> dict[str, Any]:
        ran = await fork(engine, order, RunControl(), Telling(thread_id, (), lambda _: None))
        assert ran.error is None
        return await engine.state()

    result: dict[str, Any] = use(db, graph, thread_id, act)
    return result


def test_replacing_a_reduced_list_replaces_it(patch_db: Path) -> None:
    head = head_of(patch_db, "patch-1")
    state = carry_out(
        patch_db, patch_graph(), "patch-1", head, {"set": {"targets": ["host-b"], "budget": 1}}, run=True
    )
    assert state["values"]["targets"] == ["host-b"]
    assert [q["value"]["arguments"] for q in state["questions"]] == [{"targets": ["host-b"], "budget": 1}]


def test_appending_goes_through_the_reducer(patch_db: Path) -> None:
    head = head_of(patch_db, "patch-1")
    state = carry_out(patch_db, patch_graph(), "patch-1", head, {"append": {"targets": ["host-c"]}})
    assert state["values"]["targets"] == ["host-a", "host-b", "host-c"]
    assert state["next"] == ["gate"]
    assert state["source"] == "update"


def test_a_preview_says_what_the_fork_then_is_and_writes_nothing(patch_db: Path) -> None:
    head, before = head_of(patch_db, "patch-1"), dump(patch_db)
    told = try_out(patch_db, head, replace={"targets": ["host-b"]})
    assert told["next"] == ["gate"]
    assert told["values"]["targets"] == ["host-b"]
    assert dump(patch_db) == before
    state = carry_out(patch_db, patch_graph(), "patch-1", head, {"set": {"targets": ["host-b"]}})
    assert (state["next"], state["values"]) == (told["next"], told["values"])


def test_a_preview_as_the_asking_node_shows_that_the_question_is_skipped(patch_db: Path) -> None:
    told = try_out(patch_db, head_of(patch_db, "patch-1"), append={"messages": []}, as_node="gate")
    assert told["next"] == []


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        ({"replace": {"budgett": 1}}, "budgett is no key of the state: it has budget, targets, messages"),
        ({"append": {"budget": 1}}, "budget has no reducer"),
        ({"replace": {"targets": []}, "append": {"targets": []}}, "at once"),
        ({"replace": {"budget": 1}, "as_node": "gat"}, "no node gat: it is one of __start__, propose, gate"),
    ],
)
def test_an_edit_that_langgraph_would_drop_or_mistake_is_refused(
    patch_db: Path, edit: dict[str, Any], reason: str
) -> None:
    before = dump(patch_db)
    with pytest.raises(Refused, match=reason):
        try_out(patch_db, head_of(patch_db, "patch-1"), **edit)
    assert dump(patch_db) == before


def test_a_fork_with_an_unknown_key_is_refused_and_writes_nothing(patch_db: Path) -> None:
    before = dump(patch_db)
    with pytest.raises(Refused, match="budgett"):
        carry_out(patch_db, patch_graph(), "patch-1", head_of(patch_db, "patch-1"), {"set": {"budgett": 1}})
    assert dump(patch_db) == before


def test_when_several_nodes_ran_last_the_nodes_to_choose_from_are_named(tmp_path: Path) -> None:
    builder = StateGraph(Log)
    for name in ("left", "right"):
        builder.add_node(name, lambda state, name=name: {"log": [name]})
        builder.add_edge(START, name)
    db = tmp_path / "two.sqlite"
    graph = builder.compile()

    async def run(engine: Engine) -> None:
        await engine._graph.ainvoke({"log": []}, engine._configuration.config())

    use(db, graph, "two", run)

    def trial(as_node: str | None) -> Any:
        return use(
            db,
            graph,
            "two",
            lambda engine: preview(
                engine, open_database(str(db)), head_of(db, "two"), Edit({"log": ["x"]}, as_node=as_node)
            ),
        )

    with pytest.raises(Refused, match="name one of __start__, left, right"):
        trial(None)
    assert trial("left")["values"]["log"] == ["x"]


def test_a_delta_channel_is_tried_out_with_the_lines_of_its_ancestors(zoo_db: Path, shared: Path) -> None:
    sys.path.insert(0, str(shared / "zoo"))
    graph = importlib.import_module("delta_channel").make_graph()
    head = head_of(zoo_db, "delta-channel")

    async def act(engine: Engine) -> Any:
        database = open_database(str(zoo_db))
        appended = await preview(engine, database, head, Edit(append={"log": ["x"]}, as_node="step"))
        replaced = await preview(engine, database, head, Edit({"log": ["x"]}, as_node="step"))
        return appended["values"]["log"], replaced["values"]["log"]

    appended, replaced = use(zoo_db, graph, "delta-channel", act)
    assert appended == [*(f"line {n}" for n in range(6)), "x"]
    assert replaced == ["x"]


def test_abandoning_says_in_the_checkpoint_who_and_why(patch_db: Path) -> None:
    async def act(engine: Engine) -> Any:
        assert await engine.abandon({"abandoned_by": "ann", "abandoned_because": "wrong hosts"})
        return await engine.state()

    state = use(patch_db, patch_graph(), "patch-1", act)
    assert state["next"] == []
    assert state["metadata"]["abandoned_by"] == "ann"
    assert state["metadata"]["abandoned_because"] == "wrong hosts"
