"""What comes while the desk is taken down is too late, and no fault."""

from __future__ import annotations

from agent_lab_tui.tui import news
from agent_lab_tui.tui.widgets.work import Work


async def test_news_that_come_while_the_desk_is_taken_down_are_passed_over(
    zoo_db, desk_of, at, monkeypatch
) -> None:
    """A screen still reads its messages while the widgets below it are gone already."""
    told = []
    async with at(desk_of(zoo_db)) as hand:
        await hand.until_seen("33 threads")
        desk, close = hand.desk, hand.app._close_all

        async def close_late() -> None:
            await desk.query("ThreadList, ContentSwitcher").remove()
            desk.query_one(Work).call_later(setattr, desk.query_one(Work), "page", "state")
            desk.post_message(news.ThreadsRead(desk.arrivals.threads, None))
            told.append(hand.app.is_running)
            await close()

        monkeypatch.setattr(hand.app, "_close_all", close_late)
    assert told == [False]
