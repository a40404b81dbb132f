"""What checkpoint ids tell by themselves."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest
from langgraph.checkpoint.base.id import uuid6

from agent_lab_tui.store.checkpoints.ids import step_of, time_of
from agent_lab_tui.store.checkpoints.rows import body, history
from agent_lab_tui.store.checkpoints.threads import every
from agent_lab_tui.store.files import open_database


def test_ids_tell_step_and_time_as_the_rows_have_them(zoo_db: Path) -> None:
    db = open_database(str(zoo_db))
    seen = 0
    with db.reading() as conn:
        for thread in every(conn, db):
            for row in history(conn, thread.thread_id, 20):
                stored = body(conn, thread.thread_id, "", row.checkpoint_id)["ts"]
                made = datetime.datetime.fromisoformat(stored).timestamp()
                assert step_of(row.checkpoint_id) == row.metadata["step"]
                assert time_of(row.checkpoint_id) == pytest.approx(made, abs=0.5)
                seen += 1
    assert seen > 80


@pytest.mark.parametrize("step", [-2, -1, 0, 1, 300, 16_000])
def test_a_step_survives_in_the_id(step: int) -> None:
    assert step_of(str(uuid6(clock_seq=step))) == step


@pytest.mark.parametrize(
    "made_elsewhere",
    ["", "7", "f47ac10b-58cc-4372-a567-0e02b2c3d479", "1f1ec5fz-7a13-653c-8006-dbe3591a8b9f", "x" * 36],
)
def test_ids_of_another_make_tell_nothing(made_elsewhere: str) -> None:
    assert step_of(made_elsewhere) is None
    assert time_of(made_elsewhere) is None
