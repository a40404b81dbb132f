"""One line of the list for a thread: where it stands, and what it asks in a word or two."""

from __future__ import annotations

from collections.abc import Container, Iterable

from agent_lab_tui.store.checkpoints.ids import step_and_time
from agent_lab_tui.store.checkpoints.threads import ThreadRow

from ..settings.file import Settings
from .asking import operations_of
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


def quick_lines(
    rows: Iterable[ThreadRow], marked: Container[str]
) -> tuple[list[ThreadLine], list[ThreadRow]]:
    """Give the lines of threads by their counts alone, and the rows of those that need a closer look.

    A thread that waits and has failed may be stuck; one that the journal knows may be decided.
    """
    waiting, failed, quiet = Situation.WAITING, Situation.FAILED, Situation.QUIET
    lines: list[ThreadLine] = []
    unclear: list[ThreadRow] = []
    for row in rows:
        thread_id, checkpoint_id, _, questions, has_error = row
        if (questions and has_error) or thread_id in marked:
            unclear.append(row)
            continue
        situation = waiting if questions else failed if has_error else quiet
        step, updated_at = step_and_time(checkpoint_id)
        lines.append(ThreadLine(thread_id, situation, "", questions, None, step, checkpoint_id, updated_at))
    return lines, unclear


def _asks(standing: Standing, situation: Situation, settings: Settings) -> str:
    """Name what a thread is about: the operation it asks for, what it failed with, or where it stands."""
    if standing.questions and situation is not Situation.FAILED:
        operations = operations_of(standing.questions[0], standing.match.graph, settings)
        if not operations:
            return standing.questions[0].path[-1]
        more = f" +{len(operations) - 1}" if len(operations) > 1 else ""
        return f"{operations[0].name}{more}"
    if situation is Situation.FAILED:
        return (standing.error or "").partition("(")[0].partition("\n")[0]
    return ", ".join(dict.fromkeys(standing.next))
