"""The past on the screen: looked at, compared, forked, replayed, with keys alone."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent_lab_tui.graph.desk import Desk
from agent_lab_tui.graph.reading.situation import Situation


@pytest.fixture
def zoo(zoo_db: Path, shared: Path, desk_of: Callable[..., Desk]) -> Callable[..., Desk]:
    """Open the desk of the zoo, with one of its graphs or none."""

    def make(module: str | None = None, **options: Any) -> Desk:
        graphs = (f"{shared}/zoo/{module}.py:make_graph",) if module else ()
        return desk_of(zoo_db, *graphs, **options)

    return make


async def history_of(hand: Any, thread_id: str) -> Any:
    """Open a thread's history and wait for its checkpoints."""
    await hand.open(thread_id)
    await hand.press("h")
    listed = hand.desk.query_one("#tree")
    await hand.until(lambda: listed.rows)
    return listed


async def test_the_tree_stands_above_what_the_checkpoint_changed(zoo, at) -> None:
    async with at(zoo()) as hand:
        await history_of(hand, "branched")
        await hand.until_seen("step 1 → step 2")
        seen = hand.seen()
        assert "├─┴─╯" in seen
        assert "← head" in seen
        assert '"plan A"  →  "plan B"' in seen


async def test_any_two_checkpoints_are_compared(zoo, at) -> None:
    async with at(zoo()) as hand:
        await history_of(hand, "branched")
        await hand.press("c", "down")
        await hand.until_seen("step 3 → step 2")
        await hand.until_seen("answer")


async def test_a_checkpoint_is_found_by_a_word_and_the_word_goes_on_to_older_ones(zoo, at) -> None:
    async with at(zoo()) as hand:
        listed = await history_of(hand, "branched")
        await hand.press("slash")
        await hand.until_seen("Find a checkpoint")
        await hand.type("answ")
        await hand.press("enter")
        await hand.until(lambda: listed.current.checkpoint.step == 3)
        await hand.press("slash", "enter")
        await hand.until(lambda: listed.current.checkpoint.step == 2)
        assert listed.current.checkpoint.ran == ("ask",)
        await hand.press("slash")
        await hand.until_seen("answ")
        await hand.press(*["backspace"] * 4)
        await hand.type("nothing")
        await hand.press("enter")
        await hand.until_seen("is called 'nothing'")


async def test_a_step_far_down_a_long_history_is_reached(zoo, at) -> None:
    async with at(zoo()) as hand:
        listed = await history_of(hand, "deep-history")
        assert len(listed.rows) == 100
        await hand.press("slash")
        await hand.until_seen("Find a checkpoint")
        await hand.type("7")
        await hand.press("enter")
        await hand.until(lambda: listed.current.checkpoint.step == 7)
        assert len(listed.rows) == 302


async def test_a_subgraph_is_looked_into_down_to_its_leaf(zoo, at) -> None:
    async with at(zoo()) as hand:
        await history_of(hand, "nested-subgraph")
        await hand.press("i")
        await hand.until_seen("Inside release of nested-subgraph")
        await hand.until_seen("build")
        await hand.press("i")
        await hand.until_seen("Inside release > sign of nested-subgraph")
        await hand.until_seen("asks: ask_key")
        await hand.press("enter")
        await hand.until_seen("State at step 1")
        await hand.press("escape", "escape", "escape")
        await hand.until(lambda: hand.app.screen is hand.desk)


async def test_a_state_of_the_past_is_read_by_key_and_copied(zoo, at) -> None:
    async with at(zoo()) as hand:
        listed = await history_of(hand, "huge-state")
        await hand.press("enter")
        await hand.until_seen("State of huge-state at step 2")
        seen = hand.seen()
        assert "list, 5,000 items" in seen
        assert "text, 1,048,576 characters" in seen
        await hand.press("enter")
        await hand.until_seen("lines not read")
        await hand.press("escape", "Y")
        await hand.until_seen("on the clipboard")
        assert json.loads(hand.app.clipboard)["rows"]
        await hand.press("escape", "y")
        await hand.until(lambda: hand.app.clipboard == listed.current.checkpoint.checkpoint_id)


