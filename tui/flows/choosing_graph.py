"""Say which graph wrote a thread, where several of the loaded ones fit."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ..screens.typing import AskDialog
from ..visible import visible

if TYPE_CHECKING:
    from ..screens.desk_state import DeskState

MOST = 9
"""Graphs that are offered: one for each digit."""


async def choose_graph(screen: DeskState) -> None:
    """Offer the graphs that fit the thread in front; the choice holds for this session."""
    if screen.shown is None:
        return
    thread = screen.shown.thread
    names = thread.fitting[:MOST]
    keys = [(str(number), visible(name)) for number, name in enumerate(names, 1)]
    chosen = await screen.app.push_screen_wait(
        AskDialog("Choose a graph", f"Which graph wrote {thread.thread_id}?", keys)
    )
    if chosen is None:
        return
    name = names[int(chosen) - 1]
    await asyncio.to_thread(screen.desk.choose_graph, thread.thread_id, name)
    screen.note(f"{thread.thread_id} is taken to be of graph {name}, until the desk is left.")
    screen.reading.look_again([thread.thread_id])
    screen.reading.read_thread(thread.thread_id, is_opened=False)
