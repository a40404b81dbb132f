"""The keys of the desk, each declared once: footer, help page and palette derive from these lines."""

from __future__ import annotations

import re

from textual.binding import Binding, BindingType

from agent_lab_tui.graph.reading.situation import Situation


def _shown(key: str, action: str, description: str, tooltip: str, display: str | None = None) -> Binding:
    """Declare a key that the footer shows while it means something."""
    return Binding(key, action, description, key_display=display, id=_id(action), tooltip=tooltip)


def _quiet(key: str, action: str, description: str, tooltip: str = "") -> Binding:
    """Declare a key that only the help page shows."""
    return Binding(key, action, description, show=False, id=_id(action), tooltip=tooltip)


def _id(action: str) -> str:
    return "desk." + re.sub(r"\W+", "-", action.replace("(-", "-back(")).strip("-").replace("_", "-")


DESK: list[BindingType] = [
    _shown("a", "approve", "Approve", "Say yes to the operation shown, once all of it was read"),
    _shown("r", "reject", "Reject", "Say no, with a reason"),
    _shown("e", "edit", "Edit", "Change the arguments, then approve; once all of it was read"),
    _shown("v", "answer", "Answer", "Answer in a form, or with a text or JSON; once all of it was read"),
    _shown("m", "respond", "Message", "Answer the agent with a message instead of running it"),
    _shown("x", "explain", "Explain", "Ask the agent to explain, then decide"),
    _shown("s", "send", "Send", "Send the questions decided so far; the others stay open"),
    _shown("g", "go_on", "Go on", "Let a stopped or failed thread go on"),
    _shown("A", "ask_again", "Ask again", "Drop the stored answer and ask anew"),
    _shown("K", "skip", "Skip", "Step over the node before which the thread stands"),
    _shown("X", "abandon", "End", "End the thread where it stands, with a reason"),
    _shown("u", "withdraw", "Withdraw", "Take back a decision that has not started"),
    _shown("G", "choose_graph", "Graph", "Say which graph wrote the thread, where several fit"),
    _shown("n", "next", "Next", "Open the next waiting request"),
    _quiet("N", "previous", "Previous", "Open the waiting request before"),
    _shown(
        "slash",
        "filter",
        "Filter",
        "Show only threads with these words, :waiting, :failed …, or user_id=ann",
        "/",
    ),
    _shown("question_mark", "help", "Help", "All keys on one page", "?"),
    _shown("q", "leave", "Quit", "Leave the desk"),
    _quiet("escape", "back", "Back", "One step back; never decides"),
    _quiet("space", "read_on", "Read on", "Show the next page of the request"),
    _quiet("right,right_square_bracket", "operation(1)", "Next operation", "Show the next operation"),
    _quiet("left,left_square_bracket", "operation(-1)", "Operation before", "Show the operation before"),
    *(_quiet(str(number), f"operation_at({number})", f"Operation {number}") for number in range(1, 10)),
    _quiet(
        "backspace", "take_back", "Take back", "Forget what is chosen for the operation, before it is sent"
    ),
    _quiet("R", "page('request')", "Request", "Show the request"),
    _quiet("S", "page('state')", "State", "Show the thread's state"),
    _quiet("h", "page('history')", "History", "Show the thread's checkpoints"),
    _quiet("L", "page('log')", "Run log", "Show what the graphs printed"),
    _quiet("l", "page('lab')", "Lab", "Show the lab's task: row, steps, ledger, files"),
    _quiet("full_stop", "repeat", "Repeat", "Choose the same again for a like operation of low risk"),
    _quiet(
        "E", "edit_outside", "Edit in $EDITOR", "Change the arguments in your own editor, once all was read"
    ),
    _quiet("o", "open_failed", "Open what failed", "Open the thread that failed last"),
    _quiet("O", "halted", "Halted tasks", "List what was halted in the lab, with its remedies"),
    _quiet("D", "doctor", "Doctor", "Look for what should be mended: files, journal, threads, versions"),
    _quiet("y", "copy_id", "Copy id", "Copy the thread's id"),
    _quiet("Y", "copy_json", "Copy JSON", "Copy the request as JSON"),
]

DECIDING = frozenset({"approve", "reject", "edit", "edit_outside", "answer", "respond", "explain"})
"""Actions that decide an operation."""
YES = frozenset({"approve", "edit", "edit_outside", "answer"})
"""Actions that need every line to have been read."""
ROADS: dict[str, tuple[Situation, ...]] = {
    "go_on": (Situation.STOPPED, Situation.FAILED, Situation.STUCK, Situation.DECIDED),
    "ask_again": (Situation.STUCK,),
    "skip": (Situation.STOPPED,),
    "abandon": (Situation.STOPPED, Situation.FAILED, Situation.STUCK),
}
"""In which situations each way on is offered."""
