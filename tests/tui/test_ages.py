"""How old a thread is, and when that is written again."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from textual.app import App, ComposeResult

from agent_lab_tui.graph.reading.situation import Situation
from agent_lab_tui.graph.reading.threads import ThreadLine
from agent_lab_tui.tui.ages import age
from agent_lab_tui.tui.widgets import thread_list
from agent_lab_tui.tui.widgets.thread_list import TICK, ThreadList

NOW = 1_700_000_000.0


class OneList(App[None]):
    """The smallest app with a list of threads."""

    def compose(self) -> ComposeResult:
        """Lay out the list alone."""
        yield ThreadList(id="threads")


def line(name: str, seconds: float) -> ThreadLine:
    return ThreadLine(name, Situation.WAITING, "send", 1, None, 1, f"checkpoint of {name}", NOW - seconds)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0, "0s"), (59, "59s"), (60, "1m"), (3_600, "1h"), (86_400, "1d"), (8 * 86_400, "1w")],
)
def test_an_age_is_said_in_its_largest_unit(seconds: float, said: str) -> None:
    assert age(NOW - seconds, NOW) == said


async def test_only_the_lines_whose_age_reads_otherwise_are_drawn_again(monkeypatch) -> None:
    """An idle desk writes nothing to the terminal as long as nothing on it has changed."""
    clock = SimpleNamespace(time=lambda: NOW)
    monkeypatch.setattr(thread_list, "time", clock)
    async with OneList().run_test(size=(60, 10)) as pilot:
        listed = pilot.app.query_one(ThreadList)
        listed.rows = (line("young", 5), line("old", 7_500), line("older", 90_000))
        await pilot.pause()
        drawn: list[int] = []
        monkeypatch.setattr(listed, "refresh_line", drawn.append)
        clock.time = lambda: NOW + TICK
        listed._tell_ages()
        assert drawn == [0]
        clock.time = lambda: NOW + 3_600
        listed._tell_ages()
        assert drawn == [0, 0, 1]
