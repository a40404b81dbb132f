"""A hand at the keys of a real desk: real files, real graphs, the screen without a terminal."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from agent_lab_tui.graph.desk import Desk
from agent_lab_tui.graph.settings.file import load
from agent_lab_tui.tui.app import DeskApp
from agent_lab_tui.tui.screens.desk import DeskScreen
from agent_lab_tui.tui.widgets.thread_list import ThreadList

PATIENCE = 30.0
"""Seconds after which something that was waited for is missing."""


class Clock:
    """Time as the desk's keys see it; it stands still unless somebody waits."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Hand:
    """Presses keys like a person, and looks at the screen."""

    def __init__(self, app: DeskApp, pilot: Pilot[None], clock: Clock) -> None:
        self.app, self.pilot, self.clock = app, pilot, clock

    @property
    def desk(self) -> DeskScreen:
        """The desk's screen, behind whatever dialog is open."""
        return next(screen for screen in self.app.screen_stack if isinstance(screen, DeskScreen))

    async def press(self, *keys: str, pause: float = 1.5) -> None:
        """Press keys one after another, each after a pause that is long enough to count."""
        for key in keys:
            self.clock.now += pause
            await self.pilot.press(key)

    async def type(self, text: str) -> None:
        """Type a text."""
        for char in text:
            self.clock.now += 0.2
            await self.pilot.press({" ": "space"}.get(char, char))

    def seen(self) -> str:
        """The text on the screen."""
        strips = self.app.screen._compositor.render_strips()
        return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips)

    async def until(self, condition: Callable[[], Any]) -> None:
        """Wait until something is so; the clock goes on meanwhile."""
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, f"it never came to be:\n{self.seen()}"
            self.clock.now += 0.1
            await self.pilot.pause(0.05)

    async def until_seen(self, text: str) -> None:
        """Wait until a text is on the screen."""
        await self.until(lambda: text in self.seen())

    async def open(self, thread_id: str) -> None:
        """Bring a thread's request in front, ready to be decided; the cursor goes there as by a click."""
        await self.until(lambda: thread_id in self.desk.arrivals.threads.by_id)
        await self.until(lambda: self._is_in_front(thread_id))
        await self.until(lambda: self.desk.painted is not None and self._is_graph_known())
        await self.until(lambda: self.desk.query_one("#request").unread >= 0)  # type: ignore[attr-defined]

    def _is_in_front(self, thread_id: str) -> bool:
        """Whether a thread's request is in front; go there until it is, for the list may be sorted anew."""
        desk = self.desk
        if desk.wanted != thread_id:
            listed = desk.query_one(ThreadList)
            listed.cursor = next(i for i, row in enumerate(listed.rows) if row.thread_id == thread_id)
            desk.open_request(thread_id)
        return desk.shown is not None and desk.shown.thread.thread_id == thread_id

    def _is_graph_known(self) -> bool:
        """Whether the request in front was read again with the loaded graph."""
        shown = self.desk.shown
        return not self.desk.desk.projects or bool(
            self.desk.desk.facts
            and shown
            and not any(
                "no graph is loaded" in line for sends in shown.sends.values() for line in sends.impact
            )
        )


OpenDesk = Callable[..., AbstractAsyncContextManager[Hand]]


@pytest.fixture
def desk_of(tmp_path: Path) -> Iterator[Callable[..., Desk]]:
    """Open desks on databases; all of them are closed in the end."""
    opened: list[Desk] = []

    def make(
        db: Path, *graphs: str, settings: str = "", operator: str = "ann", readonly: bool = False
    ) -> Desk:
        file = None
        if settings:
            file = tmp_path / "agent-lab.toml"
            file.write_text(settings, "utf-8")
        desk = Desk.open(
            load(file), db=str(db), graphs=graphs, operator=operator, os_user=operator, is_readonly=readonly
        )
        opened.append(desk)
        return desk

    yield make
    for desk in opened:
        desk.close()


@pytest.fixture
def at() -> OpenDesk:
    """Sit down at a desk."""

    @asynccontextmanager
    async def sit(desk: Desk, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Hand]:
        clock = Clock()
        app = DeskApp(desk, clock)
        async with app.run_test(size=size) as pilot:
            hand = Hand(app, pilot, clock)
            await hand.until(lambda: any(isinstance(screen, DeskScreen) for screen in app.screen_stack))
            yield hand

    return sit


@pytest.fixture
def case(make_case: Callable[[str], Path], shared: Path, desk_of: Callable[..., Desk]) -> Callable[..., Desk]:
    """Open the desk of a real-world case; with its graph where something is to be run."""

    def make(number: str, graph: str | None = None, **options: Any) -> Desk:
        (folder,) = shared.glob(f"cases/{number}-*")
        graphs = [f"{folder / 'graph.py'}:{graph}"] if graph else []
        return desk_of(make_case(number), *graphs, **options)

    return make
