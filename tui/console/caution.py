"""What the command line asks for before a risky yes: the digest of what was seen, a typed value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from agent_lab_tui.graph.deciding.confirming import confirmation
from agent_lab_tui.graph.questions import Choice, Operation, Risk
from agent_lab_tui.graph.reading.impact import as_edited
from agent_lab_tui.graph.settings.file import Settings

from ..options import fail
from ..visible import visible
from .carrying_out import look
from .order_options import How

if TYPE_CHECKING:
    from agent_lab_tui.graph.reading.reader import Thread

Decided = Sequence[tuple[Operation, Choice | None]]
"""Every operation that is decided, with its choice; None where a value was typed."""


def demand_seen(thread: Thread, decided: Decided, settings: Settings, how: How) -> None:
    """End the command if something of medium risk or more is decided without saying what was seen."""
    if how.seen is not None:
        return
    risk = max((_meant(*pair, settings).risk for pair in decided), key=lambda one: one.rank, default=Risk.LOW)
    if risk.rank >= Risk.MEDIUM.rank:
        demand_digest(thread, f"This is of {risk} risk")


def demand_digest(thread: Thread, why: str) -> None:
    """End the command with how to get the digest of what is decided about."""
    fail(f"{why}: say what you have seen with --seen DIGEST; `{look(thread)} --json` prints it as `digest`.")


def demand_confirmation(decided: Decided, typed: Sequence[str], settings: Settings) -> None:
    """End the command if a rule or the risk asks for a value to be typed and it was not."""
    for operation, choice in decided:
        wanted = confirmation(_meant(operation, choice, settings), choice or Choice("approve"))
        if wanted.kind == "type" and not any(map(wanted.is_met_by, typed)):
            argument = f"`{visible(wanted.argument)}`"
            what = f"the value of {argument}" if wanted.argument else "its name"
            if typed:
                fail(f"The value of --confirm is wrong: `{visible(operation.name)}` is confirmed by {what}.")
            fail(f"`{visible(operation.name)}` is confirmed by {what}: repeat it with --confirm VALUE.")


def _meant(operation: Operation, choice: Choice | None, settings: Settings) -> Operation:
    """Return the operation that would run: an edited one where it is edited."""
    return operation if choice is None else as_edited(operation, choice, settings)
