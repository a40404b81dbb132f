"""What is wrong in an author's source, in the words it is told by, and what mends each."""

from __future__ import annotations

REPEATED = "is done again for every answer"
VARIES = "it gives another value each time"
SWALLOWED = "around a question swallows it"
LEFT_OUT = "may be left out"
FIXED = "is the same in every run"
NOT_THERE = "which cannot be found"
"""Of a module that a graph's file imports."""

_REMEDIES = {
    VARIES: "Make it in a node before, keep it in the state, and take it from there.",
    SWALLOWED: "Let the question through: catch only what the deed can raise, around the deed alone.",
    LEFT_OUT: "Ask the same questions in the same order every time, or each in a node of its own.",
    FIXED: "Make the key from the run: f\"{state['run_id']}:step\", or from the thread's id.",
    NOT_THERE: (
        "Install it, or name the Python that has it: --python PATH, or [run] python in agent-lab.toml."
    ),
    REPEATED: "Keep what must happen once in a node of its own behind the question.",
}
"""By what a complaint says; the first that fits holds."""


def remedy_for(complaint: str) -> str:
    """Say what to do about a complaint; "" where its words say it."""
    return next((remedy for words, remedy in _REMEDIES.items() if words in complaint), "")
