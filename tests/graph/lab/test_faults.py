"""The fault table: killed anywhere, every deed is done once or asked about, and budgets go on."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_lab_tui.graph.lab.faults.plays import PLAYS, window_of
from agent_lab_tui.graph.lab.faults.table import Row, lines, rows

BY_NAME = {play.name: play for play in PLAYS}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "places", "most_asked"),
    [
        ("patch", ("file:before-replace", "stored-writes", "patch:"), 0),
        ("analysis refused", ("stored-writes", "checkpoint", "confirm"), 0),
        ("report, two inserts", ("report:",), 0),
        ("outbox refused", ("stored-writes", "outbox:"), 0),
        ("outbox keyed", ("outbox:",), 0),
        ("outbox askable", ("outbox:",), 0),
        ("outbox plain", ("outbox:",), 1),
        ("builder", ("push:", "remove_folder:", "append_line:done", "model:replied#3", "acceptance"), 9),
    ],
)
def test_every_deed_is_done_once_or_asked_about_and_budgets_go_on(
    name: str, places: tuple[str, ...], most_asked: int
) -> None:
    made = list(rows([BY_NAME[name]], lambda place: place.startswith(places)))
    assert len(made) >= 6
    assert [row for row in made if not row.is_sound] == []
    # The builder's calls run side by side: a kill at one may find the text message in its window.
    assert sum(row.asked for row in made) <= most_asked


@pytest.mark.slow
def test_a_builder_killed_between_sending_and_recording_asks_only_about_the_text_message() -> None:
    made = list(rows([BY_NAME["builder"]], lambda place: place.startswith("outbox:sent")))
    assert [row.differs for row in made] == [""] * 3
    assert sum(row.asked for row in made) <= 3


def test_the_kept_table_is_of_every_agent_and_of_every_window() -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "faults.md").read_text("utf-8")
    cells = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("|")][2:]
    assert {row[0] for row in cells} == set(BY_NAME)
    assert {window_of(row[1].strip("`")) for row in cells} == {row[3] for row in cells}
    assert {row[8] for row in cells} == {"-"}


def test_places_say_in_which_window_they_lie() -> None:
    assert [
        window_of(place)
        for place in ("push:begun#1", "push:done#2", "push:unkept#1", "outbox:completed", "stored-writes#9")
    ] == [
        "before the deed",
        "between deed and record",
        "between record and checkpoint",
        "between record and checkpoint",
        "between stored writes and checkpoint",
    ]


def test_kills_at_one_place_that_end_alike_are_one_line() -> None:
    row = Row("patch", "stored-writes#1", "w", "the run ended", "run again", 1, "completed, done", "")
    other = Row("patch", "stored-writes#2", "w", "the run ended", "run again", 0, "completed, done", "")
    bad = Row(
        "patch", "stored-writes#3", "w", "the run ended", "run again", 0, "completed, done", "2x too often"
    )
    together, apart = lines([row, other, bad])
    assert (together.place, together.kills, together.asked, together.differs) == ("stored-writes", 2, 1, "")
    assert (apart.kills, apart.differs, bad.is_sound) == (1, "2x too often", False)
