"""Rows of a question made into the question that an operator sees: its convention, operations and rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from agent_lab_tui.store.checkpoints.interrupts import PendingInterrupt
from agent_lab_tui.store.values import Value

from ..conventions import AskContext, recognise
from ..questions import Operation, Question
from ..settings.file import Settings
from .impact import finish
from .threads import question_digest


def question(
    found: PendingInterrupt,
    checkpoint_id: str,
    graph: str | None,
    settings: Settings,
    *,
    messages: Value = None,
    answers_given: Callable[[str], tuple[Value, ...]] = lambda _: (),
) -> Question:
    """Give a question with its operations.

    Args:
        found: the question as the rows have it.
        checkpoint_id: the head.
        graph: the thread's graph, where it is known.
        settings: for the rules and the answers of plain questions.
        messages: the raw `messages` channel.
        answers_given: what was answered before at a node.
    """
    context = replace(
        _context(found, graph, settings), messages=messages, answers_given=answers_given(found.path[-1])
    )
    convention, why = recognise(found.value, found.response_schema, context)
    return Question(
        id=found.interrupt_id,
        node=context.node,
        path=found.path,
        value=found.value,
        schema=found.response_schema,
        convention=convention.name,
        why=why,
        operations=finish(convention.operations(found.value, found.response_schema, context), settings),
        digest=question_digest(checkpoint_id, found.interrupt_id, found.value),
        has_stored_answer=found.is_answered,
        stored_answer=found.stored_answer,
        plain_only=found.plain_only,
        answers_given=context.answers_given,
    )


def operations_of(found: PendingInterrupt, graph: str | None, settings: Settings) -> tuple[Operation, ...]:
    """Give the operations that a question asks for, without what only the whole question needs."""
    context = _context(found, graph, settings)
    convention, _ = recognise(found.value, found.response_schema, context)
    return convention.operations(found.value, found.response_schema, context)


def _context(found: PendingInterrupt, graph: str | None, settings: Settings) -> AskContext:
    return AskContext(node=found.path[-1], graph=graph, settings=settings, plain_only=found.plain_only)
