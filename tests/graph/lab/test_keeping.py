"""What is dropped when room is wanted: only what is finished, old, and agrees with what is there."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import timedelta

import pytest
from lab_player import Player

from agent_lab_tui.graph.lab.carrying_on import desk_of
from agent_lab_tui.graph.lab.keeping import Pruned, prunable, prune
from agent_lab_tui.graph.lab.registry import LabRefused, agent
from agent_lab_tui.graph.lab.workspace import Workspace
from agent_lab_tui.store.effects import Effects
from agent_lab_tui.store.lab.runs import Runs

MONTH = timedelta(days=30)


def grow_old(lab: Workspace, table: str = "run") -> None:
    """Make every row of a table look as if it was changed years ago."""
    with closing(sqlite3.connect(lab.database)) as connection, connection:
        connection.execute(f"UPDATE {table} SET updated_at = '2020-01-01T00:00:00Z'")


def found(lab: Workspace) -> tuple[Pruned, ...]:
    with desk_of(lab) as desk:
        return prunable(lab, desk, MONTH)


def rows(lab: Workspace, table: str) -> int:
    with closing(sqlite3.connect(lab.database)) as connection:
        count: int = connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        return count


def test_a_run_that_was_finished_long_ago_is_dropped_with_its_calls_and_checkpoints(waiting: Player) -> None:
    lab = waiting.lab
    waiting.approve_all()
    assert found(lab) == ()
    grow_old(lab)
    (one,) = found(lab)
    assert (one.task_id, one.status) == ("run-217", "completed")
    deeds = Effects(lab.ledger).all("run-217:")
    assert deeds
    prune(lab, [one])
    assert Runs(lab.database).run("run-217") is None
    assert [rows(lab, table) for table in ("run_call", "checkpoints", "writes")] == [0, 0, 0]
    assert (lab.root / "work" / "run-217" / "dist" / "re2.pkg").is_file()
    assert Effects(lab.ledger).all("run-217:") == deeds
    assert found(lab) == ()


def test_a_run_that_waits_is_never_dropped(waiting: Player) -> None:
    grow_old(waiting.lab)
    assert found(waiting.lab) == ()


def test_a_run_that_was_halted_is_never_dropped(killed: Player) -> None:
    grow_old(killed.lab)
    assert found(killed.lab) == ()


def test_a_finished_run_whose_package_is_gone_is_never_dropped(waiting: Player) -> None:
    waiting.approve_all()
    grow_old(waiting.lab)
    (waiting.lab.root / "work" / "run-217" / "dist" / "re2.pkg").unlink()
    assert found(waiting.lab) == ()


def test_a_run_that_failed_is_never_dropped(waiting: Player) -> None:
    Runs(waiting.lab.database).change("run-217", "failed", "no such target")
    grow_old(waiting.lab)
    assert found(waiting.lab) == ()


@pytest.mark.parametrize("name", ["outbox", "report"])
def test_tasks_that_wait_for_an_approval_are_never_dropped(lab: Workspace, name: str) -> None:
    Player(lab, name, "one").start()
    grow_old(lab, "tasks")
    assert found(lab) == ()


def test_a_patch_keeps_no_row_and_is_not_dropped_by_age(lab: Workspace) -> None:
    Player(lab, "patch", "one").start()
    assert found(lab) == ()
    with pytest.raises(LabRefused, match="lab clean one"):
        agent("patch").forget(lab, "one")
