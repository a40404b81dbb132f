"""What a checkpoint of the builder holds: messages alone would not be enough to carry a run on."""

from __future__ import annotations

import operator
from typing import Annotated, Any, TypedDict

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages
from langgraph.managed import RemainingSteps

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


class BuilderState(TypedDict, total=False):
    """The state of a run."""

    run: Run
    limits: Limits
    spent: Annotated[Spent, add_spent]
    messages: Annotated[list[AnyMessage], add_messages]
    calls: Annotated[list[dict[str, Any]], operator.add]
    """Every call with its key, its grade and what became of it, in the order of the conversation."""
    parts: Annotated[Parts, operator.or_]
    plan: list[dict[str, Any]]
    repeats: int
    """How often in a row the model has made the very same calls."""
    status: str
    stopped_by: str
    artefact: dict[str, str]
    remaining: RemainingSteps


class CallState(TypedDict, total=False):
    """The state of one tool call, a small graph of its own."""

    run: Run
    step: int
    number: int
    """The call's place among those of its step, from 1."""
    call: Call
    reason: str
    """What the model said when it made the call."""
    repeats: int
    known: Parts
    """The parts the run counts on."""
    explained: Annotated[list[str], operator.add]
    """What it has added since, because a person asked."""
    verdict: dict[str, Any]
    messages: Annotated[list[AnyMessage], add_messages]
    calls: Annotated[list[dict[str, Any]], operator.add]
    parts: Annotated[Parts, operator.or_]
    spent: Annotated[Spent, add_spent]


class CallResult(TypedDict, total=False):
    """What a finished call adds to the run."""

    messages: Annotated[list[AnyMessage], add_messages]
    calls: Annotated[list[dict[str, Any]], operator.add]
    parts: Annotated[Parts, operator.or_]
    spent: Annotated[Spent, add_spent]


def key_of(run_id: str, step: int, number: int) -> str:
    """Return the key of a call: the same at every retry, another for every call; no clock, no chance."""
    return f"{run_id}:step-{step}:call-{number}"
