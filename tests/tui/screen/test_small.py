"""A screen that is too small for comfort: what is typed stays in sight."""

from __future__ import annotations

import pytest

SETTINGS = '[answers."graph:gate"]\napprove = "approve"\nreject = "reject: {reason}"\n'


@pytest.mark.parametrize("key", ["r", "v"])
async def test_the_line_to_type_on_stays_in_sight_when_the_window_shrinks(case, at, key) -> None:
    async with at(case("04", "builder", settings=SETTINGS)) as hand:
        await hand.open("pay-881")
        await hand.press("space", "space", key)
        await hand.until(lambda: hand.app.screen.query("#typed"))
        for size in ((40, 10), (20, 5), (80, 24), (20, 5)):
            await hand.pilot.resize_terminal(*size)
            await hand.pilot.pause()
            typed = hand.app.screen.query_one("#typed")
            shown = hand.app.screen.region.intersection(typed.region)
            assert shown.area == typed.region.area > 0
        await hand.type("xyzzy")
        await hand.until_seen("xyzzy")
        await hand.press("escape")
        assert hand.app.screen is hand.desk


async def test_an_editor_opens_on_the_smallest_screen(case, at) -> None:
    async with at(case("06", "graph")) as hand:
        await hand.open("idx-1")
        await hand.press("space", "space", "e")
        await hand.until(lambda: hand.app.screen.query("#json"))
        await hand.pilot.resize_terminal(20, 5)
        await hand.pilot.pause()
        assert "{" in hand.seen()
