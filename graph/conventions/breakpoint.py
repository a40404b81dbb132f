"""A thread that waits although nobody asks: a static breakpoint has no value and takes no answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Offer:
    """One way to go from where a thread stands."""

    kind: Literal["go-on", "skip", "abandon"]
    label: str
    does: str
    """What it does, in one sentence with raw node names."""


def why(before: Sequence[str], breakpoints: Sequence[str] | None) -> str:
    """Say why a thread stands before some nodes without a question.

    Args:
        before: The nodes before which it stands.
        breakpoints: `interrupt_before` of the loaded graph; None when no graph is loaded.
    """
    names = ", ".join(before)
    if breakpoints is None:
        return f"It stands before {names} and asks nothing: a breakpoint, an edit or a run that ended early."
    if "*" in breakpoints or any(name in breakpoints for name in before):
        return f"A breakpoint of the graph stopped it before {names}."
    return f"It stands before {names}, where the graph has no breakpoint: edited, or a run that ended early."


def offers(before: Sequence[str]) -> tuple[Offer, ...]:
    """Return what can be done with a thread that stands before some nodes and asks nothing."""
    names = ", ".join(before)
    return (
        Offer("go-on", "Go on", f"Runs {names} with the state as it is."),
        Offer("skip", "Skip", f"Goes on behind {names} as if it had run and changed nothing."),
        Offer("abandon", "Abandon", f"Ends the thread here; {names} never runs."),
    )
