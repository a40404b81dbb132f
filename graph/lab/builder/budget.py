"""What a run may use up, counted over all its processes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MAX_STEPS = 40
"""Steps of a run that names no other limit."""


def exceeded(limits: Mapping[str, Any], spent: Mapping[str, Any]) -> str | None:
    """Say which limit is reached, None while all allow another step."""
    for name in ("steps", "tokens", "seconds"):
        limit = limits.get(name)
        if limit is not None and spent.get(name, 0) >= limit:
            return f"budget: {left_of(name, limits, spent)}"
    return None


def left_of(name: str, limits: Mapping[str, Any], spent: Mapping[str, Any]) -> str:
    """Say how much of a limit is used."""
    limit, used = limits.get(name), spent.get(name, 0)
    used = round(used, 1) if isinstance(used, float) else used
    return f"{used} {name} used, no limit" if limit is None else f"{used} of {limit} {name} used"


def recursion_limit(max_steps: int) -> int:
    """Return LangGraph's limit of super-steps for a run; its own of 10007 would let a loop turn for long.

    A step is two super-steps, the model's and its calls'; the rest is room for acceptance.
    """
    return max_steps * 2 + 10
