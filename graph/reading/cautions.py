"""What an operator should know of a thread before deciding, in one sentence each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agent_lab_tui.store.checkpoints.interrupts import PendingInterrupt
from agent_lab_tui.store.checkpoints.rows import RESUME
from agent_lab_tui.store.checkpoints.steps import PLACEHOLDER, Step
from agent_lab_tui.store.journal.decisions import Decision
from agent_lab_tui.store.values import same_json, to_json

from ..deciding.telling import local, who_did
from ..hosting.facts import GraphFacts
from ..questions import Question
from ..settings.file import Settings
from .state_values import is_state


def not_in_the_values(step: Step) -> Iterator[str]:
    """Say which results of an open step are stored and not in the values yet."""
    keys = {
        write.channel
        for task in step.tasks
        if task.is_finished and not task.is_inside
        for write in task.output
        if is_state(write.channel)
    }
    if keys:
        yield (
            f"Finished tasks of this step have stored results for {', '.join(sorted(keys))};"
            " they join the state when the step ends and are not in the values shown."
        )


def of_step(step: Step, questions: Sequence[PendingInterrupt]) -> Iterator[str]:
    """Warn of what the rows of an open step hide."""
    yield from _sent_without_id(step)
    if any(one.interrupt_id == PLACEHOLDER for one in questions):
        yield (
            "A question of LangGraph's old NodeInterrupt cannot be answered by its id:"
            " edit the state, then go on."
        )
    if any(one.plain_only for one in questions):
        yield (
            "A question comes from a subgraph that keeps no checkpoints: its id changes with every run,"
            " and an answer reaches it only without an id."
        )


def of_graph(
    graph: GraphFacts, step: Step, questions: Sequence[PendingInterrupt], settings: Settings
) -> Iterator[str]:
    """Warn of what the loaded graph says against what the thread says, and of what it would need to run."""
    if graph.needs_store:
        yield (
            f"Graph {graph.name} uses LangGraph's Store and has none: it is refused before it runs;"
            " its author must compile it with store=…."
        )
    if graph.needs_context and settings.run.context is None:
        yield (
            f"Graph {graph.name} needs a context: it is refused before it runs;"
            " give it with --context JSON, or as context under [run] in agent-lab.toml."
        )
    made = step.row.created_at
    if graph.modified_at is not None and made is not None and graph.modified_at > made and questions:
        yield (
            f"The file of graph {graph.name} was changed after this was asked:"
            " an answer goes to the question that stands in the same place now."
        )
    cached = sorted({node for one in questions for node in one.path} & set(graph.asks_cached))
    if cached:
        yield (
            f"Node {', '.join(cached)} has a cache: the answer given here can be used for another thread"
            " without asking."
        )


def of_decisions(
    questions: Sequence[Question], checkpoint_id: str, decisions: Sequence[Decision]
) -> Iterator[str]:
    """Warn of a question that asks something else than when it was last decided, under the same id."""
    for question in questions:
        about = [
            one
            for one in decisions
            if question.id in one.order.digests and one.order.checkpoint_id == checkpoint_id
        ]
        if about and about[-1].order.digests[question.id] != question.digest:
            yield (
                f"What {question.node} asks has changed under the same id since"
                f" {who_did(about[-1])} on {local(about[-1].at)}."
            )


def _sent_without_id(step: Step) -> Iterator[str]:
    """Warn of an answer that LangGraph kept for whatever is asked next."""
    for write in step.sent:
        if write.channel != RESUME:
            continue
        text = str(to_json(write.decoded))
        short = text if len(text) <= 60 else f"{text[:57]}..."
        is_used = any(
            same_json(to_json(answer), to_json(write.decoded))
            for task in step.tasks
            for answer in task.answers
        )
        used = "was sent without naming its question" if is_used else "waits that names no question"
        yield (
            f"An answer {used} ({short}): LangGraph keeps it with this step"
            " and can give it to a later question that nobody has seen."
        )
