"""What the database itself tells about an answer whose end nobody saw."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from enum import StrEnum

from agent_lab_tui.store.checkpoints import interrupts
from agent_lab_tui.store.checkpoints import rows as checkpoints
from agent_lab_tui.store.checkpoints.rows import CONTROL
from agent_lab_tui.store.effects import Effects
from agent_lab_tui.store.files import Database

from ..reading.threads import Thread
from .telling import STATES_OF_EFFECTS


class End(StrEnum):
    """What became of one question."""

    WAITING = "waiting"
    """It still waits and no answer is stored for it."""
    STORED = "stored"
    """Its answer is stored and its node failed."""
    ANSWERED = "answered"
    """Its node took an answer and went on."""
    REPLACED = "replaced"
    """The thread was taken elsewhere before its node had an answer."""
    LOST = "lost"
    """The checkpoint that asked is gone, so nobody can tell."""


def end_of(database: Database, thread: Thread, question_id: str, asked_at: str) -> End:
    """Find out what became of a question.

    Args:
        database: Where the thread lies.
        thread: The thread as it stands.
        question_id: Its interrupt id.
        asked_at: The head checkpoint when it was on the screen.
    """
    for question in thread.questions:
        if question.id == question_id:
            return End.STORED if question.has_stored_answer else End.WAITING
    if thread.checkpoint_id == asked_at:
        return End.ANSWERED
    with database.reading() as conn:
        if checkpoints.get(conn, thread.thread_id, "", asked_at) is None:
            return End.LOST
        recorded = interrupts.pending(conn, database, thread.thread_id, asked_at)
        writes = checkpoints.writes(conn, database, thread.thread_id, "", asked_at)
    task_id = next((one.task_id for one in recorded if one.interrupt_id == question_id), None)
    # A node that got its answer and asked its next question has only that one left in the rows.
    if task_id is None:
        return End.ANSWERED
    has_result = any(write.task_id == task_id and write.channel not in CONTROL for write in writes)
    return End.ANSWERED if has_result else End.REPLACED


def ledger_of(database: Database, thread: Thread, question_ids: Collection[str]) -> Iterator[str]:
    """Say what the effects ledger knows of what some questions ask for, a sentence a key; raw keys in it."""
    ledger = Effects(database.journal_path, is_readonly=True)
    for question in thread.questions:
        for operation in question.operations if question.id in question_ids else ():
            if operation.key is None:
                continue
            effect = ledger.find(operation.key)
            if effect is None:
                yield f"the ledger has nothing under {operation.key}"
            else:
                state = STATES_OF_EFFECTS[effect.state]
                yield f"the ledger says of {effect.key}: {state} at {effect.changed_at}"
