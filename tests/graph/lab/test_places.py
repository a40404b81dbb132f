"""The places at which an agent can be killed are named, and no others are taken."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from agent_lab_tui.graph.lab.faults.plays import PLAYS, Play, new_lab, places_of
from agent_lab_tui.graph.lab.mail_client import stop_courier
from agent_lab_tui.graph.lab.places import all_places, checked_place, places
from agent_lab_tui.graph.lab.registry import LabUsage

LAB = Path(__file__).resolve().parents[3] / "graph" / "lab"
NOT_OF_AGENTS = ("keeping.py", "crash.py")


def test_every_place_in_the_agents_code_is_named_and_every_name_is_in_the_code() -> None:
    files = [path for path in LAB.rglob("*.py") if "examples" not in path.parts]
    code = "\n".join(path.read_text("utf-8") for path in files if path.name not in NOT_OF_AGENTS)
    passed = set(re.findall(r'crash\.point\("([^"]+)"\)', code))
    ends = set(re.findall(r'crash\.point\(f"\{(?:tool\.)?name\}:(\w+)"\)', code))
    named = {place for of_one in all_places().values() for place in of_one}
    called = {place for place in named if place.rpartition(":")[2] in ends}
    assert {place.rpartition(":")[2] for place in called} == ends == {"begun", "done", "unkept", "kept"}
    assert named - called - {"report:empty"} == passed


@pytest.mark.slow
@pytest.mark.parametrize(
    "play", [play for play in PLAYS if play.says == "approve"], ids=lambda play: play.name
)
def test_an_agent_passes_the_places_that_are_named_for_it(play: Play, tmp_path: Path) -> None:
    lab = new_lab(tmp_path / "lab")
    try:
        passed = {place.partition("#")[0] for place in places_of(play, lab)}
    finally:
        stop_courier(lab.root / "mail")
    assert passed <= set(places(play.agent))
    if play.agent != "builder":
        assert set(places(play.agent)) - passed <= {"report:empty"}


@pytest.mark.parametrize("place", ["confirm", "report:after-write", "checkpoint#3"])
def test_a_place_of_the_agent_is_taken_with_its_visit(place: str) -> None:
    assert checked_place("analysis", place) == place


@pytest.mark.parametrize(
    "place", ["", "nowhere", "patch:recorded", "#1", "confirm#", "confirm#0", "confirm#x"]
)
def test_any_other_place_is_refused(place: str) -> None:
    with pytest.raises(LabUsage, match=r"passes no place|names no visit"):
        checked_place("analysis", place)
