"""Go to a checkpoint by a word, into a subgraph, and close a question that was left behind."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

from agent_lab_tui.graph.deciding.telling import told
from agent_lab_tui.graph.reading.threads import NotFound
from agent_lab_tui.store.journal.book import QuestionTaken
from agent_lab_tui.store.values import to_json

from ..screens.inside import Inside
from ..screens.typing import AskDialog, TextDialog
from ..visible import visible

if TYPE_CHECKING:
    from agent_lab_tui.graph.travelling.timeline import Checkpoint

    from ..screens.desk_state import DeskState

WORDS = "head, question, lost, a step, the beginning of an id or of a state key that was written"


async def seek(screen: DeskState, checkpoint: Checkpoint) -> None:
    """Ask for a word and go to the checkpoint that it means; the same word again goes to an older one."""
    if screen.shown is None:
        return
    thread_id = screen.shown.thread.thread_id
    typed = await screen.app.push_screen_wait(
        TextDialog(
            "Find a checkpoint",
            "goes there",
            label="Checkpoint",
            text=screen.past.sought,
            empty=f"Type one of: {WORDS}.",
            note=WORDS,
        )
    )
    if typed is None or not typed.is_done:
        return
    screen.past.sought = typed.text.strip()
    try:
        found = await asyncio.to_thread(
            screen.desk.travelling.seek, thread_id, screen.past.sought, checkpoint.checkpoint_id
        )
    except NotFound as error:
        screen.note(visible(str(error)), "warning")
        return
    screen.past.read_to(thread_id, found)


async def go_inside(screen: DeskState, checkpoint: Checkpoint) -> None:
    """Show the checkpoints of a subgraph that ran in the step of a checkpoint."""
    if screen.shown is None:
        return
    thread_id, past = screen.shown.thread.thread_id, screen.desk.travelling.past
    opened = await asyncio.to_thread(past.opened, thread_id, checkpoint.checkpoint_id)
    found = opened.subgraphs
    if not found:
        screen.note("No subgraph kept checkpoints of its own in this step.")
        return
    namespace: str | None = found[0][1]
    if len(found) > 1:
        keys = [(str(number), visible(node)) for number, (node, _) in enumerate(found[:9], 1)]
        chosen = await screen.app.push_screen_wait(AskDialog("Go inside", "Which one?", keys))
        namespace = found[int(chosen) - 1][1] if chosen else None
    if namespace is not None:
        await screen.app.push_screen(Inside(past, thread_id, namespace))


async def copy_id(screen: DeskState, checkpoint: Checkpoint) -> None:
    """Copy the id of a checkpoint."""
    screen.app.copy_to_clipboard(checkpoint.checkpoint_id)
    screen.note("The checkpoint's id is on the clipboard.")


async def copy_state(screen: DeskState, checkpoint: Checkpoint) -> None:
    """Copy the state at a checkpoint as JSON."""
    if screen.shown is None:
        return
    past = screen.desk.travelling.past
    opened = await asyncio.to_thread(past.opened, screen.shown.thread.thread_id, checkpoint.checkpoint_id)
    screen.app.copy_to_clipboard(json.dumps(to_json(opened.values), indent=2))
    screen.note("The state is on the clipboard, as JSON.")


async def close(screen: DeskState, checkpoint: Checkpoint) -> None:
    """Ask for a reason and close a question that was left behind."""
    if screen.shown is None:
        return
    thread_id = screen.shown.thread.thread_id
    typed = await screen.app.push_screen_wait(
        TextDialog(
            f"Close the question left behind at step {checkpoint.step}",
            "closes it",
            label="Reason",
            text="",
            empty="Closing a question needs a reason: it is kept in the journal.",
        )
    )
    if typed is None or not typed.is_done:
        return
    try:
        await asyncio.to_thread(
            screen.desk.travelling.close, thread_id, checkpoint.checkpoint_id, typed.text.strip()
        )
    except QuestionTaken as taken:
        screen.note(visible(f"{told(taken.decision)}."), "warning")
    else:
        screen.note("The question is closed; the thread was not touched.")
        screen.past.read_to(thread_id, checkpoint.checkpoint_id)
