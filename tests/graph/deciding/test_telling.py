"""Decisions in words."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from agent_lab_tui.graph.deciding.checks import ended
from agent_lab_tui.graph.deciding.telling import ago, deed, deed_on, local, named, told
from agent_lab_tui.store.journal.book import Decision, Order


@pytest.fixture(autouse=True)
def _in_shanghai(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Asia/Shanghai")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def decision(**fields: object) -> Decision:
    order = Order("answer", "task-1", "1ef", "d", ("q",), by="ann", os_user="ann", **fields)  # type: ignore[arg-type]
    return Decision("d" * 32, order, 1_700_000_000.0, "running", 1_700_000_100.0)


def test_the_loser_reads_who_decided_what_and_when() -> None:
    made = decision(choices={"q": [{"approve": {}}]})
    assert told(made) == "ann approved this on 2023-11-15 06:13 CST; it is running"


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({"q": [{"approve": {}}, {"reject": "no"}]}, "approved and rejected"),
        ({"q": [{"approve": {}}, {"approve": {}}]}, "approved"),
        ({"q": {"value": 3}}, "answered"),
        ({}, "answered"),
    ],
)
def test_what_was_decided_is_said_in_a_word(choices: dict[str, object], words: str) -> None:
    assert deed(decision(choices=choices)) == words


def test_an_operator_under_another_account_is_named_with_it() -> None:
    assert named("ann", "root") == "ann (root)"
    assert named("", "root") == "root"
    assert named("", "") == "somebody"


def test_times_are_local_and_name_their_zone() -> None:
    assert local(1_700_000_000.0) == "2023-11-15 06:13 CST"


@pytest.mark.parametrize(
    ("seconds", "words"), [(-3, "0 s"), (59, "59 s"), (300, "5 min"), (7200, "2 h"), (200000, "2 d")]
)
def test_an_age_has_one_unit(seconds: float, words: str) -> None:
    assert ago(seconds) == words


def test_a_deed_stands_by_itself_and_before_what_it_is_about() -> None:
    made = decision(choices={"q": [{"explain": "why"}]})
    assert deed(made) == "asked for an explanation"
    assert deed_on(made, "job-1") == "asked for an explanation of job-1"
    assert told(made).startswith("ann asked for an explanation of this on ")


def test_foreign_words_that_end_a_sentence_end_it() -> None:
    assert ended("it now asks: Send this mail?") == "it now asks: Send this mail?"
    assert ended("it now asks: send_mail") == "it now asks: send_mail."
