"""Die at a named place as if by `kill -9`, to see what the next process finds.

`AGENT_LAB_CRASH=NAME` kills the process when it passes the point of that name, `NAME#3` when it passes it
for the third time. Nothing is flushed, closed or said. Some names do not kill but spoil what is written.
"""

from __future__ import annotations

import os
import signal
from collections import Counter

VARIABLE = "AGENT_LAB_CRASH"
_passed: Counter[str] = Counter()


def point(name: str) -> None:
    """End the process here if this is the place it was told to die at."""
    wanted = os.environ.get(VARIABLE)
    if wanted is None:
        return
    _passed[name] += 1
    place, _, visit = wanted.partition("#")
    if place == name and _passed[name] == int(visit or 1):
        os.kill(os.getpid(), signal.SIGKILL)


def spoiled(name: str, text: str) -> str:
    """Return nothing instead of a text if it was told to spoil this place."""
    return "" if os.environ.get(VARIABLE) == name else text
