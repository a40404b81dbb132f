"""The chain: append-only by trigger, and every way of tampering is found."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from agent_lab_tui.store.journal.book import Journal, Order

TRIGGERS = ("no_update", "no_delete", "only_next")
LIKE = (
    "INSERT OR REPLACE INTO event"
    " SELECT {seq}, decision, kind, thread, at, 'evil', body, previous, 'x' FROM event WHERE seq = 3"
)


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    database = tmp_path / "agent.db"
    database.touch()
    journal = Journal(database)
    for number in range(5):
        journal.record(Order("answer", f"task-{number}", "1ef", "d", (f"q{number}",), by="ann"))
    return journal


def run(journal: Journal, *statements: str) -> None:
    with closing(sqlite3.connect(journal.path)) as conn:
        for statement in statements:
            conn.execute(statement)
        conn.commit()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE event SET by = 'evil' WHERE seq = 3",
        "DELETE FROM event WHERE seq = 3",
        "DELETE FROM event",
        LIKE.format(seq=3),
        LIKE.format(seq=7),
        LIKE.format(seq=-1),
        LIKE.format(seq="NULL"),
    ],
)
def test_the_tables_themselves_refuse_to_be_rewritten(journal: Journal, statement: str) -> None:
    before = journal.events()
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        run(journal, statement)
    assert journal.events() == before


def test_a_whole_journal_verifies_and_names_its_head(journal: Journal) -> None:
    verdict = journal.verify()
    assert (verdict.is_whole, verdict.events) == (True, 5)
    assert verdict.head == journal.head() == journal.events()[-1].digest
    assert journal.verify(verdict.head).is_whole


def tampered(statement: str) -> Callable[[Journal], None]:
    def act(journal: Journal) -> None:
        run(journal, *(f"DROP TRIGGER {name}" for name in TRIGGERS), statement)

    return act


@pytest.mark.parametrize(
    ("statement", "broken_at"),
    [
        ("UPDATE event SET by = 'evil' WHERE seq = 3", 3),
        ("UPDATE event SET at = at + 1 WHERE seq = 1", 1),
        ("UPDATE event SET body = replace(body, 'task-3', 'task-4') WHERE seq = 4", 4),
        ("DELETE FROM event WHERE seq = 2", 2),
        ("DELETE FROM event WHERE seq = 1", 2),
        ("UPDATE event SET seq = 9 WHERE seq = 5", 5),
    ],
)
def test_the_first_broken_link_is_named(journal: Journal, statement: str, broken_at: int) -> None:
    tampered(statement)(journal)
    verdict = journal.verify()
    assert not verdict.is_whole
    assert verdict.broken_at == broken_at
    assert verdict.reason


def test_a_cut_tail_is_found_with_the_digest_noted_earlier(journal: Journal) -> None:
    head = journal.head()
    tampered("DELETE FROM event WHERE seq > 3")(journal)
    run(journal, "DELETE FROM claim WHERE thread IN ('task-3', 'task-4')")
    assert journal.verify().is_whole
    verdict = journal.verify(head)
    assert (verdict.is_whole, verdict.broken_at) == (False, 4)
    assert "cut off" in verdict.reason


def test_a_journal_that_has_grown_since_still_holds_the_noted_digest(journal: Journal) -> None:
    head = journal.head()
    journal.record(Order("go-on", "task-1", "1ef", "d", by="ann"))
    assert journal.verify(head).is_whole


def test_a_claim_that_no_event_tells_of_is_found(journal: Journal) -> None:
    run(journal, "DELETE FROM claim WHERE thread = 'task-2'")
    verdict = journal.verify()
    assert not verdict.is_whole
    assert "claims" in verdict.reason
