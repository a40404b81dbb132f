"""What is written about the request in front."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from agent_lab_tui.graph.reading.impact import runs_next

from ..drafts import Drafts
from ..paper.request import RequestSheet, Sends
from ..paper.standing import StandingSheet
from ..shown import Shown
from .preview import preview, preview_value

if TYPE_CHECKING:
    from agent_lab_tui.graph.desk import Desk
    from agent_lab_tui.graph.reading.reader import Thread

    from ..widgets.document import Sheet


NO_GRAPH = "no graph is loaded for this thread"
LOADING = "the graph is still loading"


def sheet_for(
    shown: Shown, drafts: Drafts, desk: Desk, *, can_decide: bool, is_loading: bool = False
) -> Sheet:
    """Return the sheet of the operation in front; of where the thread stands, when it asks nothing."""
    item = shown.item
    if item is None:
        return StandingSheet(shown.thread, can_decide, shown.notice, behind(desk, shown.thread))
    question = item.question
    sends = shown.sends.get(question.id, Sends())
    has_value, value = drafts.value(question)
    if has_value:
        sends = preview_value(sends, value)
    elif any(drafts.chosen(one) for one in shown.items if one.question is question):
        supposed = preview(desk, shown.thread, question, drafts.supposed(question))
        sends = replace(supposed, ledger=sends.ledger)
    if is_loading:
        sends = replace(sends, impact=tuple(line.replace(NO_GRAPH, LOADING) for line in sends.impact))
    is_open = shown.is_open(question)
    return RequestSheet(
        shown.thread, question, item.operation, sends, is_open, can_decide, drafts.choice(item), shown.notice
    )


def behind(desk: Desk, thread: Thread) -> tuple[str, ...] | None:
    """Return what may run behind the nodes a thread stands before; None where no loaded graph tells."""
    facts = next((one for one in desk.facts if one.name == thread.graph and one.error is None), None)
    if facts is None:
        return None
    return tuple(one.name for one in runs_next([(node,) for node in thread.next], facts))
