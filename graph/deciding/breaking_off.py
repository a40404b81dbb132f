"""Runs that broke off with their host: which nodes may have begun, and what is known of their effects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from agent_lab_tui.store.effects import Effects
from agent_lab_tui.store.files import Database
from agent_lab_tui.store.journal.book import Decision
from agent_lab_tui.store.journal.decisions import BreakOff

from .telling import STATES_OF_EFFECTS, who_did


@dataclass(frozen=True, slots=True)
class BrokenOff:
    """A thread that stands where the run of a decision broke off."""

    decision: Decision
    words: str
    """What is known of it, without a full stop; holds raw foreign names."""


def broken_off(
    thread_id: str, checkpoint_id: str, due: Sequence[str], made: Sequence[Decision]
) -> BrokenOff | None:
    """Tell whether a thread stands where a run broke off, and nothing has run since.

    Args:
        thread_id: The thread.
        checkpoint_id: Its head.
        due: The nodes that run when it goes on, and that no question or breakpoint holds back.
        made: The decisions about it.
    """
    mine = [one for one in made if one.order.runs == thread_id]
    for decision in reversed(mine):
        seen = decision.break_off
        if decision.state != "applied" or seen is None or seen.checkpoint_id != checkpoint_id or not due:
            continue
        ran_since = any(
            one.state in ("applied", "failed") and one.at > seen.at and one.token is not None for one in mine
        )
        return None if ran_since else BrokenOff(decision, _words(decision, seen, due))
    return None


def how_it_ended(decision: Decision) -> str:
    """Say how the process of a decision ended: "the host was killed by signal 9 (SIGKILL)"."""
    seen = decision.break_off
    return seen.how if seen is not None and seen.how else "its process ended without a word"


def effects_of(database: Database, decision: Decision) -> Iterator[str]:
    """Say what the effects ledger knows of what a run began, a sentence an effect; raw keys in it."""
    seen = decision.break_off
    since = f"{datetime.fromtimestamp(decision.at, UTC):%Y-%m-%dT%H:%M:%SZ}"
    for effect in Effects(database.journal_path, is_readonly=True).all():
        is_of_run = seen is not None and effect.doer.is_here and effect.doer.pid == seen.pid
        if effect.started_at >= since and (is_of_run or decision.order.runs in effect.key.split(":")):
            yield f"the ledger says of {effect.key}: {STATES_OF_EFFECTS[effect.state]} at {effect.changed_at}"


def _words(decision: Decision, seen: BreakOff, due: Sequence[str]) -> str:
    begun = [node for node in dict.fromkeys(seen.begun) if node.partition("/")[0] in due]
    roots = {node.partition("/")[0] for node in begun}
    others = [node for node in dict.fromkeys(due) if node not in roots]
    parts = [f"its run broke off after {who_did(decision)} (decision {decision.decision_id[:8]})"]
    parts[0] += f": {how_it_ended(decision)}"
    if begun:
        parts.append(f"{', '.join(begun)} had begun and may have had its effect")
    if others:
        parts.append(f"{', '.join(others)} was due and may have begun")
    return "; ".join(parts)