async def test_two_branches_show_what_was_decided_on_each(zoo, at) -> None:
    async with at(zoo()) as hand:
        await history_of(hand, "branched")
        await hand.press("down", "c", "down", "down")
        await hand.until_seen("step 3 → step 3")
        await hand.until_seen("On the way to step 3")
        await hand.until_seen('ask was answered "yes"')


async def test_a_question_left_behind_is_closed_with_a_reason(zoo, at) -> None:
    desk = zoo()
    async with at(desk) as hand:
        await history_of(hand, "edited-not-asked")
        assert "Close" not in hand.seen()
        await hand.press("down")
        await hand.until_seen("Close")
        await hand.press("z")
        await hand.until_seen("Close the question left behind at step 1")
        await hand.type("old plan")
        await hand.press("enter")
        await hand.until(lambda: desk.travelling.lost("edited-not-asked") == ())
    (decision,) = desk.journal.of_thread("edited-not-asked")
    assert (decision.state, decision.order.note) == ("applied", "old plan")


async def test_a_finished_thread_is_replayed_after_its_preview(case, at, tmp_path: Path) -> None:
    desk = case("09", "builder")
    async with at(desk) as hand:
        listed = await history_of(hand, "P-12")
        await hand.until(lambda: desk.facts)
        await hand.press("down", "down", "down")
        assert listed.current.checkpoint.step == 0
        await hand.press("p")
        await hand.until_seen("reserve; then, if it goes the same way, gate, ship")
        assert '"yes"' in hand.seen()
        await hand.press("enter")
        await hand.until_seen("It runs again for real")
        await hand.type("repl")
        await hand.press("enter")
        await hand.until_seen("That is not the value above")
        await hand.type("ay")
        await hand.press("enter")
        await hand.until(lambda: desk.lines_of(["P-12"])[0].situation is Situation.WAITING)
    log = (tmp_path / "effects.log").read_text("utf-8")
    assert log.count("reserve stock") == 2


async def test_a_state_is_edited_forked_and_run_on(case, at) -> None:
    desk = case("10", "builder")
    async with at(desk) as hand:
        await history_of(hand, "patch-1")
        await hand.until(lambda: desk.facts)
        await hand.press("f")
        await hand.until_seen("State at step 1")
        area = hand.app.screen.query_one("#json")
        state = json.loads(area.text)
        state["targets"] = ["host-b"]
        area.text = json.dumps({**state, "budgett": 1})
        await hand.press("ctrl+s")
        await hand.until_seen("budgett is no key of the state")
        hand.app.screen.query_one("#json").text = json.dumps(state)
        await hand.press("ctrl+s")
        await hand.until(lambda: re.search(r"Next +gate", hand.seen()))
        assert "targets[0]" in hand.seen()
        await hand.press("enter")
        await hand.until_seen("It will stand before gate")
        await hand.press("r")
        await hand.until(
            lambda: (
                [q.value["arguments"]["targets"] for q in desk.thread("patch-1").questions] == [["host-b"]]
            )
        )


async def test_a_fork_into_a_new_thread_leaves_the_old_one_as_it_is(case, at) -> None:
    desk = case("10", "builder")
    before = desk.thread("patch-1").digest
    async with at(desk) as hand:
        await history_of(hand, "patch-1")
        await hand.until(lambda: desk.facts)
        await hand.press("F")
        await hand.until_seen("patch-1-fork")
        await hand.press("enter")
        await hand.until_seen("State at step 1")
        await hand.press("ctrl+s")
        await hand.until_seen("into the new thread patch-1-fork")
        await hand.press("enter")
        await hand.until_seen("It will stand before gate")
        await hand.press("s")
        await hand.until(lambda: "patch-1-fork" in {line.thread_id for line in desk.lines()})
        await hand.until(lambda: not desk.journal.open())
    assert desk.thread("patch-1-fork").questions[0].value == desk.thread("patch-1").questions[0].value
    assert desk.thread("patch-1").digest == before


async def test_nothing_is_forked_or_replayed_at_a_read_only_desk(zoo, at) -> None:
    desk = zoo(readonly=True)
    async with at(desk) as hand:
        await history_of(hand, "branched")
        for key in ("f", "F", "p", "P"):
            await hand.press(key)
            await hand.until_seen("Nothing can be run")
    assert not desk.journal.path.exists()
