"""How long listing threads takes, against the SQL that it cannot do without, in the same process.

    python tests/bench/bench_list.py                    # 1,000 and 10,000 generated threads
    python tests/bench/bench_list.py --threads 100000   # 2.7 GB in a temporary folder, made in half a minute
    python tests/bench/bench_list.py --db FILE          # any checkpoint file

Times swing with what else the machine does. What is held against SQL is therefore CPU time, taken by turns
with it, and the median of the ratios counts. Ends with 1 where a ratio is above its target.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from agent_lab_tui.graph.reading.reader import Reader
from agent_lab_tui.graph.settings.file import Settings
from agent_lab_tui.store.checkpoints import threads
from agent_lab_tui.store.checkpoints.watch import Watch
from agent_lab_tui.store.files import Database, open_database

SHARED = Path(os.environ.get("AGENT_LAB_SHARED", Path(__file__).resolve().parents[3] / "shared"))

HEADS = """
WITH RECURSIVE t(id) AS (
  SELECT min(thread_id) FROM checkpoints
  UNION ALL
  SELECT (SELECT min(thread_id) FROM checkpoints WHERE thread_id > t.id) FROM t WHERE t.id IS NOT NULL
), head AS MATERIALIZED (
  SELECT t.id AS thread_id, (SELECT max(checkpoint_id) FROM checkpoints c
    WHERE c.thread_id = t.id AND c.checkpoint_ns = '') AS latest_id FROM t WHERE t.id IS NOT NULL
)
SELECT h.thread_id, h.latest_id,
  (SELECT count(*) FROM writes w
    WHERE w.thread_id = h.thread_id AND w.checkpoint_ns = '' AND w.checkpoint_id = h.latest_id
      AND w.idx = -3 AND w.task_path NOT LIKE '~!_!_pregel!_push, ~%' ESCAPE '!'
      AND NOT EXISTS (SELECT 1 FROM writes o
        WHERE o.thread_id = w.thread_id AND o.checkpoint_ns = '' AND o.checkpoint_id = w.checkpoint_id
          AND o.task_id = w.task_id AND o.idx >= 0 AND o.channel <> '__error_source_node__')),
  EXISTS (SELECT 1 FROM writes w
    WHERE w.thread_id = h.thread_id AND w.checkpoint_ns = '' AND w.checkpoint_id = h.latest_id
      AND w.idx = -1)
FROM head h WHERE h.latest_id IS NOT NULL"""
"""The floor: all threads with their questions and errors, as bare tuples."""

ALL_TARGET = 1.5
"""Every thread as a row of the store, over the floor."""
LINES_TARGET = 1.75
"""Every thread as a line of the list, sorted, over the floor."""


def main() -> int:
    """Measure, print a table, and tell whether every target is met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, action="append", help="how many to generate; repeatable")
    parser.add_argument("--db", type=Path, action="append", help="an existing file; repeatable")
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    is_met = True
    for path in given.db or ():
        is_met &= measure(open_database(str(path)), given.rounds)
    for count in given.threads or (() if given.db else (1_000, 10_000)):
        with generated(count) as path:
            is_met &= measure(open_database(str(path)), given.rounds)
    return 0 if is_met else 1


def measure(db: Database, rounds: int) -> bool:
    """Measure one file."""
    reader = Reader(db, Settings())
    with db.reading() as conn:
        count = len(conn.execute(HEADS).fetchall())
        print(f"{count:,} threads, {db.path.stat().st_size / 1e6:,.0f} MB")
        floor: Callable[[], object] = lambda: conn.execute(HEADS).fetchall()  # noqa: E731
        row("first page of 100, rows", timed(lambda: threads.newest(conn, db), rounds))
        row("one thread looked up again", timed(lambda: threads.one(conn, db, "no such thread"), rounds))
        rows = ratio("every thread, rows", lambda: threads.every(conn, db), floor, rounds, ALL_TARGET)
        lines = ratio("every thread, lines", reader.all_lines, floor, rounds, LINES_TARGET)
    row("first page of 100, exact situations", timed(reader.lines, rounds))
    with closing(Watch(db)) as watch:
        row("a look at an unchanged file", timed(watch.poll, rounds))
    return rows and lines


def ratio(
    name: str, ours: Callable[[], object], floor: Callable[[], object], rounds: int, target: float
) -> bool:
    """Measure by turns with the floor."""
    clock = time.process_time
    pairs = [(timed(ours, 1, clock), timed(floor, 1, clock)) for _ in range(rounds)]
    found = statistics.median(mine / bare for mine, bare in pairs)
    verdict = "" if found <= target else f"  ABOVE {target}"
    row(name, statistics.median(mine for mine, _ in pairs), f"CPU, {found:.2f} x SQL{verdict}")
    return found <= target


def timed(do: Callable[[], object], rounds: int, clock: Callable[[], float] = time.perf_counter) -> float:
    """Give the median time of some calls, in seconds."""
    times = []
    for _ in range(rounds):
        start = clock()
        do()
        times.append(clock() - start)
    return statistics.median(times)


def row(name: str, seconds: float, note: str = "") -> None:
    """Print one line of the table."""
    print(f"  {name:<38}{seconds * 1000:>10.3f} ms  {note}".rstrip())


@contextmanager
def generated(count: int) -> Iterator[Path]:
    """Make a checkpoint file of any size out of genuine rows."""
    sys.path.insert(0, str(SHARED / "bench"))
    try:
        from make_checkpoints import generate
    except ImportError:
        sys.exit(f"The generator does not lie in {SHARED}/bench: set AGENT_LAB_SHARED, or give --db FILE.")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.db"
        generate(str(path), threads=count, verify=0)
        with closing(sqlite3.connect(path)) as conn:
            conn.execute("SELECT count(*) FROM checkpoints").fetchone()
        yield path


if __name__ == "__main__":
    sys.exit(main())
