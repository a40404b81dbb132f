"""Where a thread stands, in the product's words, with the evidence for it."""

from __future__ import annotations

from enum import StrEnum


class Situation(StrEnum):
    """Where a thread stands."""

    WAITING = "waiting"
    DECIDED = "decided"
    RUNNING = "running"
    STUCK = "stuck"
    FAILED = "failed"
    STOPPED = "stopped"
    DONE = "done"
    FOREIGN = "foreign"
    QUIET = "quiet"
