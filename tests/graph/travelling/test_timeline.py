"""The tree of checkpoints: branches, races, lost questions, and finding one's way in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_lab_tui.graph.travelling.past import Past
from agent_lab_tui.graph.travelling.timeline import (
    Checkpoint,
    Timeline,
    counted,
    meeting_point,
    unsaved_steps,
)
from agent_lab_tui.store.files import open_database


def checkpoint(
    own: str, parent: str | None, source: str = "loop", step: int = 0, **more: object
) -> Checkpoint:
    return Checkpoint(own, parent, step, source, None, **more)  # type: ignore[arg-type]


@pytest.fixture
def branched(zoo_db: Path) -> Timeline:
    return Past(open_database(str(zoo_db))).page("branched")


def test_the_head_is_the_newest_checkpoint(branched: Timeline) -> None:
    assert branched.head == branched.checkpoints[0]
    assert branched.head is not None
    assert branched.head.source == "update"


def test_three_branches_leave_one_checkpoint(branched: Timeline) -> None:
    before_ask = next(c for c in branched.checkpoints if c.step == 1)
    assert [c.source for c in branched.children[before_ask.checkpoint_id]] == ["update", "fork", "loop"]
    end_of_first = next(c for c in branched.checkpoints if c.step == 3 and c.ran == ("do",))
    assert branched.branch_point(end_of_first) == before_ask
    assert branched.branch_point(before_ask) == before_ask


def test_the_way_from_a_checkpoint_is_the_one_to_its_newest_descendant(branched: Timeline) -> None:
    before_ask = next(c for c in branched.checkpoints if c.step == 1)
    assert [c.source for c in branched.below(before_ask.checkpoint_id)] == ["update"]
    first_yes = next(c for c in branched.checkpoints if c.ran == ("ask",) and c.step == 2)
    assert [c.ran for c in branched.below(first_yes.checkpoint_id)] == [("do",)]


def test_two_checkpoints_meet_where_their_branches_part(branched: Timeline) -> None:
    ends = [c for c in branched.checkpoints if c.step == 3]
    met = meeting_point(branched, ends[0].checkpoint_id, ends[1].checkpoint_id)
    assert met is not None
    assert met.step == 1


def test_two_runs_of_one_step_are_a_race() -> None:
    timeline = Timeline(
        "t",
        (
            checkpoint("c", "a"),
            checkpoint("b", "a"),
            checkpoint("f", "a", "fork"),
            checkpoint("a", None, "input"),
        ),
    )
    assert timeline.races == {"b", "c"}


def test_forks_and_edits_of_one_checkpoint_are_no_race(branched: Timeline) -> None:
    assert branched.races == frozenset()


def test_a_question_hidden_by_an_edit_is_lost(zoo_db: Path) -> None:
    timeline = Past(open_database(str(zoo_db))).page("edited-not-asked")
    assert [(c.step, c.waits) for c in timeline.lost()] == [(1, ("ask",))]


def test_a_question_that_waits_on_the_head_is_not_lost(branched: Timeline) -> None:
    assert branched.lost() == ()


@pytest.mark.parametrize(
    ("word", "step", "source"),
    [("head", 2, "update"), ("question", 2, "update"), ("2", 2, "update"), ("-1", -1, "input")],
)
def test_a_checkpoint_is_found_by_a_word(branched: Timeline, word: str, step: int, source: str) -> None:
    found = branched.find(word)
    assert found is not None
    assert (found.step, found.source) == (step, source)


def test_a_checkpoint_is_found_by_the_beginning_of_its_id(branched: Timeline) -> None:
    wanted = branched.checkpoints[3]
    assert branched.find(wanted.checkpoint_id[:-4]) == wanted
    assert branched.find("ffffffff") is None


def test_checkpoints_that_wrote_a_key_are_found_by_its_beginning(branched: Timeline) -> None:
    assert [c.step for c in branched.wrote("answ")] == [3, 2]


def test_steps_that_were_not_saved_are_counted() -> None:
    parent = checkpoint("a", None, "input", -1)
    assert unsaved_steps(checkpoint("b", "a", "loop", 4), parent) == 4
    assert unsaved_steps(checkpoint("b", "a", "loop", 0), parent) == 0
    assert unsaved_steps(checkpoint("b", "gone", "loop", 4), None) == 0


def test_equal_names_are_counted_once() -> None:
    assert counted(("tools", "model", "tools")) == (("tools", 2), ("model", 1))


def test_a_chain_that_bites_its_tail_ends() -> None:
    timeline = Timeline("t", (checkpoint("b", "a", is_head=True), checkpoint("a", "b")))
    assert [c.checkpoint_id for c in timeline.path("b")] == ["b", "a"]
    assert timeline.main == {"a", "b"}
    assert timeline.below("b") == ()
