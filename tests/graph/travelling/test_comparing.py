"""Two checkpoints are compared by state, and by what happened on the way to each."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agent_lab_tui.graph.reading.threads import NoSuchCheckpoint
from agent_lab_tui.graph.travelling.comparing import compare, with_effects
from agent_lab_tui.graph.travelling.diff import differences
from agent_lab_tui.graph.travelling.past import Past
from agent_lab_tui.store.effects.rows import Effect
from agent_lab_tui.store.files import open_database
from agent_lab_tui.store.processes import ProcessMark


@pytest.fixture
def past(zoo_db: Path) -> Past:
    return Past(open_database(str(zoo_db)))


def test_every_pair_of_checkpoints_differs_as_their_whole_states_do(past: Past) -> None:
    for thread_id in ("branched", "delta-channel", "pydantic-state", "huge-state"):
        ids = [one.checkpoint_id for one in past.page(thread_id).checkpoints]
        for one in ids:
            for other in ids:
                states = past.opened(thread_id, one).values, past.opened(thread_id, other).values
                found = compare(past, thread_id, one, other).differences
                assert found == tuple(differences(*states))


def test_the_default_is_the_parent(past: Past) -> None:
    newest = past.page("branched").checkpoints[0]
    comparison = compare(past, "branched", newest.checkpoint_id)
    assert comparison.one.checkpoint_id == newest.parent_id
    assert [d.place for d in comparison.differences] == ["plan"]
    assert comparison.met == past.some("branched", [str(newest.parent_id)])[0]


def test_the_first_checkpoint_has_no_parent_to_be_compared_with(past: Past) -> None:
    first = past.page("branched").checkpoints[-1]
    with pytest.raises(NoSuchCheckpoint, match="the first one"):
        compare(past, "branched", first.checkpoint_id)


def test_the_answers_on_both_ways_are_told(past: Past) -> None:
    ends = [one for one in past.page("branched").checkpoints if one.step == 3]
    comparison = compare(past, "branched", ends[0].checkpoint_id, ends[1].checkpoint_id)
    assert comparison.met is not None
    assert comparison.met.step == 1
    asked = [
        [q.id for c in way for q in c.questions or ()]
        for way in (comparison.way_to_one, comparison.way_to_other)
    ]
    assert [[comparison.answers[one] for one in way] for way in asked] == [["no"], ["yes"]]


def test_branches_without_a_common_checkpoint_are_compared_all_the_same(zoo_db: Path, past: Past) -> None:
    newest, second = past.page("finished").checkpoints[:2]
    with closing(sqlite3.connect(zoo_db)) as connection, connection:
        connection.execute(
            "UPDATE checkpoints SET parent_checkpoint_id = NULL WHERE checkpoint_id = ?",
            [newest.checkpoint_id],
        )
    comparison = compare(past, "finished", second.checkpoint_id, newest.checkpoint_id)
    assert comparison.met is None
    assert [d.place for d in comparison.differences] == ["done"]


def test_the_effects_of_each_way_stand_on_it(past: Past) -> None:
    ends = [one for one in past.page("branched").checkpoints if one.step == 3]
    comparison = compare(past, "branched", ends[0].checkpoint_id, ends[1].checkpoint_id)
    did = comparison.way_to_other[-1]
    assert did.ran == ("do",)
    stamp = datetime.fromtimestamp(int(did.at or 0), UTC).isoformat()
    done = Effect("branched:1", "do", "", "done", 1, None, None, ProcessMark("here", 1, ""), stamp, stamp)
    found = with_effects(comparison, [done])
    assert [[e.key for e in step.effects] for step in found.way_to_other][-1] == ["branched:1"]
    assert not any(step.effects for step in found.way_to_one)
