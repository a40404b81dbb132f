"""What a checkpoint of the builder holds: messages alone would not be enough to carry a run on."""

from __future__ import annotations

import operator
from typing import Annotated, Any, TypedDict

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages
from langgraph.managed import RemainingSteps

from .run import Call, Limits, Parts, Run, Spent, add_spent


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
