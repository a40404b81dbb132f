"""Why a key of the desk does nothing now, in one short sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..widgets.work import Work
from .bindings import DECIDING, DESK, ROADS, YES

if TYPE_CHECKING:
    from textual.binding import Binding

    from agent_lab_tui.graph.reading.reader import Thread

    from ..drafts import Item
    from .desk_state import DeskState

LAB = "page('lab')"
NOTHING: dict[str, str] = {
    "send": "Nothing to send: s is for some decided questions of several.",
    "withdraw": "Nothing to withdraw: no decision waits to start.",
    "choose_graph": "Nothing to choose: at most one loaded graph fits this thread.",
    "halted": "Nothing is halted in the lab.",
    "open_failed": "Nothing to open: no decision failed, and each has its outcome.",
    LAB: "This thread belongs to no task of the lab.",
}
"""What is said where an action has nothing to act on."""
WORDS: dict[str, str] = {
    "edit_outside": "edit",
    "go_on": "going on",
    "ask_again": "asking again",
    "skip": "stepping over",
    "abandon": "ending",
}


def why_not(screen: DeskState, action: str) -> str:
    """Say why an action that is not offered does nothing; empty where it needs no word."""
    if action in DECIDING:
        return why_not_decided(screen, action)
    if action in ROADS:
        return _why_no_road(screen, action)
    return NOTHING.get(action, "")


def why_closed(screen: DeskState) -> str:
    """Say why nothing at all can be decided at this desk; empty where it can."""
    if screen.desk.is_readonly:
        return "Nothing can be decided: the desk is read-only."
    return "" if screen.can_decide else "Nothing can be decided: no graph is loaded."


def why_not_decided(screen: DeskState, action: str) -> str:
    """Say why an operation cannot be decided so; empty while the request is being drawn."""
    item = screen.item
    if item is None:
        return _why_nothing_is_asked(screen)
    if why := why_closed(screen):
        return why
    if screen.is_sending:
        return "A decision is being recorded: press it again when that is done."
    if not _is_offered(item, action):
        offered = ", ".join((*item.operation.allowed, "v answer"))
        return f"Not offered for this operation: {WORDS.get(action, action)}. It takes {offered}."
    page = screen.query_one(Work).page
    if page in ("state", "log") or (page != "request" and not screen.has_class("-wide")):
        return "Esc goes back to the request first."
    left = screen.query_one(Work).request.unread if action in YES else 0
    return f"{left:,} line{'' if left == 1 else 's'} not read: Space reads on." if left > 0 else ""


def _is_offered(item: Item, action: str) -> bool:
    kind = "edit" if action == "edit_outside" else action
    return kind == "answer" or kind in item.operation.allowed


def _why_nothing_is_asked(screen: DeskState) -> str:
    shown = screen.shown
    if shown is None:
        return "No thread is open."
    if shown.items:
        return "This question has its answer already: nothing is left to decide."
    return f"Nothing is asked here: the thread is {shown.thread.situation.value}."


def _why_no_road(screen: DeskState, action: str) -> str:
    if screen.shown is None:
        return "No thread is open."
    if why := why_closed(screen):
        return why
    thread = screen.shown.thread
    if is_offered(action, thread):
        return ""
    if thread.situation in ROADS[action]:
        return "Several nodes are next: only a breakpoint before a single one can be stepped over."
    meant = " or ".join(one.value for one in ROADS[action])
    stands = thread.situation.value
    return f"Not offered here: {WORDS[action]} is for a thread that is {meant}; this one is {stands}."


def is_offered(action: str, thread: Thread) -> bool:
    """Whether a way on leads on from where a thread stands; one node can be stepped over, not several."""
    if thread.situation not in ROADS[action]:
        return False
    return action != "skip" or len(set(thread.next)) == 1


def actions_by_key() -> dict[str, str]:
    """Return the actions of the desk by the keys that start them."""
    bindings: list[Binding] = [one for one in DESK if not isinstance(one, tuple)]
    return {key: one.action for one in bindings for key in one.key.split(",")}
