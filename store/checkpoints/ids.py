"""What a checkpoint id tells by itself: LangGraph's are time-ordered UUIDs that carry the step."""

from __future__ import annotations

from typing import Final

_UNIX_EPOCH: Final = 0x01B21DD213814000
"""1970-01-01 in ticks of 100 ns since 1582-10-15."""
_FIRST_NEGATIVE: Final = 0x3FF0
"""The step is kept modulo 16,384; the highest values stand for the few steps before 0."""


def step_and_time(checkpoint_id: str) -> tuple[int | None, float | None]:
    """Give the step of a checkpoint and when it was made, in unix seconds; Nones for an id of another make.

    Steps from 16,368 on come back modulo 16,384; the metadata has the true one.
    """
    if len(checkpoint_id) != 36 or checkpoint_id[14] != "6":
        return None, None
    try:
        sequence = int(checkpoint_id[19:23], 16) & 0x3FFF
        ticks = int(checkpoint_id[:8] + checkpoint_id[9:13] + checkpoint_id[15:18], 16)
    except ValueError:
        return None, None
    step = sequence - 0x4000 if sequence >= _FIRST_NEGATIVE else sequence
    return step, (ticks - _UNIX_EPOCH) / 1e7


def time_of(checkpoint_id: str) -> float | None:
    """Give the time a checkpoint was made, in unix seconds; None for an id of another make."""
    return step_and_time(checkpoint_id)[1]


def step_of(checkpoint_id: str) -> int | None:
    """Give the step of a checkpoint, -1 for an input; None for an id of another make."""
    return step_and_time(checkpoint_id)[0]
