"""Moments as a person in this place reads them."""

from __future__ import annotations

from datetime import datetime


def moment(text: str | None) -> str:
    """Write a stored moment in this system's zone, with the zone's name; what is no moment stays as it is.

    Args:
        text: ISO 8601 with an offset or a Z; None for none.
    """
    at = _read(text)
    return (text or "") if at is None else at.strftime("%Y-%m-%d %H:%M:%S %Z")


def clock(text: str | None, day: str | None = None) -> str:
    """Write only the time of a stored moment, with its date in front where that is not the day of another."""
    at, other = _read(text), _read(day)
    if at is None:
        return text or ""
    is_same = other is not None and at.date() == other.date()
    return at.strftime("%H:%M:%S" if is_same else "%m-%d %H:%M:%S")


def _read(text: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(text).astimezone() if text else None
    except ValueError:
        return None
