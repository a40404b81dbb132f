"""What others decide is seen by a look at counters, and read only then."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from agent_lab_tui.store.checkpoints.watch import Changes
from agent_lab_tui.store.journal.book import Journal, JournalError, Order
from agent_lab_tui.store.journal.watch import JournalWatch


@pytest.fixture
def record(tmp_path: Path) -> Callable[[str], str]:
    """Record a decision about a thread as another process would; give its id."""
    db = tmp_path / "agent.db"
    db.touch()

    def record(thread_id: str) -> str:
        order = Order("answer", thread_id, "c1", "digest", questions=(f"q of {thread_id}",), by="bob")
        return Journal(db).record(order).decision_id

    return record


@pytest.fixture(params=[False, True], ids=["deciding", "only looking"])
def watch(
    request: pytest.FixtureRequest, tmp_path: Path, record: Callable[[str], str]
) -> Iterator[JournalWatch]:
    """A watch from before there was a journal."""
    with closing(JournalWatch(tmp_path / "agent.db", is_readonly=request.param)) as made:
        yield made


def test_no_journal_and_no_change_is_nothing(watch: JournalWatch, record: Callable[[str], str]) -> None:
    assert not watch.poll()
    record("t")
    watch.poll()
    assert watch.poll() == Changes()


def test_each_thread_that_something_was_written_about_is_named_once(
    watch: JournalWatch, record: Callable[[str], str], tmp_path: Path
) -> None:
    record("first")
    assert watch.poll() == Changes(thread_ids=frozenset({"first"}))
    made = record("t")
    record("u")
    assert watch.poll() == Changes(thread_ids=frozenset({"t", "u"}))
    Journal(tmp_path / "agent.db").withdraw(made, "bob")
    assert watch.poll() == Changes(thread_ids=frozenset({"t"}))
    assert not watch.poll()


def test_a_beating_lease_is_no_change(
    watch: JournalWatch, record: Callable[[str], str], tmp_path: Path
) -> None:
    record("t")
    watch.poll()
    leases = Journal(tmp_path / "agent.db").leases
    token = leases.take("t")
    assert token is not None
    assert leases.beat("t", token)
    assert not watch.poll()


def test_a_journal_put_in_its_place_asks_for_a_reload(
    watch: JournalWatch, record: Callable[[str], str], tmp_path: Path
) -> None:
    record("t")
    record("u")
    watch.poll()
    other = tmp_path / "other.db"
    other.touch()
    Journal(other).record(Order("go-on", "v", "c1", "digest"))
    watch.close()
    for end in ("-wal", "-shm"):
        (tmp_path / f"agent.db.desk{end}").unlink(missing_ok=True)
    os.replace(tmp_path / "other.db.desk", tmp_path / "agent.db.desk")
    assert watch.poll().is_reload
    assert not watch.poll()


def test_looking_only_leaves_no_file_behind(tmp_path: Path, record: Callable[[str], str]) -> None:
    record("t")
    before = sorted(os.listdir(tmp_path))
    with closing(JournalWatch(tmp_path / "agent.db", is_readonly=True)) as watch:
        watch.poll()
        assert sorted(os.listdir(tmp_path)) == before
    assert sorted(os.listdir(tmp_path)) == before


def test_what_is_no_journal_is_told_when_it_is_looked_at(tmp_path: Path) -> None:
    (tmp_path / "agent.db").touch()
    (tmp_path / "agent.db.desk").write_text("notes of somebody", "utf-8")
    with closing(JournalWatch(tmp_path / "agent.db")) as watch:
        for _ in range(2):
            with pytest.raises(JournalError, match="move it away"):
                watch.poll()
