"""A database that another process holds: said at once, waited for a while, and nothing is lost."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any


def test_a_locked_database_is_told_early_waited_for_and_then_written(live: Any) -> None:
    with closing(sqlite3.connect(live.path / "agent.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        process = live.process("answer", "t1", "--approve", *live.seen)
        assert process.stderr is not None
        line = process.stderr.readline()
        assert "is locked by another process; waiting." in line
        assert [one.state for one in live.journal.decisions()] == ["recorded"]
        other.execute("ROLLBACK")
    out, error = process.communicate(timeout=60)
    assert process.returncode == 0, out + error
    assert error == ""
    assert live.paid == ["PAID 10"]
