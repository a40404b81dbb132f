"""Versions of files and rows, and whether they have moved."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_lab_tui.store.freshness import file_version, moved, row_version
from agent_lab_tui.store.lab.reports import Reports


@pytest.fixture
def base(tmp_path: Path) -> Path:
    Reports(tmp_path / "business.db").put_topic("queues", "a")
    return tmp_path


def topic_version(base: Path) -> dict[str, object]:
    return row_version("business.db", base, "topics", {"topic": "queues"}, "version")


def test_a_row_that_stays_has_not_moved(base: Path) -> None:
    assert moved([topic_version(base)], base) == ()


def test_a_row_that_changes_has_moved_and_both_versions_are_told(base: Path) -> None:
    seen = topic_version(base)
    Reports(base / "business.db").put_topic("queues", "b")
    (found,) = moved([seen], base)
    assert (found.seen, found.now) == (1, 2)
    assert str(found) == "The row topic = 'queues' of topics in business.db (version) was 1 and is 2 now"


def test_a_row_that_is_gone_has_moved(base: Path) -> None:
    seen = {**topic_version(base), "key": {"topic": "gone"}}
    (found,) = moved([seen], base)
    assert found.now is None


def test_a_table_that_is_gone_has_moved(base: Path) -> None:
    (found,) = moved([{**topic_version(base), "table": "gone"}], base)
    assert "no such table" in str(found.now)


def test_a_file_moves_with_its_bytes(base: Path) -> None:
    (base / "brief.txt").write_text("one")
    seen = file_version("brief.txt", base)
    assert moved([seen], base) == ()
    (base / "brief.txt").write_text("two")
    assert len(moved([seen], base)) == 1
    (base / "brief.txt").unlink()
    assert moved([seen], base)[0].now is None


def test_names_in_a_version_are_names_and_no_sql(base: Path) -> None:
    hostile = {**topic_version(base), "table": 'topics"; DROP TABLE topics; --'}
    (found,) = moved([hostile], base)
    assert "not readable" in str(found.now)
    assert Reports(base / "business.db").topic("queues") is not None


@pytest.mark.parametrize(
    "version", [{}, {"version": 3}, {"file": 7}, {"database": "x", "table": "y", "key": {}}]
)
def test_what_names_nothing_that_can_be_read_counts_as_not_moved(
    base: Path, version: dict[str, object]
) -> None:
    assert moved([version], base) == ()


def test_looking_leaves_no_file_behind(base: Path) -> None:
    before = sorted(base.iterdir())
    moved([topic_version(base)], base)
    assert sorted(base.iterdir()) == before
