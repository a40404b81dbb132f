"""One line of the list for a thread: where it stands, and what it asks in a word or two."""

from __future__ import annotations

from agent_lab_tui.store.ids import step_and_time
from agent_lab_tui.store.threads import ThreadRow

from .asking import first_operation
from .settings import Settings
from .situation import Marks, Situation, situation_of
from .standing import Standing
from .threads import ThreadLine


def line_of(row: ThreadRow, standing: Standing, marks: Marks, settings: Settings) -> ThreadLine:
    """Give the exact line of a thread."""
    situation, _ = situation_of(standing.rows, marks)
    return ThreadLine(
        thread_id=row.thread_id,
        situation=situation,
        asks=_asks(standing, situation, settings),
        questions=len(standing.questions),
        graph=standing.match.graph,
        step=standing.rows.step,
        checkpoint_id=row.checkpoint_id,
        updated_at=row.updated_at,
    )


def quick_line(row: ThreadRow) -> ThreadLine | None:
    """Give the line of a thread by its counts alone; None for one that waits and has failed: is it stuck?"""
    thread_id, checkpoint_id, _, questions, has_error = row
    if questions:
        if has_error:
            return None
        situation = Situation.WAITING
    else:
        situation = Situation.FAILED if has_error else Situation.QUIET
    step, updated_at = step_and_time(checkpoint_id)
    return ThreadLine(thread_id, situation, "", questions, None, step, checkpoint_id, updated_at)


def _asks(standing: Standing, situation: Situation, settings: Settings) -> str:
    """Name what a thread is about: the operation it asks for, what it failed with, or where it stands."""
    if standing.questions and situation is not Situation.FAILED:
        operation = first_operation(standing.questions[0], standing.match.graph, settings)
        return operation.name if operation is not None else standing.questions[0].path[-1]
    if situation is Situation.FAILED:
        return (standing.error or "").partition("(")[0].partition("\n")[0]
    return ", ".join(dict.fromkeys(standing.next))
