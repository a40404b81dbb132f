"""Earlier decisions about the same: what has to be said before something is decided anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agent_lab_tui.store.files import Database
from agent_lab_tui.store.journal.book import Decision, Journal, Order, QuestionTaken
from agent_lab_tui.store.journal.reading import demand_unsealed

from ..reading.threads import Thread
from .breaking_off import broken_off, effects_of
from .checks import Stale
from .settling import Settling
from .telling import local, told, who_did

_ASKED_AGAIN = (
    "it was carried out, yet the database asks again; a backup may have been put back, or a write lost"
)


class Undecided(Stale):
    """What an earlier decision about the same did is not done again without a word about it.

    It was carried out and the database asks all the same, or it failed, or its end is not known.
    """

    def __init__(self, decision: Decision, why: str) -> None:
        super().__init__(
            f"{who_did(decision)} on {local(decision.at)}: {why}."
            " To decide anew all the same, say so (--again)."
        )
        self.decision = decision


def earlier(order: Order, journal: Journal, settling: Settling) -> tuple[Undecided, ...]:
    """Return what earlier decisions about the same did; those without outcome are settled first.

    Raises:
        QuestionTaken: One of them is on its way.
    """
    found = []
    for holder in journal.open(order.thread_id):
        if set(holder.order.claims) & set(order.claims):
            demand_unsealed(holder)
            settlement = settling.settle(holder)
            if settlement.decision.state in ("recorded", "running"):
                raise QuestionTaken(settlement.decision, f"{told(settlement.decision)}.")
            if settlement.decision.is_open:
                found.append(Undecided(settlement.decision, settlement.evidence))
    asked = set(order.questions)
    found += [
        Undecided(made, _ASKED_AGAIN)
        for made in journal.of_thread(order.thread_id)
        if made.state == "applied" and asked & set(made.order.questions)
    ]
    return tuple(found)


def begun_before(thread: Thread, journal: Journal, database: Database) -> tuple[Undecided, ...]:
    """Return the decision whose run broke off where a thread stands: going on may do twice what it began."""
    made = [*journal.of_thread(thread.thread_id), *journal.broken_off().get(thread.thread_id, ())]
    about = tuple({one.decision_id: one for one in made}.values())
    found = broken_off(thread.thread_id, thread.checkpoint_id, thread.due, about)
    if found is None:
        return ()
    known = effects_of(database, found.decision)
    why = "; ".join((found.words, "it runs again when the thread goes on", *known))
    return (Undecided(found.decision, why),)


def instead_of(order: Order, known: Sequence[Undecided]) -> Order:
    """Return the order with the earlier decisions that the operator knows of, and those it replaces."""
    if not known:
        return order
    decisions = [undecided.decision for undecided in known]
    return replace(
        order,
        options={
            **order.options,
            "knowing": [decision.decision_id for decision in decisions],
            "instead_of": [decision.decision_id for decision in decisions if decision.is_open],
        },
    )
