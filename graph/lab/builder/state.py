"""What a checkpoint of the builder holds: messages alone would not be enough to carry a run on."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Annotated, Any, TypedDict

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages
from langgraph.managed import RemainingSteps

from .run import Call, Limits, Parts, Run, Spent, add_spent


def merged(before: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Put entries in; None takes one out."""
    return {key: value for key, value in {**before, **more}.items() if value is not None}


class BuilderState(TypedDict, total=False):
    """The state of a run."""

    run: Run
    limits: Limits
    spent: Annotated[Spent, add_spent]
    messages: Annotated[list[AnyMessage], add_messages]
    calls: Annotated[list[dict[str, Any]], operator.add]
    """Every call with its key, its grade and what became of it, in the order of the conversation."""
    verdicts: Annotated[dict[str, Any], merged]
    """What a person said to the calls of this step, by key."""
    explained: Annotated[dict[str, Any], merged]
    """What the model has added to calls of this step because a person asked, by key."""
    ready: Annotated[dict[str, Any], merged]
    """Results that wait for their turn: the conversation takes them in the order of the calls."""
    parts: Annotated[Parts, operator.or_]
    plan: list[dict[str, Any]]
    repeats: int
    """How often in a row the model has made the very same calls."""
    status: str
    stopped_by: str
    artefact: dict[str, str]
    remaining: RemainingSteps


class CallState(TypedDict):
    """What the task of one call gets."""

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
    verdict: dict[str, Any] | None
    explained: list[str]
