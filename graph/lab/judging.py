"""Which of a task's truths do not agree, and the one remedy for it (pure)."""

from __future__ import annotations

from typing import Literal

from .registry import Remedy

Artefact = Literal["none", "whole", "other"]
"""Not there; there as it was approved; there, but empty or with other content."""

IN_HAND = frozenset({"running", "decided"})
"""Situations in which somebody is at it."""
_ENDED = frozenset({"done", "quiet"})


def judge(row: str, situation: str | None, artefact: Artefact) -> tuple[str, Remedy] | None:
    """Return what does not agree and what to do; None when nothing is wrong or somebody is at it.

    Args:
        row: The status of the task's row.
        situation: Where its thread stands, None when the database has no such thread.
        artefact: What the task was to make.
    """
    if situation in IN_HAND:
        return None
    if situation is None:
        return _without_thread(row, artefact)
    if artefact == "other" and row != "failed":
        return "what is there is not what was approved", "hand to a human"
    if row == "completed":
        return _completed(situation, artefact)
    if situation in _ENDED:
        return _ended(row, artefact)
    if situation == "waiting":
        return None if row == "waiting_confirmation" else (f"it waits, the row says {row}", "hand to a human")
    if situation in ("stuck", "foreign"):
        return f"its thread is {situation}", "hand to a human"
    if artefact == "whole":
        return f"the result is there, the row says {row}", "record completion"
    return None if row == "failed" else (f"the run ended, the row says {row}", "run the safe step again")


def _without_thread(row: str, artefact: Artefact) -> tuple[str, Remedy]:
    if row in ("pending", "running") and artefact == "none":
        return "it ended before its first checkpoint", "begin"
    return "its thread is not in the database", "hand to a human"


def _completed(situation: str, artefact: Artefact) -> tuple[str, Remedy] | None:
    if artefact == "none":
        return "the row says completed, the result is not there", "hand to a human"
    if situation in ("stopped", "failed"):
        return "the row says completed, its thread has not ended", "run the safe step again"
    return None


def _ended(row: str, artefact: Artefact) -> tuple[str, Remedy] | None:
    if artefact == "whole":
        return f"its thread has ended and the result is there, the row says {row}", "record completion"
    if row == "failed":
        return None
    return f"its thread has ended, nothing was made, the row says {row}", "hand to a human"
