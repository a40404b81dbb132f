"""The past of a long or a big thread costs what its rows cost, not what its states weigh."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent_lab_tui.graph.travelling.past import Past
from agent_lab_tui.store.checkpoints import rows as checkpoints
from agent_lab_tui.store.files import Database, open_database

pytestmark = pytest.mark.slow

ROWS = (
    "SELECT checkpoint_id, parent_checkpoint_id, metadata FROM checkpoints"
    " WHERE thread_id = ? AND checkpoint_ns = '' ORDER BY checkpoint_id DESC LIMIT 50"
)


def best(work: Callable[[], Any], times: int = 9) -> float:
    """Return the least of several runs, in milliseconds of processor time: a busy machine changes little."""
    taken = []
    for _ in range(times):
        start = time.process_time()
        work()
        taken.append((time.process_time() - start) * 1e3)
    return min(taken)


def made(shared: Path, path: Path, count: int, size: int, kind: str) -> tuple[Database, str]:
    options = ["--threads", "1", "--pending-ratio", "1", "--checkpoints-per-thread", str(count)]
    subprocess.run(
        [
            sys.executable,
            str(shared / "bench" / "make_checkpoints.py"),
            str(path),
            *options,
            "--state-bytes",
            str(size),
            "--state-kind",
            kind,
        ],
        check=True,
        capture_output=True,
    )
    database = open_database(str(path))
    with database.reading() as connection:
        ((thread_id,),) = connection.execute("SELECT DISTINCT thread_id FROM checkpoints").fetchall()
    return database, thread_id


def test_a_page_of_ten_thousand_checkpoints_comes_at_once_at_either_end(shared: Path, tmp_path: Path) -> None:
    database, thread_id = made(shared, tmp_path / "long.db", 10_000, 1_000, "text")
    past = Past(database)
    stems = past.stems(thread_id)
    assert len(stems) == 10_000
    assert best(lambda: past.page(thread_id)) < 30
    assert best(lambda: past.page(thread_id, before=stems[9_900].checkpoint_id)) < 30


def test_a_page_of_megabyte_states_costs_little_more_than_its_rows(shared: Path, tmp_path: Path) -> None:
    database, thread_id = made(shared, tmp_path / "big.db", 60, 1_000_000, "messages")
    past = Past(database)
    middle = past.page(thread_id).checkpoints[20].checkpoint_id
    with database.reading() as connection:
        floor = best(lambda: connection.execute(ROWS, (thread_id,)).fetchall())
        decoded = best(lambda: checkpoints.body(connection, thread_id, "", middle))
    assert best(lambda: past.page(thread_id)) < 2 * floor + 5
    assert best(lambda: past.opened(thread_id, middle)) < 2 * decoded + 5
