"""What a run is, what it may use and has used: plain values, known without LangGraph."""

from __future__ import annotations

from typing import Any, TypedDict

Parts = dict[str, str | None]
"""Files later steps count on, by path in the work folder, with their SHA-256; None: removed on purpose."""


class Run(TypedDict):
    """What a run is; it does not change."""

    run_id: str
    project: str
    model: str
    """Name of the model; never a key of its provider."""
    variables: dict[str, str]
    """The environment of the tools: a new process does not have it of itself."""


class Spent(TypedDict, total=False):
    """What a run has used up, over all its processes."""

    steps: int
    tokens: int
    seconds: float
    """Time at work; waiting for a person costs nothing."""


class Limits(TypedDict):
    """What a run may use up; None is no limit."""

    steps: int
    tokens: int | None
    seconds: float | None


class Call(TypedDict):
    """One tool call as the model made it."""

    id: str
    name: str
    args: dict[str, Any]


def add_spent(before: Spent, more: Spent) -> Spent:
    """Add up what was used."""
    return Spent(
        steps=before.get("steps", 0) + more.get("steps", 0),
        tokens=before.get("tokens", 0) + more.get("tokens", 0),
        seconds=round(before.get("seconds", 0.0) + more.get("seconds", 0.0), 3),
    )


def key_of(run_id: str, step: int, number: int) -> str:
    """Return the key of a call: the same at every retry, another for every call; no clock, no chance."""
    return f"{run_id}:step-{step}:call-{number}"
