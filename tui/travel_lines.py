"""Plans and previews of time travel in lines, for the command line and the screen alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest

from agent_lab_tui.graph.deciding.telling import local
from agent_lab_tui.graph.travelling.forking import ForkPlan
from agent_lab_tui.graph.travelling.preview import AskedAgain, Fate, ReplayPreview
from agent_lab_tui.graph.travelling.timeline import counted

from .history_lines import difference_line, value_text
from .visible import cut, visible

_FATES = {"be skipped": "✓", "run again": "✖", "unknown": "?"}
_WOULDS = {"be skipped": "will be skipped", "run again": "WILL RUN AGAIN", "unknown": "may run again"}
LABEL = 14
"""Cells of the column of labels."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a plan or a preview; all of it visible text."""

    label: str
    text: str
    ink: str = ""
    """How the screen writes it: plain, `warning` or `error`."""

    def written(self) -> str:
        """Return it as the command line prints it."""
        return f"{self.label:<{LABEL}}{self.text}".rstrip()


def plan_lines(plan: ForkPlan) -> Iterator[Line]:
    """Say what a fork would do."""
    where = f"into the new thread {plan.request.into}" if plan.request.into else "here; it becomes the head"
    yield Line("Fork", visible(f"from step {plan.checkpoint.step} {where}"))
    yield from _labelled("Changes", (difference_line(difference) for difference in plan.differences))
    yield Line("Next", visible(_names(plan.next) or "nothing: the thread ends there"))
    if plan.asked_again:
        dropped = f"{_names(plan.asked_again)} (answered already; those answers are dropped)"
        yield Line("Asks again", visible(dropped), "warning")
    if plan.dropped:
        lost = f"{_names(plan.dropped)}: due in the same step; it does not run, or loses what it has stored"
        yield Line("Drops", visible(lost), "error")
    for passed in plan.passed_by:
        asked = passed.question and ", ".join(one.name for one in passed.question.operations)
        words = f"asked here for {asked}" if asked else "asks a person elsewhere in this thread"
        said = f"{passed.node}, which {words}: {passed.risk} risk, and nobody is asked"
        yield Line("Approves", visible(said), "error")


def preview_lines(shown: ReplayPreview) -> Iterator[Line]:
    """Say what a replay would do."""
    yield Line("Replay", visible(f"from step {shown.checkpoint.step} of {shown.thread_id}"))
    if shown.is_empty:
        yield Line("Runs again", "nothing: this is the end of its branch")
        return
    then = f"; then, if it goes the same way, {_names(shown.then)}" if shown.then else ""
    yield Line("Runs again", visible(f"{_names(shown.step)}{then}"))
    if shown.unasked:
        said = f"{_names(shown.unasked)}: behind a question that was answered already and is not asked again"
        yield Line("Unasked", visible(said), "error")
    yield from _labelled("Asks again", map(_asked_again, shown.questions))
    inks = [
        {"be skipped": "", "run again": "error", "unknown": "warning"}[fate.would] for fate in shown.effects
    ]
    yield from _labelled("Effects", map(_fate, shown.effects), inks)
    if not shown.effects:
        said = "none in the ledger; what these nodes do to the world, they do again"
        yield Line("Effects", said, "warning")


def _labelled(label: str, texts: Iterable[str], inks: Iterable[str] = ()) -> Iterator[Line]:
    """Yield lines of which the first one bears the label."""
    for text, ink in zip_longest(texts, inks, fillvalue=""):
        yield Line(label, text, ink)
        label = ""


def _names(nodes: tuple[str, ...]) -> str:
    return ", ".join(node if count == 1 else f"{node} ×{count}" for node, count in counted(nodes))


def _asked_again(question: AskedAgain) -> str:
    if not question.is_answered:
        return visible(question.node)
    when = f" of {local(question.at)}" if question.at is not None else ""
    by = f" by {question.by}" if question.by else ""
    answer = cut(value_text(question.answer), 60)
    return f"{visible(f'{question.node} (the answer{when}{by} is dropped: ')}{answer})"


def _fate(fate: Fate) -> str:
    return f"{_FATES[fate.would]} " + visible(
        f"{fate.key} {fate.operation}: {fate.state}, {_WOULDS[fate.would]} ({fate.why})"
    )
