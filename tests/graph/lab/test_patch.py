"""The smallest example: five checkpoints in order, an asking node that begins twice, a patch applied once."""

from __future__ import annotations

import pytest
from lab_player import APPROVE, Player, edit, reject

from agent_lab_tui.graph.gate import NotDone
from agent_lab_tui.graph.lab.registry import LabRefused, agent
from agent_lab_tui.graph.lab.starting import open_saver
from agent_lab_tui.graph.lab.workspace import Workspace


@pytest.fixture
def patch(lab: Workspace) -> Player:
    return Player(lab, "patch", "p1")


def target(patch: Player) -> str:
    return (patch.lab.root / "output" / "p1" / "CMakeLists.txt").read_text("utf-8")


def history(patch: Player) -> list[tuple[str, ...]]:
    """What each checkpoint runs next, oldest first."""
    with open_saver(patch.lab) as saver:
        graph = agent("patch").build(patch.lab)
        graph.checkpointer = saver
        found = graph.get_state_history({"configurable": {"thread_id": "p1"}})
        return [state.next for state in found][::-1]


def test_it_waits_at_approve_with_the_patch_shown(patch: Player) -> None:
    patch.start()
    (asked,) = patch.asked()
    assert (patch.snapshot().next, asked.name) == (("approve",), "apply_patch")
    assert asked.request["args"]["new"] == "option(PNG_TESTS OFF)"
    assert target(patch) == "project(libpng)\noption(PNG_TESTS ON)\n"


def test_its_five_checkpoints_come_in_order_and_waiting_adds_none(patch: Player) -> None:
    patch.start()
    before = history(patch)
    assert before == [("__start__",), ("propose",), ("approve",)]
    patch.answer(apply_patch=APPROVE)
    assert history(patch) == [*before, ("apply",), ()]
    assert target(patch) == "project(libpng)\noption(PNG_TESTS OFF)\n"


def test_the_asking_node_begins_again_from_its_top_when_the_answer_comes(patch: Player) -> None:
    patch.start()
    log = patch.lab.root / "output" / "p1" / "approve.log"
    assert log.read_text("utf-8").count("the asking node begins") == 1
    patch.answer(apply_patch=APPROVE)
    assert log.read_text("utf-8").count("the asking node begins") == 2


def test_a_no_ends_it_without_the_patch(patch: Player) -> None:
    patch.start()
    patch.answer(apply_patch=reject("the tests are needed"))
    assert (patch.snapshot().next, patch.values["approved"], patch.effects()) == ((), False, {})
    found = agent("patch").status(patch.lab, "p1")
    assert (found.status, found.error) == ("failed", "declined by the operator")
    assert target(patch) == "project(libpng)\noption(PNG_TESTS ON)\n"


def test_an_edited_patch_is_applied_as_edited_and_its_file_cannot_be_changed(patch: Player) -> None:
    patch.start()
    old, new = "option(PNG_TESTS ON)", "option(PNG_TESTS OFF) # no display"
    patch.answer(apply_patch=edit("apply_patch", file="../../data/agent.db", old=old, new=new))
    (again,) = patch.snapshot().interrupts
    assert "the file stays output/p1/CMakeLists.txt" in again.value["problem"]
    patch.answer(apply_patch=edit("apply_patch", file="output/p1/CMakeLists.txt", old=old, new=new))
    assert "# no display" in target(patch)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("option(NOT THERE)", "x", "old must stand in the file, and once"),
        ("", "x", "old must stand in the file"),
        ("option(PNG_TESTS ON)", "", "new must be a text that the file does not hold yet"),
        ("option(PNG_TESTS ON)", "project(libpng)", "new must be a text that the file does not hold yet"),
    ],
)
def test_a_patch_whose_doing_could_not_be_seen_is_asked_again(
    old: str, new: str, problem: str, patch: Player
) -> None:
    patch.start()
    before = target(patch)
    patch.answer(apply_patch=edit("apply_patch", file="output/p1/CMakeLists.txt", old=old, new=new))
    (again,) = patch.snapshot().interrupts
    assert problem in again.value["problem"]
    assert (target(patch), patch.effects()) == (before, {})


def test_a_file_that_changed_since_the_question_is_left_alone(patch: Player) -> None:
    patch.start()
    file = patch.lab.root / "output" / "p1" / "CMakeLists.txt"
    file.write_text("somebody's own words", "utf-8")
    with pytest.raises(NotDone, match="has changed since it was asked about"):
        patch.answer(apply_patch=APPROVE)
    assert target(patch) == "somebody's own words"


@pytest.mark.parametrize("place", ["patch:before-write", "patch:after-write", "patch:recorded"])
def test_killed_anywhere_around_its_deed_it_is_applied_once(place: str, patch: Player) -> None:
    patch.start()
    patch.dies("answer(apply_patch=APPROVE)", at=place)
    patch.go_on()
    assert target(patch) == "project(libpng)\noption(PNG_TESTS OFF)\n"
    assert patch.effects() == {"p1:apply": "done"}


def test_a_second_start_under_one_id_is_refused(patch: Player) -> None:
    patch.start()
    with pytest.raises(LabRefused, match="exists already"):
        patch.start()
