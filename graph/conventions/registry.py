"""All conventions, the most precise first."""

from __future__ import annotations

from ..questions import Value
from .base import AskContext, Convention, Schema
from .batched import Batched
from .inbox import AgentInbox
from .per_call import PerCall
from .plain import PLAIN
from .response_schema import ResponseSchema

CONVENTIONS: tuple[Convention, ...] = (PerCall(), ResponseSchema(), Batched(), AgentInbox(), PLAIN)
"""The first one that recognises a question reads it and answers it; the last takes what is left."""


def recognise(value: Value, schema: Schema, context: AskContext) -> tuple[Convention, str]:
    """Return the convention of a question, and by what it was recognised."""
    for convention in CONVENTIONS:
        if why := convention.recognise(value, schema, context):
            return convention, why
    raise AssertionError("the plain convention takes every question")


def named(name: str) -> Convention:
    """Return the convention of a name, as recorded with a question.

    Raises:
        KeyError: there is no such convention.
    """
    return {convention.name: convention for convention in CONVENTIONS}[name]
