"""The timeline read from rows is the one that `get_state_history` says, field by field."""

from __future__ import annotations

import asyncio
import importlib
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from agent_lab_tui.graph.reading.threads import NoSuchCheckpoint, NoSuchThread
from agent_lab_tui.graph.run.configuration import RunConfiguration
from agent_lab_tui.graph.run.engine import Engine
from agent_lab_tui.graph.travelling.past import Past
from agent_lab_tui.graph.travelling.recorded import missing_parents, recorded
from agent_lab_tui.graph.travelling.timeline import Checkpoint
from agent_lab_tui.store.checkpoints.history import head_id, is_state_key
from agent_lab_tui.store.checkpoints.versions import rewritten
from agent_lab_tui.store.files import open_database
from agent_lab_tui.store.values import to_json

pytestmark = pytest.mark.filterwarnings("default::DeprecationWarning")


@pytest.fixture
def zoo(shared: Path) -> Iterator[None]:
    sys.path.insert(0, str(shared / "zoo"))
    yield
    sys.path.remove(str(shared / "zoo"))


def by_langgraph(db: Path, module: str, factory: str, thread_id: str) -> tuple[Checkpoint, ...]:
    """Read a whole thread through `get_state_history`, in pages of 7."""

    async def read() -> tuple[Checkpoint, ...]:
        async with AsyncSqliteSaver.from_conn_string(str(db)) as saver:
            graph = getattr(importlib.import_module(module), factory)(saver)
            engine = Engine(graph, saver, RunConfiguration(thread_id, {}, None, None))
            channels = [] if isinstance(graph.stream_channels_asis, str) else list(graph.stream_channels_asis)
            found: list[Checkpoint] = []
            before = None
            while page := await engine.history(7, before):
                before = page[-1]["checkpoint_id"]
                parents = [await engine.state(parent) for parent in missing_parents(page)]
                with open_database(str(db)).reading() as connection:
                    head = head_id(connection, thread_id)

                    def edited(own: str, parent: str | None) -> list[str]:
                        changed = rewritten(connection, thread_id, own, parent)
                        return [key for key in changed if is_state_key(key)]

                    found += recorded(page, parents, head, edited, channels)
            return tuple(found)

    return asyncio.run(read())


def plain(checkpoint: Checkpoint) -> dict[str, Any]:
    record = {field.name: getattr(checkpoint, field.name) for field in fields(checkpoint)}
    questions = checkpoint.questions or ()
    return record | {
        "questions": [(q.id, q.node, to_json(q.value), q.is_answered) for q in questions],
        "metadata": dict(checkpoint.metadata),
    }


def test_every_thread_of_the_zoo_reads_as_get_state_history_says(
    zoo_db: Path, zoo: None, zoo_expected: dict[str, Any]
) -> None:
    past = Past(open_database(str(zoo_db)))
    for thread_id, expected in zoo_expected.items():
        from_rows = past.page(thread_id, 1000, is_exact=True).checkpoints
        from_graph = by_langgraph(zoo_db, expected["module"], expected["factory"], thread_id)
        assert [plain(c) for c in from_rows] == [plain(c) for c in from_graph], thread_id


@pytest.mark.parametrize(
    ("thread_id", "module"),
    [
        ("huge-state", "huge_state"),
        ("nested-subgraph", "nested_subgraph"),
        ("delta-channel", "delta_channel"),
    ],
)
def test_the_values_of_every_checkpoint_are_those_of_langgraph(
    zoo_db: Path, zoo: None, thread_id: str, module: str
) -> None:
    past = Past(open_database(str(zoo_db)))

    async def read() -> dict[str, Any]:
        async with AsyncSqliteSaver.from_conn_string(str(zoo_db)) as saver:
            graph = importlib.import_module(module).make_graph(saver)
            engine = Engine(graph, saver, RunConfiguration(thread_id, {}, None, None))
            return {state["checkpoint_id"]: state["values"] for state in await engine.history(None, None)}

    for checkpoint_id, values in asyncio.run(read()).items():
        opened = past.opened(thread_id, checkpoint_id)
        ours = {key: to_json(value) for key, value in opened.values.items()}
        # a reducer that was never written reads as its empty value; a file does not know of it
        assert ours == {key: value for key, value in values.items() if key in ours or value not in ([], {})}


def test_pages_join_to_the_whole(zoo_db: Path) -> None:
    past = Past(open_database(str(zoo_db)))
    whole = past.page("deep-history", 1000)
    page = past.page("deep-history", 100)
    pages = [page]
    while not page.is_complete:
        page = past.page("deep-history", 100, page.checkpoints[-1].checkpoint_id)
        pages.append(page)
    assert [len(p.checkpoints) for p in pages] == [100, 100, 100, 2]
    assert tuple(c for p in pages for c in p.checkpoints) == whole.checkpoints
    assert whole.is_complete


def test_a_subgraph_is_reached_from_its_node_down_to_the_leaf(zoo_db: Path) -> None:
    past = Past(open_database(str(zoo_db)))
    ns, path = "", []
    while True:
        head = past.page("nested-subgraph", 1, ns=ns).checkpoints[0]
        inner = past.opened("nested-subgraph", head.checkpoint_id, ns).subgraphs
        if not inner:
            break
        ((node, ns),) = inner
        path.append(node)
    assert path == ["release", "sign"]
    leaf = past.page("nested-subgraph", ns=ns, is_exact=True).checkpoints
    assert leaf[0].asks == ("ask_key",)
    assert [c.step for c in leaf] == [1, 0, -1]


def test_a_thread_that_does_not_exist_is_said_to_be_missing(zoo_db: Path) -> None:
    past = Past(open_database(str(zoo_db)))
    with pytest.raises(NoSuchThread, match="no thread 'nobody'"):
        past.page("nobody")
    with pytest.raises(NoSuchCheckpoint, match="no checkpoint '1f'"):
        past.opened("branched", "1f")


def test_a_file_without_task_paths_still_names_most_nodes(zoo_db: Path) -> None:
    with closing(sqlite3.connect(zoo_db)) as connection:
        connection.execute("ALTER TABLE writes DROP COLUMN task_path")
    past = Past(open_database(str(zoo_db)))
    for thread_id in ("branched", "parallel-send-2of5", "deep-history", "hitl-per-call"):
        for checkpoint in past.page(thread_id, 1000).checkpoints:
            assert "?" not in checkpoint.ran + checkpoint.asks


def test_the_whole_tree_of_a_long_thread_knows_its_marks(zoo_db: Path) -> None:
    stems = Past(open_database(str(zoo_db))).stems("deep-history")
    assert len(stems) == 302
    assert [stem.has_asked for stem in stems].count(True) == 1
    assert stems[0].has_asked
