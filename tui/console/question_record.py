"""A question as JSON, the same for every command that prints one."""

from __future__ import annotations

from typing import Any

from agent_lab_tui.graph.questions import Operation, Question
from agent_lab_tui.store.values import to_json


def question_record(question: Question) -> dict[str, Any]:
    """Return a question with its operations; raw foreign text, as JSON escapes it."""
    return {
        "id": question.id,
        "node": question.node,
        "convention": question.convention,
        "value": to_json(question.value),
        "schema": to_json(question.schema),
        "stored_answer": to_json(question.stored_answer) if question.has_stored_answer else None,
        "operations": [operation_record(operation) for operation in question.operations],
    }


def operation_record(operation: Operation) -> dict[str, Any]:
    """Return one operation that a question asks for."""
    return {
        "name": operation.name,
        "arguments": to_json(operation.arguments),
        "reason": operation.reason,
        "impact": operation.impact,
        "risk": str(operation.risk),
        "allowed": list(operation.allowed),
    }
