"""Threads of every shape, opened and decided on the screen."""

from __future__ import annotations

from pathlib import Path

import pytest

DECIDED = {
    "linear-approval": ("true", "published", "status"),
    "dict-approved": ('{"approved": true}', "refunded 120", "outcome"),
    "string-yes": ('"yes"', True, "applied"),
    "async-only": ("true", "<html>https://example.com/a</html>", "body"),
    "pydantic-state": ('{"close": true, "note": "done"}', "closed", "status"),
}
"""By thread: the JSON typed as its answer, what its state then holds, and under which key."""


@pytest.mark.slow
async def test_every_thread_of_the_zoo_opens_without_an_error(
    zoo_db: Path, zoo_expected, desk_of, at
) -> None:
    async with at(desk_of(zoo_db)) as hand:
        await hand.until_seen("33 threads")
        for row in list(hand.desk.arrivals.threads.sorted):
            await hand.open(row.thread_id)
            asked = zoo_expected[row.thread_id]["interrupts"]
            assert [one.id for one in hand.desk.shown.thread.questions] == [one["id"] for one in asked]
            hand.desk.query_one("ThreadList").focus()


@pytest.mark.slow
@pytest.mark.parametrize("thread_id", DECIDED)
async def test_questions_of_the_zoo_are_answered_by_typing(
    zoo_db: Path, shared: Path, desk_of, at, thread_id: str
) -> None:
    typed, wanted, key = DECIDED[thread_id]
    desk = desk_of(zoo_db, str(shared / "zoo" / "langgraph.json"))
    async with at(desk) as hand:
        await hand.until_seen("33 threads")
        await hand.open(thread_id)
        await hand.press("space", "space", "v")
        await hand.until_seen("Answer ")
        hand.app.screen.query_one("#typed").value = typed
        await hand.press("enter")
        await hand.until(lambda: desk.thread(thread_id).values.get(key) == wanted)
    (decision,) = desk.journal.of_thread(thread_id)
    assert decision.state == "applied"
