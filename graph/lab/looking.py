"""How a task's thread and its decisions stand; looking notes nothing, not even what evidence settles."""

from __future__ import annotations

from dataclasses import dataclass

from agent_lab_tui.store.journal.decisions import OPEN_STATES

from ..deciding.settling import Settlement, Settling
from ..desk import Desk
from ..questions import Question


@dataclass(frozen=True, slots=True)
class Look:
    """Where a thread stands, and the decisions about it of which nobody saw the end."""

    situation: str | None
    """None when the database has no such thread."""
    open_ended: tuple[Settlement, ...] = ()
    """What a person has to look at: never started, or of unknown end."""


def look(desk: Desk, thread_id: str) -> Look:
    """Look at a thread; a decision that evidence settles counts as settled, whatever the journal says yet."""
    onlooker = Settling.onlooking(desk.deciding.reader)
    settlements = [onlooker.settle(decision) for decision in desk.journal.open(thread_id)]
    is_over = bool(settlements) and all(_state(one) not in OPEN_STATES for one in settlements)
    # What is marked by decisions that are over would still look decided, or running.
    reader = desk.deciding.reader if is_over else desk
    lines = reader.lines_of([thread_id])
    is_in_hand = thread_id in desk.running
    open_ended = [one for one in settlements if one.becomes in ("recorded", "unknown") and not is_in_hand]
    return Look(str(lines[0].situation) if lines else None, tuple(open_ended))


def is_about_an_effect(question: Question) -> bool:
    """Tell whether a question asks what became of an effect: only a person who looked can say."""
    return isinstance(question.value, dict) and question.value.get("type") == "unknown_outcome"


def _state(settlement: Settlement) -> str:
    return settlement.becomes or settlement.decision.state
