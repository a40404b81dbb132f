"""One finds one's way in the past by words."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_lab_tui.graph.reading.threads import NotFound
from agent_lab_tui.graph.travelling.past import Past
from agent_lab_tui.graph.travelling.places import find, seek, tree
from agent_lab_tui.store.files import open_database


@pytest.fixture
def past(zoo_db: Path) -> Past:
    return Past(open_database(str(zoo_db)))


def test_the_tree_has_every_checkpoint_with_its_step_and_its_parent(past: Past) -> None:
    whole, page = tree(past, "branched"), past.page("branched")
    assert [(c.checkpoint_id, c.parent_id, c.step, c.is_head) for c in whole.checkpoints] == [
        (c.checkpoint_id, c.parent_id, c.step, c.is_head) for c in page.checkpoints
    ]


def test_a_question_is_sought_from_the_newest_to_the_oldest_and_round_again(past: Past) -> None:
    first = seek(past, "branched", "question", None)
    second = seek(past, "branched", "question", first)
    third = seek(past, "branched", "question", second)
    assert first > second > third
    assert seek(past, "branched", "question", third) == first


def test_a_state_key_is_sought_by_its_beginning(past: Past) -> None:
    found = seek(past, "branched", "answ", None)
    assert next(c for c in past.page("branched").checkpoints if c.checkpoint_id == found).ran == ("ask",)
    assert seek(past, "branched", "answ", found) < found


def test_a_step_an_id_and_the_head_are_found(past: Past) -> None:
    head = find(past, "branched", "head")
    assert seek(past, "branched", head[:20], None) == head
    assert tree(past, "branched").by_id[find(past, "branched", "0")].step == 0


def test_what_was_left_behind_is_sought_where_it_is_given(past: Past) -> None:
    assert seek(past, "branched", "lost", "9", ["5", "3"]) == "5"
    assert seek(past, "branched", "lost", "5", ["5", "3"]) == "3"
    with pytest.raises(NotFound, match="called 'lost'"):
        seek(past, "branched", "lost", None)


def test_a_word_that_means_nothing_is_said_to(past: Past) -> None:
    with pytest.raises(NotFound, match="'nonsense'"):
        seek(past, "branched", "nonsense", None)
    with pytest.raises(NotFound, match="no thread"):
        find(past, "nobody", "head")
