"""What stands behind a question in text: the ledger line of its key, the exact answers, the schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from agent_lab_tui.graph.deciding.checks import ask_context
from agent_lab_tui.graph.deciding.replies import reply
from agent_lab_tui.graph.questions import Choice, Question, Refused, Value
from agent_lab_tui.graph.reading.ledger import UNDONE

if TYPE_CHECKING:
    from agent_lab_tui.graph.desk import Desk
    from agent_lab_tui.graph.reading.reader import Thread
    from agent_lab_tui.store.effects import Effect

WHY = "WHY"
"""Stands for the operator's reason in the answer that a rejection sends."""


def sends(desk: Desk, thread: Thread, question: Question) -> Iterator[tuple[str, Value]]:
    """Yield the exact answer that a yes and a no to the whole question send, where they can be given."""
    context = ask_context(thread, question, desk.settings)
    for choice in (Choice("approve"), Choice("reject", text=WHY)):
        if all(choice.kind in operation.allowed for operation in question.operations):
            try:
                yield choice.kind, reply(question, [choice] * len(question.operations), context).answer
            except Refused:
                continue  # what the question's own form cannot carry is not offered


def ledger_words(thread: Thread) -> Mapping[str, str]:
    """Return, by key that a thread's requests name, what the ledger beside the database knows of it."""
    operations = [operation for question in thread.questions for operation in question.operations]
    return {one.key: _words(thread.ledger.get(one.key)) for one in operations if one.key is not None}


def _words(effect: Effect | None) -> str:
    if effect is None:
        return "nothing is recorded"
    return UNDONE.get(effect.state) or f"done at {effect.changed_at}"
