"""Fork and replay: planned first, shown in full, then ordered like any decision."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from agent_lab_tui.graph.deciding.confirming import Confirmation
from agent_lab_tui.graph.travelling.forking import ForkPlan, ForkRequest, NeedsNode
from agent_lab_tui.store.values import to_json

from ..paper.json_text import editable
from ..paper.rows import Row
from ..screens.editing import JsonDialog, RowsDialog
from ..screens.typing import AskDialog, ConfirmDialog, TextDialog
from ..travel_lines import LABEL, Line, plan_lines, preview_lines
from ..typed_json import parse
from ..visible import visible
from .boundary import said

if TYPE_CHECKING:
    from agent_lab_tui.graph.reading.reader import Thread
    from agent_lab_tui.graph.travelling.timeline import Checkpoint

    from ..screens.desk_state import DeskState


async def fork(screen: DeskState, checkpoint: Checkpoint, *, is_new: bool) -> None:
    """Fork from a checkpoint, with its state edited; into a new thread if wanted."""
    if screen.shown is None:
        return
    thread, into = screen.shown.thread, None
    if is_new:
        typed = await screen.app.push_screen_wait(
            TextDialog(
                f"Fork step {checkpoint.step} into a new thread",
                "goes on",
                label="Id of the new thread",
                text=f"{thread.thread_id}-fork",
                empty="A new thread needs an id.",
            )
        )
        if typed is None or not typed.is_done:
            return
        into = typed.text.strip()
    values = to_json(
        (await asyncio.to_thread(screen.desk.thread, thread.thread_id, checkpoint.checkpoint_id)).values
    )
    plan = await _planned(screen, thread, checkpoint, values, into)
    if plan is None:
        return
    words = await _agreed(screen, plan)
    if words is None:
        return
    is_run = await _runs_on(screen, plan)
    if is_run is None:
        return
    agreed = replace(plan, request=replace(plan.request, is_run=is_run))
    screen.sending.send(
        thread.thread_id,
        lambda again: screen.desk.record(screen.desk.travelling.fork(thread, agreed, words, again=again)),
    )


async def _planned(
    screen: DeskState, thread: Thread, checkpoint: Checkpoint, values: Any, into: str | None
) -> ForkPlan | None:
    """Let the state be edited until a fork can be made of it."""
    text, error = editable(values), ""
    while True:
        typed = await screen.app.push_screen_wait(
            JsonDialog(
                f"State at step {checkpoint.step}: change what the fork shall begin with",
                text,
                error,
                original=editable(values),
            )
        )
        if typed is None or not typed.is_done:
            return None
        text, edit = typed.text, parse(typed.text)
        if not isinstance(edit, dict) or not isinstance(values, dict):
            error = "The state is an object of keys: it must stay one."
            continue
        changed = {key: value for key, value in edit.items() if key not in values or values[key] != value}
        if missing := [key for key in values if key not in edit]:
            error = f"A key cannot be taken away ({', '.join(missing)}): set it to null instead."
            continue
        try:
            return await _plan(screen, thread, ForkRequest(checkpoint.checkpoint_id, changed, into=into))
        except Exception as caught:  # noqa: BLE001 - the boundary: what nobody foresaw is raised again
            error = said(caught, screen.desk)


async def _plan(screen: DeskState, thread: Thread, request: ForkRequest) -> ForkPlan:
    """Plan a fork; where several nodes ran last, have one chosen to which the edit is put down."""
    try:
        return await asyncio.to_thread(screen.desk.travelling.plan_fork, thread, request)
    except NeedsNode as needs:
        nodes = [node for node in needs.nodes if not node.startswith("__")][:9]
        keys = [(str(number), visible(node)) for number, node in enumerate(nodes, 1)]
        sentence = (
            "Several nodes ran last. Which one is taken to have made the edit? What follows it runs next."
        )
        chosen = await screen.app.push_screen_wait(AskDialog("Fork", sentence, keys))
        if chosen is None:
            raise
        named = replace(request, as_node=nodes[int(chosen) - 1])
    return await asyncio.to_thread(screen.desk.travelling.plan_fork, thread, named)


async def _agreed(screen: DeskState, plan: ForkPlan) -> str | None:
    """Show the plan; where it approves something unasked, have the words for that typed."""
    rows = [_row(line) for line in plan_lines(plan)]
    if not await screen.app.push_screen_wait(RowsDialog("Fork", rows, "goes on")):
        return None
    if not plan.confirmation:
        return ""
    asked = Confirmation("type", expected=plan.confirmation)
    sentence = f"This fork approves what nobody was asked for ({plan.risk} risk)."
    dialog = ConfirmDialog("Approve by a fork", sentence, asked, lead="To go on, type these words:")
    is_met = await screen.app.push_screen_wait(dialog)
    return plan.confirmation if is_met else None


async def _runs_on(screen: DeskState, plan: ForkPlan) -> bool | None:
    """Ask whether the fork runs on at once; None when it is not to be made."""
    if not plan.next:
        return False
    chosen = await screen.app.push_screen_wait(
        AskDialog(
            "Fork",
            f"It will stand before {', '.join(plan.next)}.",
            (("s", "stands there until you let it go on"), ("r", "runs on at once")),
        )
    )
    return None if chosen is None else chosen == "r"


async def replay(screen: DeskState, checkpoint: Checkpoint, *, is_one_step: bool = False) -> None:
    """Show what a replay would run, ask and do again; typing `replay` orders it."""
    if screen.shown is None:
        return
    thread = screen.shown.thread
    travelling = screen.desk.travelling
    shown = await asyncio.to_thread(travelling.preview_replay, thread.thread_id, checkpoint.checkpoint_id)
    rows = [_row(line) for line in preview_lines(shown)]
    if shown.is_empty:
        await screen.app.push_screen_wait(RowsDialog("Nothing to replay", rows, "goes back"))
        return
    if not await screen.app.push_screen_wait(RowsDialog("Replay", rows, "goes on")):
        return
    asked = Confirmation("type", expected="replay")
    runs = f"Only one step runs again: {', '.join(shown.step)}." if is_one_step else "It runs again for real."
    dialog = ConfirmDialog("Replay", visible(runs), asked, lead="To go on, type this word:")
    if await screen.app.push_screen_wait(dialog):
        screen.sending.send(
            thread.thread_id,
            lambda again: screen.desk.record(
                travelling.replay(thread, shown, is_one_step=is_one_step, again=again)
            ),
        )


def _row(line: Line) -> Row:
    return Row(((line.text, line.ink),), ((line.label, "label"),), LABEL)
