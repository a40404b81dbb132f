"""The footer: whole keys only, and those that matter most."""

from __future__ import annotations

import pytest
from textual.widgets._footer import FooterKey

from agent_lab_tui.tui.widgets.key_line import KeyLine, fitting


def key(action: str, words: str, *, is_disabled: bool = False) -> FooterKey:
    return FooterKey("k", "k", words, action, disabled=is_disabled)


def actions(keys) -> list[str]:
    return [one.action for one in keys]


def test_what_matters_least_gives_way_and_help_and_quit_stay() -> None:
    keys = [key("approve", "Approve"), key("next", "Next"), key("filter", "Filter"), key("leave", "Quit")]
    assert actions(fitting(keys, 100)) == ["approve", "next", "filter", "leave"]
    assert actions(fitting(keys, 25)) == ["approve", "next", "leave"]
    assert actions(fitting(keys, 16)) == ["approve", "leave"]
    assert actions(fitting(keys, 8)) == ["leave"]


def test_a_key_that_can_be_used_stays_before_one_that_cannot() -> None:
    keys = [key("explain", "Explain", is_disabled=True), key("next", "Next"), key("leave", "Quit")]
    assert actions(fitting(keys, 15)) == ["next", "leave"]


@pytest.mark.parametrize("width", [40, 60, 80])
async def test_no_key_is_cut_and_help_and_quit_always_stand_there(case, at, width) -> None:
    async with at(case("02", "builder"), (width, 24)) as hand:
        await hand.open("launch-1")
        await hand.until_seen("q Quit")
        foot = hand.desk.query_one(KeyLine)
        assert all(one.region in foot.region for one in foot.query(FooterKey))
        assert "? Help" in hand.seen()


async def test_the_footer_says_how_filtering_ends(case, at) -> None:
    async with at(case("02", "builder")) as hand:
        await hand.open("launch-1")
        await hand.press("slash")
        await hand.until_seen("Enter Keep the filter Esc Show all")
        assert "q Quit" not in hand.seen()
        assert "/ Filter" not in hand.seen()
        await hand.press("escape")
        await hand.until_seen("q Quit")
