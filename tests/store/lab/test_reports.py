"""The business tables of the report agent: one row an operation, and a version that moves with the facts."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_lab_tui.store.lab.reports import OtherContent, Reports


@pytest.fixture
def reports(tmp_path: Path) -> Reports:
    return Reports(tmp_path / "business.db")


def test_a_report_is_inserted_once_and_found_ever_after(reports: Reports) -> None:
    assert reports.insert("op-1", "queues", "text") == "inserted"
    assert reports.insert("op-1", "queues", "text") == "already_exists"
    found = reports.find("op-1")
    assert found is not None
    assert found.content == "text"


def test_other_content_under_the_same_operation_is_an_alarm_and_changes_nothing(reports: Reports) -> None:
    reports.insert("op-1", "queues", "text")
    before = reports.find("op-1")
    with pytest.raises(OtherContent, match="op-1"):
        reports.insert("op-1", "queues", "another text")
    assert reports.find("op-1") == before


def test_two_operations_are_two_rows(reports: Reports) -> None:
    assert reports.insert("op-1", "queues", "text") == "inserted"
    assert reports.insert("op-2", "queues", "text") == "inserted"


def test_the_version_of_a_topic_grows_when_its_facts_change(reports: Reports) -> None:
    for facts, version in (("a", 1), ("a", 1), ("b", 2)):
        reports.put_topic("queues", facts)
        topic = reports.topic("queues")
        assert topic is not None
        assert topic.version == version


def test_a_database_that_is_not_there_reads_as_empty_and_is_not_made(reports: Reports) -> None:
    assert reports.find("op-1") is None
    assert not reports.path.exists()
