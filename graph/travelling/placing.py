"""Put the effects of a thread on the checkpoints that they led to (pure)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from agent_lab_tui.store.effects import Effect

from .timeline import Checkpoint, Done

SECONDS = 1.0
"""The ledger keeps whole seconds, so an effect may lie that much beside its checkpoint's own time."""


def placed(checkpoints: Sequence[Checkpoint], effects: Iterable[Effect]) -> tuple[Checkpoint, ...]:
    """Return the checkpoints, newest first, each with the effects done on the way to it.

    An effect is put where a node of its operation's name ran at its time, else on the first checkpoint
    that was made after it; one that no checkpoint followed, on the newest.
    """
    found: dict[str, list[Done]] = {}
    for effect in effects:
        place = _place(checkpoints, effect)
        if place is not None:
            found.setdefault(place.checkpoint_id, []).append(Done(effect.key, effect.operation, effect.state))
    return tuple(
        replace(checkpoint, effects=tuple(found[checkpoint.checkpoint_id]))
        if checkpoint.checkpoint_id in found
        else checkpoint
        for checkpoint in checkpoints
    )


def _place(checkpoints: Sequence[Checkpoint], effect: Effect) -> Checkpoint | None:
    at = began(effect.changed_at)
    if at is None or not checkpoints:
        return None
    oldest = checkpoints[-1].at
    if oldest is not None and at + SECONDS < oldest:
        return None
    after = [one for one in reversed(checkpoints) if one.at is not None and one.at >= at]
    near = [one for one in after if one.at is not None and one.at <= at + 2 * SECONDS]
    named = next((one for one in near if effect.operation in one.ran), None)
    return named or next(iter(after), checkpoints[0])


def began(stamp: str) -> float | None:
    """Return the Unix time of a ledger's time stamp, None when it cannot be read."""
    try:
        return datetime.fromisoformat(stamp).timestamp()
    except ValueError:
        return None
