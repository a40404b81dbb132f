"""The second net: what a widget forgets, the terminal never gets."""

from __future__ import annotations

import unicodedata

import pytest
from textual.app import App, ComposeResult
from textual.content import Content
from textual.filter import LineFilter
from textual.widgets import DataTable, Input, Label, OptionList, RichLog, Static, TextArea

from agent_lab_tui.tui.net import HARMFUL, Net

EVIL = "a\x1b[2Jb\x9bc\u202ed\u200be\x07f\u2028g\ue000h"


class Careless(App[None]):
    """Shows a foreign text raw in every widget that lets it through."""

    def __init__(self) -> None:
        super().__init__()
        self.title = EVIL

    def get_line_filters(self) -> list[LineFilter]:
        return [*super().get_line_filters(), Net()]

    def compose(self) -> ComposeResult:
        yield Static(Content(EVIL))
        yield Label(Content(EVIL))
        yield Input(EVIL)
        yield TextArea(EVIL)
        yield OptionList(Content(EVIL))
        yield RichLog()
        yield DataTable()

    def on_mount(self) -> None:
        self.query_one(RichLog).write(EVIL)
        table = self.query_one(DataTable)
        table.add_column(EVIL)
        table.add_row(EVIL)
        self.notify(EVIL, markup=False)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
async def test_no_widget_lets_a_harmful_character_through() -> None:
    async with Careless().run_test(size=(80, 60)) as pilot:
        await pilot.pause()
        strips = pilot.app.screen._compositor.render_strips()
        texts = "".join(segment.text for strip in strips for segment in strip if not segment.control)
        assert not [char for char in texts if unicodedata.category(char) in HARMFUL]
        assert "\ufffd" in texts


async def test_the_desk_carries_the_net(desk_of, zoo_db) -> None:
    from agent_lab_tui.tui.app import DeskApp

    app = DeskApp(desk_of(zoo_db))
    assert any(isinstance(one, Net) for one in app.get_line_filters())
