"""What a checkpoint id tells by itself: LangGraph's are time-ordered UUIDs that carry the step."""

from __future__ import annotations

import re
from typing import Final

_UUID6: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-6[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", re.ASCII)
_UNIX_EPOCH: Final = 0x01B21DD213814000
"""1970-01-01 in ticks of 100 ns since 1582-10-15."""
_FIRST_NEGATIVE: Final = 0x3FF0
"""The step is kept modulo 16,384; the highest values stand for the few steps before 0."""


def time_of(checkpoint_id: str) -> float | None:
    """Give the time a checkpoint was made, in unix seconds; None for an id of another make."""
    if not _UUID6.fullmatch(checkpoint_id):
        return None
    ticks = int(checkpoint_id.replace("-", "")[:12], 16) << 12 | int(checkpoint_id[15:18], 16)
    return (ticks - _UNIX_EPOCH) / 1e7


def step_of(checkpoint_id: str) -> int | None:
    """Give the step of a checkpoint, -1 for an input; None for an id of another make.

    Steps from 16,368 on come back modulo 16,384; the metadata has the true one.
    """
    if not _UUID6.fullmatch(checkpoint_id):
        return None
    sequence = int(checkpoint_id[19:23], 16) & 0x3FFF
    return sequence - 0x4000 if sequence >= _FIRST_NEGATIVE else sequence
