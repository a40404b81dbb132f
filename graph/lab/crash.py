"""Die at a named place as if by `kill -9`, to see what the next process finds.

`AGENT_LAB_CRASH=NAME` kills the process when it passes the point of that name, `NAME#3` when it passes it
for the third time. Nothing is flushed, closed or said. `AGENT_LAB_CRASH_TRACE=FILE` only writes down the
names of the points that are passed.
"""

from __future__ import annotations

import os
import signal
from collections import Counter

VARIABLE = "AGENT_LAB_CRASH"
TRACE = "AGENT_LAB_CRASH_TRACE"
_passed: Counter[str] = Counter()


def point(name: str) -> None:
    """End the process here if this is the place it was told to die at."""
    wanted, trace = os.environ.get(VARIABLE), os.environ.get(TRACE)
    if trace is not None:
        with open(trace, "a", encoding="utf-8") as file:
            file.write(name + "\n")
    if wanted is None:
        return
    _passed[name] += 1
    place, _, visit = wanted.partition("#")
    if place == name and _passed[name] == int(visit or 1):
        os.kill(os.getpid(), signal.SIGKILL)
