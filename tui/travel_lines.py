"""Plans and previews of time travel in lines, for the command line and the screen alike."""

from __future__ import annotations

from collections.abc import Iterator

from agent_lab_tui.graph.forking import ForkPlan
from agent_lab_tui.graph.preview import AskedAgain, Fate, ReplayPreview
from agent_lab_tui.graph.telling import local
from agent_lab_tui.graph.timeline import counted

from .history_lines import difference_line, value_text
from .visible import cut, visible

_FATES = {"be skipped": "✓", "run again": "✖", "unknown": "?"}
_WOULDS = {"be skipped": "will be skipped", "run again": "WILL RUN AGAIN", "unknown": "may run again"}


def plan_lines(plan: ForkPlan) -> Iterator[str]:
    """Say what a fork would do."""
    where = f"into the new thread {plan.request.into}" if plan.request.into else "here; it becomes the head"
    yield visible(f"Fork from step {plan.checkpoint.step} {where}")
    yield from (f"  {difference_line(difference)}" for difference in plan.differences)
    yield _row("Next", _names(plan.next) or "nothing: the thread ends there")
    if plan.asked_again:
        yield _row("Asks again", f"{_names(plan.asked_again)} (answered already; those answers are dropped)")
    for passed in plan.passed_by:
        asked = passed.question and ", ".join(one.name for one in passed.question.operations)
        words = f"asked here for {asked}" if asked else "asks a person elsewhere in this thread"
        yield _row("Approves", f"{passed.node}, which {words}: {passed.risk} risk, and nobody is asked")


def preview_lines(shown: ReplayPreview) -> Iterator[str]:
    """Say what a replay would do."""
    yield visible(f"Replay from step {shown.checkpoint.step} of {shown.thread_id}")
    if shown.is_empty:
        yield _row("Runs again", "nothing: this is the end of its branch")
        return
    then = f"; then, if it goes the same way, {_names(shown.then)}" if shown.then else ""
    yield _row("Runs again", f"{_names(shown.step)}{then}")
    for label, question in zip(_first_only("Asks again"), shown.questions, strict=False):
        yield _row(label, _asked_again(question))
    for label, fate in zip(_first_only("Effects"), shown.effects, strict=False):
        yield f"{label:<14}{_fate(fate)}"
    if not shown.effects:
        yield _row("Effects", "none in the ledger; what these nodes do to the world, they do again")


def _first_only(label: str) -> Iterator[str]:
    yield label
    while True:
        yield ""


def _row(label: str, text: str) -> str:
    return f"{label:<14}{visible(text)}"


def _names(nodes: tuple[str, ...]) -> str:
    return ", ".join(node if count == 1 else f"{node} ×{count}" for node, count in counted(nodes))


def _asked_again(question: AskedAgain) -> str:
    if not question.is_answered:
        return question.node
    when = f" of {local(question.at)}" if question.at is not None else ""
    by = f" by {question.by}" if question.by else ""
    return f"{question.node} (the answer{when}{by} is dropped: {cut(value_text(question.answer), 60)})"


def _fate(fate: Fate) -> str:
    words = f"{fate.key} {fate.operation}  {fate.state}, {_WOULDS[fate.would]} ({fate.why})"
    return f"{_FATES[fate.would]} {visible(words)}"
