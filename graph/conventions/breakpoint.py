"""A thread that stands before nodes although nobody asks: at a breakpoint, after an edit or a broken run.

Why it stands there is told by its situation; here stands what can be done.
"""

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


def offers(
    before: Sequence[str], after: Sequence[str] | None = None, *, is_again: bool = False
) -> tuple[Offer, ...]:
    """Return what can be done with a thread that stands before some nodes and asks nothing.

    Args:
        before: The nodes before which it stands; () between two steps.
        after: What may run behind them, "end" for the end; None where no loaded graph tells.
        is_again: A run of them had begun and broke off.
    """
    names = ", ".join(dict.fromkeys(before))
    if not names:
        return (
            Offer("go-on", "Go on", "Runs what comes after the step that has finished."),
            Offer("abandon", "Abandon", "Ends the thread here; nothing of it runs any more."),
        )
    again = "again, and what it had begun may happen twice" if is_again else "with the state as it is"
    go_on = Offer("go-on", "Go on", f"Runs {names} {again}.")
    abandon = Offer("abandon", "Abandon", f"Ends the thread here; {names} never runs. It asks for a reason.")
    if len(set(before)) > 1:
        return (go_on, abandon)
    return (go_on, Offer("skip", "Skip", _skipping(names, after)), abandon)


def _skipping(name: str, after: Sequence[str] | None) -> str:
    """Say what stepping over a node does: it counts as a yes to what comes behind."""
    as_if = f"as if {name} had run and changed nothing"
    if after is None:
        return f"Goes on behind it {as_if}."
    following = " or ".join(dict.fromkeys(one for one in after if one != "end"))
    if not following:
        return f"Ends the thread {as_if}."
    return f"Runs {following} next{' or ends the thread' if 'end' in after else ''}, {as_if}."
