"""Forks and replays are orders like any other, and questions left behind can be closed with a reason."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agent_lab_tui.graph.deciding.checks import Stale
from agent_lab_tui.graph.hosting.facts import GraphFacts
from agent_lab_tui.graph.questions import Refused
from agent_lab_tui.graph.reading.reader import Reader
from agent_lab_tui.graph.settings.file import Settings
from agent_lab_tui.graph.travelling.forking import ForkRequest
from agent_lab_tui.graph.travelling.journeys import Travelling
from agent_lab_tui.store.files import open_database
from agent_lab_tui.store.journal.book import Journal, QuestionTaken


def no_host(graph: str | None) -> Any:
    raise Refused("No graph is loaded.")


def travelling(db: Path, operator: str = "ann", facts: tuple[GraphFacts, ...] = ()) -> Travelling:
    database = open_database(str(db))
    journal = Journal(db)
    reader = Reader(database, Settings(), journal, facts)
    return Travelling(reader, journal, Settings(), operator, operator, host_for=no_host, facts=facts)


def rows(db: Path) -> int:
    with closing(sqlite3.connect(db)) as connection:
        return int(connection.execute("SELECT count(*) FROM checkpoints").fetchone()[0])


def test_a_replay_is_an_order_with_the_checkpoint_and_the_digest_that_was_seen(zoo_db: Path) -> None:
    travel = travelling(zoo_db)
    thread = travel._reader.thread("finished")
    order = travel.replay(thread, travel.preview_replay("finished", travel.find("finished", "0")))
    assert (order.kind, order.by, order.digest) == ("replay", "ann", thread.digest)
    assert order.checkpoint_id == travel.find("finished", "0")
    assert travel.record(order).state == "recorded"
    with pytest.raises(QuestionTaken):
        travelling(zoo_db, "bob").replay(thread, travel.preview_replay("finished", order.checkpoint_id))


def test_a_thread_that_moved_on_since_the_preview_is_not_replayed(zoo_db: Path) -> None:
    travel = travelling(zoo_db)
    thread = travel._reader.thread("finished")
    shown = travel.preview_replay("finished", travel.find("finished", "0"))
    with closing(sqlite3.connect(zoo_db)) as connection, connection:
        connection.execute(
            "INSERT INTO checkpoints SELECT thread_id, checkpoint_ns, '1fffffff' || substr(checkpoint_id, 9),"
            " checkpoint_id, type, checkpoint, metadata FROM checkpoints WHERE checkpoint_id = ?",
            [thread.checkpoint_id],
        )
    with pytest.raises(Stale, match="moved on"):
        travel.replay(thread, shown)


def test_a_copy_of_a_waiting_head_keeps_the_question_and_a_past_one_asks_anew(zoo_db: Path) -> None:
    travel = travelling(zoo_db)
    thread = travel._reader.thread("branched")
    head = travel.plan_fork(thread, ForkRequest(thread.checkpoint_id, into="copy"))
    assert (head.is_fresh, head.next) == (False, ("ask",))
    past = travel.plan_fork(thread, ForkRequest(travel.find("branched", "1"), into="copy"))
    assert (past.is_fresh, past.next) == (True, ("ask",))
    assert travel.fork(thread, past).options["fresh"] is True


def test_a_read_only_desk_plans_and_previews_but_orders_nothing(zoo_db: Path) -> None:
    database = open_database(str(zoo_db))
    journal = Journal(zoo_db, is_readonly=True)
    reader = Reader(database, Settings(), journal)
    travel = Travelling(reader, journal, Settings(), "ann", "ann", host_for=no_host)
    thread = reader.thread("finished")
    shown = travel.preview_replay("finished", travel.find("finished", "0"))
    with pytest.raises(Refused, match="read-only"):
        travel.replay(thread, shown)
    assert not journal.path.exists()


def test_a_question_left_behind_is_closed_with_a_reason_and_the_thread_not_touched(zoo_db: Path) -> None:
    travel, before = travelling(zoo_db), rows(zoo_db)
    (lost,) = travel.lost("edited-not-asked")
    decision = travel.close("edited-not-asked", lost.checkpoint_id, "the plan was changed")
    assert (decision.state, decision.order.note, decision.order.by) == (
        "applied",
        "the plan was changed",
        "ann",
    )
    assert travel.lost("edited-not-asked") == ()
    assert rows(zoo_db) == before
    assert travel._journal.open() == ()


def test_a_question_is_not_closed_without_a_reason_or_on_the_head(zoo_db: Path) -> None:
    travel = travelling(zoo_db)
    (lost,) = travel.lost("edited-not-asked")
    with pytest.raises(Refused, match="needs a reason"):
        travel.close("edited-not-asked", lost.checkpoint_id, " ")
    with pytest.raises(Stale, match="No question was left behind"):
        travel.close("branched", travel.find("branched", "head"), "no")


def test_the_timeline_is_read_from_rows_where_no_graph_is_loaded(zoo_db: Path) -> None:
    timeline = travelling(zoo_db).timeline("branched")
    assert [c.next for c in timeline.checkpoints][:2] == [("ask",), ()]
    assert timeline.checkpoints[0].questions is not None
