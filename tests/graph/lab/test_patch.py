"""The smallest example: five checkpoints in order, an asking node that begins twice, a patch applied once."""

from __future__ import annotations

import pytest
from lab_player import APPROVE, Player, edit, reject

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
    assert target(patch) == "project(libpng)\noption(PNG_TESTS ON)\n"


def test_an_edited_patch_is_applied_as_edited_and_its_file_cannot_be_changed(patch: Player) -> None:
    patch.start()
    old, new = "option(PNG_TESTS ON)", "option(PNG_TESTS OFF) # no display"
    patch.answer(apply_patch=edit("apply_patch", file="../../data/agent.db", old=old, new=new))
    (again,) = patch.snapshot().interrupts
    assert "the file stays output/p1/CMakeLists.txt" in again.value["problem"]
    patch.answer(apply_patch=edit("apply_patch", file="output/p1/CMakeLists.txt", old=old, new=new))
    assert "# no display" in target(patch)


def test_a_second_start_under_one_id_is_refused(patch: Player) -> None:
    patch.start()
    with pytest.raises(LabRefused, match="exists already"):
        patch.start()
