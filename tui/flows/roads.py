"""The ways on that are no answer: go on, ask again, step over, end a thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent_lab_tui.graph.reading.situation import Situation
from agent_lab_tui.store.journal.book import Decision

from ..screens.typing import TextDialog
from .sending import Order

if TYPE_CHECKING:
    from agent_lab_tui.graph.reading.reader import Thread

    from ..screens.desk_state import DeskState
    from ..shown import Shown


def withdrawable(shown: Shown | None) -> Decision | None:
    """Return the decision of the thread in front, where it has not started."""
    decision = shown.thread.decision if shown else None
    return decision if decision and decision.state == "recorded" else None


async def go_on(screen: DeskState) -> None:
    """Let a thread go on, or carry out what is recorded for it."""
    if screen.shown is None:
        return
    thread = screen.shown.thread
    decision = withdrawable(screen.shown)
    if thread.situation is Situation.DECIDED and decision is not None:
        screen.sending.send(thread.thread_id, lambda _: decision)
        return
    _order(screen, thread, lambda again: screen.desk.record(screen.desk.deciding.go_on(thread, again=again)))


async def ask_again(screen: DeskState) -> None:
    """Drop the stored answer of a stuck thread, and have the question asked anew."""
    if screen.shown is not None:
        thread = screen.shown.thread
        _order(
            screen,
            thread,
            lambda again: screen.desk.record(screen.desk.deciding.ask_again(thread, again=again)),
        )


async def skip(screen: DeskState) -> None:
    """Step over the node before which a thread stands; this counts as a yes to what comes after it."""
    if screen.shown is None:
        return
    thread = screen.shown.thread
    if screen.keys.is_second(("skip", thread.digest)):
        _order(
            screen, thread, lambda again: screen.desk.record(screen.desk.deciding.skip(thread, again=again))
        )
    else:
        screen.note_of_request("Stepping over runs what comes after: press K once more, in a second or later")


async def abandon(screen: DeskState) -> None:
    """End a thread where it stands, with a reason."""
    if screen.shown is None:
        return
    thread = screen.shown.thread
    typed = await screen.app.push_screen_wait(
        TextDialog(
            f"End {thread.thread_id}",
            "ends it for good",
            label="Reason",
            text="",
            recent=screen.drafts.recent("abandon"),
            empty="Ending a thread needs a reason.",
        )
    )
    if typed is not None and typed.is_done:
        screen.drafts.remember("abandon", typed.text)
        _order(
            screen,
            thread,
            lambda again: screen.desk.record(screen.desk.deciding.abandon(thread, typed.text, again=again)),
        )


def _order(screen: DeskState, thread: Thread, order: Order) -> None:
    screen.is_sending = True
    screen.sending.send(thread.thread_id, order)
