"""A copied thread stands where the original stood, and the original is not touched."""

from __future__ import annotations

import asyncio
import importlib
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.types import Command

from agent_lab_tui.store.checkpoints.copying import CannotCopy, copy_thread
from agent_lab_tui.store.files import open_database

pytestmark = pytest.mark.filterwarnings("default::DeprecationWarning")


@pytest.fixture
def zoo(shared: Path) -> Iterator[None]:
    sys.path.insert(0, str(shared / "zoo"))
    yield
    sys.path.remove(str(shared / "zoo"))


def config(thread_id: str) -> dict[str, Any]:
    return {"configurable": {"thread_id": thread_id}}


def dump(path: Path, thread_id: str) -> list[Any]:
    with closing(sqlite3.connect(path)) as connection:
        return [
            connection.execute(
                f"SELECT * FROM {table} WHERE thread_id = ? ORDER BY 2, 3, 4, 5, 6", [thread_id]
            ).fetchall()
            for table in ("checkpoints", "writes")
        ]


def head_of(path: Path, thread_id: str) -> str:
    with closing(sqlite3.connect(path)) as connection:
        (newest,) = connection.execute(
            "SELECT max(checkpoint_id) FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ''",
            [thread_id],
        ).fetchone()
    return str(newest)


def with_graph(path: Path, module: str, use: Any) -> Any:
    """Run `use(graph)` on a graph of the zoo attached to the file."""

    async def run() -> Any:
        async with AsyncSqliteSaver.from_conn_string(str(path)) as saver:
            return await use(importlib.import_module(module).make_graph(saver))

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("thread_id", "module"),
    [
        ("nested-subgraph", "nested_subgraph"),
        ("parallel-send-2of5", "parallel_send"),
        ("delta-channel", "delta_channel"),
        ("branched", "branched"),
        ("functional-2", "functional_api"),
        ("hitl-per-call", "hitl_agent"),
    ],
)
def test_a_copy_is_the_thread_as_langgraph_sees_it(
    zoo_db: Path, zoo: None, thread_id: str, module: str
) -> None:
    before = dump(zoo_db, thread_id)
    copy_thread(open_database(str(zoo_db)), thread_id, head_of(zoo_db, thread_id), "copy", is_fresh=False)

    async def both(graph: Any) -> tuple[Any, Any]:
        return await graph.aget_state(config(thread_id), subgraphs=True), await graph.aget_state(
            config("copy"), subgraphs=True
        )

    original, copy = with_graph(zoo_db, module, both)
    assert copy.values == original.values
    assert copy.next == original.next
    assert [i.id for i in copy.interrupts] == [i.id for i in original.interrupts]
    assert [task.result for task in copy.tasks] == [task.result for task in original.tasks]
    assert dump(zoo_db, thread_id) == before


def test_answering_the_copy_leaves_the_original_waiting(zoo_db: Path, zoo: None) -> None:
    thread_id = "nested-subgraph"
    before = dump(zoo_db, thread_id)
    copy_thread(open_database(str(zoo_db)), thread_id, head_of(zoo_db, thread_id), "copy", is_fresh=False)

    async def answer(graph: Any) -> Any:
        state = await graph.aget_state(config("copy"))
        await graph.ainvoke(Command(resume={state.interrupts[0].id: "key"}), config("copy"))
        return await graph.aget_state(config("copy"))

    assert with_graph(zoo_db, "nested_subgraph", answer).next == ()
    assert dump(zoo_db, thread_id) == before


def test_a_fresh_copy_of_an_answered_step_asks_again(zoo_db: Path, zoo: None) -> None:
    with closing(sqlite3.connect(zoo_db)) as connection:
        (asked,) = connection.execute(
            "SELECT checkpoint_id FROM writes WHERE thread_id = 'finished' AND idx = -3"
        ).fetchone()
    copy_thread(open_database(str(zoo_db)), "finished", asked, "copy", is_fresh=True)

    async def go_on(graph: Any) -> Any:
        await graph.ainvoke(None, config("copy"))
        return await graph.aget_state(config("copy"))

    state = with_graph(zoo_db, "branched", go_on)
    assert state.next == ("ask",)
    assert [i.value for i in state.interrupts] == [{"apply": "plan A"}]


def test_only_the_branch_of_the_checkpoint_is_copied(zoo_db: Path) -> None:
    rows = dump(zoo_db, "branched")[0]
    (first_end,) = [row[2] for row in rows if row[2][19:23] == "8003"][:1]
    assert copy_thread(open_database(str(zoo_db)), "branched", first_end, "copy", is_fresh=False) == 5
    assert {row[2] for row in dump(zoo_db, "copy")[0]} < {row[2] for row in rows}


def test_a_thread_that_exists_is_not_overwritten(zoo_db: Path) -> None:
    before = dump(zoo_db, "finished")
    with pytest.raises(CannotCopy, match="finished already"):
        copy_thread(
            open_database(str(zoo_db)), "branched", head_of(zoo_db, "branched"), "finished", is_fresh=False
        )
    assert dump(zoo_db, "finished") == before


def test_a_checkpoint_that_does_not_exist_copies_nothing(zoo_db: Path) -> None:
    with pytest.raises(CannotCopy, match="no checkpoint"):
        copy_thread(open_database(str(zoo_db)), "branched", "1f-no", "copy", is_fresh=False)
    assert dump(zoo_db, "copy") == [[], []]


def test_a_file_without_task_paths_is_copied_with_the_columns_it_has(zoo_db: Path) -> None:
    with closing(sqlite3.connect(zoo_db)) as connection:
        connection.execute("ALTER TABLE writes DROP COLUMN task_path")
    copy_thread(open_database(str(zoo_db)), "branched", head_of(zoo_db, "branched"), "copy", is_fresh=False)
    assert len(dump(zoo_db, "copy")[1]) > 0


def test_a_locked_database_is_reported_and_nothing_is_copied(
    zoo_db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agent_lab_tui.store.checkpoints.copying._BUSY_SECONDS", 0.05)
    with closing(sqlite3.connect(zoo_db, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(CannotCopy, match="locked"):
            copy_thread(
                open_database(str(zoo_db)), "branched", head_of(zoo_db, "branched"), "copy", is_fresh=False
            )
        other.execute("ROLLBACK")
    assert dump(zoo_db, "copy") == [[], []]
