"""How a task's thread and its decisions stand; looking notes nothing, not even what evidence settles."""

from __future__ import annotations

from dataclasses import dataclass

from agent_lab_tui.store.journal.book import Journal

from ..deciding.settling import Settlement, Settling
from ..desk import Desk

_OPEN = frozenset({"recorded", "running", "unknown", "failed"})


@dataclass(frozen=True, slots=True)
class Look:
    """Where a thread stands, and the decisions about it of which nobody saw the end."""

    situation: str | None
    """None when the database has no such thread."""
    open_ended: tuple[Settlement, ...] = ()
    """What a person has to look at: never started, or of unknown end."""


def look(desk: Desk, thread_id: str) -> Look:
    """Look at a thread; a decision that evidence settles counts as settled, whatever the journal says yet."""
    onlooker = Settling(desk.deciding.reader, Journal(desk.database.path, is_readonly=True))
    settlements = [onlooker.settle(decision) for decision in desk.journal.open(thread_id)]
    is_over = bool(settlements) and all(_state(one) not in _OPEN for one in settlements)
    # What is marked by decisions that are over would still look decided, or running.
    reader = desk.deciding.reader if is_over else desk
    lines = reader.lines_of([thread_id])
    is_in_hand = thread_id in desk.running
    open_ended = [one for one in settlements if one.becomes in ("recorded", "unknown") and not is_in_hand]
    return Look(str(lines[0].situation) if lines else None, tuple(open_ended))


def _state(settlement: Settlement) -> str:
    return settlement.becomes or settlement.decision.state
