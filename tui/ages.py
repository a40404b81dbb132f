"""How long ago, in at most four cells."""

from __future__ import annotations

_UNITS = ((60.0, "s", 1.0), (3600.0, "m", 60.0), (86400.0, "h", 3600.0), (7 * 86400.0, "d", 86400.0))


def age(then: float | None, now: float) -> str:
    """Say how long ago a moment was, in its largest unit; empty when unknown.

    Args:
        then: unix seconds.
        now: unix seconds.
    """
    if then is None:
        return ""
    seconds = max(0.0, now - then)
    for below, unit, size in _UNITS:
        if seconds < below:
            return f"{int(seconds / size)}{unit}"
    weeks = int(seconds / (7 * 86400))
    return f"{weeks}w" if weeks < 100 else f"{int(seconds / (365.25 * 86400))}y"
