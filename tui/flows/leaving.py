"""Leave the desk: nothing that runs is dropped without a word."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from rich.text import Text

from ..screens.typing import AskDialog
from ..visible import visible

if TYPE_CHECKING:
    from agent_lab_tui.graph.desk import Desk

    from ..screens.desk_state import DeskState

LOOK = 0.2
"""Seconds between two looks at whether runs have ended."""


async def leave(screen: DeskState) -> None:
    """End the app; with runs going on, ask whether to wait, to stop them, or to leave them recorded."""
    running = screen.desk.running
    if not running:
        screen.app.exit()
        return
    names = ", ".join(visible(thread_id) for thread_id in running[:5])
    chosen = await screen.app.push_screen_wait(
        AskDialog(
            "Leave the desk",
            f"{len(running)} still on their way: {names}.",
            (
                ("w", "waits for them"),
                ("s", "stops after the step in hand"),
                ("l", "leaves what has not started recorded"),
            ),
        )
    )
    if chosen is None:
        return
    if chosen == "s":
        await asyncio.to_thread(screen.desk.stop_after_step)
    if chosen in ("w", "s"):
        screen.note(f"Leaving when {len(running)} have ended …", "accent")
        await asyncio.to_thread(_wait, screen.desk)
    screen.app.exit(message=farewell(screen.desk.running))


def _wait(desk: Desk) -> None:
    """Wait until nothing runs any more."""
    while desk.running:
        time.sleep(LOOK)


def farewell(running: tuple[str, ...]) -> Text | None:
    """Write one line for each decision that is still open, for the shell."""
    if not running:
        return None
    return Text(
        "\n".join(
            f"{visible(thread_id)}: recorded, not finished; see `agent-lab-tui list`" for thread_id in running
        )
    )
