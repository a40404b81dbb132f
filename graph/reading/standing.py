"""One thread at one checkpoint: its rows read once, for the list and for the request alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from agent_lab_tui.store.checkpoints.due import START, unnamed
from agent_lab_tui.store.checkpoints.interrupts import PendingInterrupt
from agent_lab_tui.store.checkpoints.steps import Step
from agent_lab_tui.store.values.raw import Unreadable

from .matching import Match, Shape, match, unknown_nodes
from .owners import Owners
from .situation import Asking, Rows
from .state_values import shape_of

if TYPE_CHECKING:
    from ..hosting.facts import GraphFacts


@dataclass(frozen=True, slots=True)
class Standing:
    """What the rows of a thread say, before the journal is asked."""

    questions: tuple[PendingInterrupt, ...]
    next: tuple[str, ...]
    match: Match
    rows: Rows

    @property
    def error(self) -> str | None:
        """The first error that still counts, as text."""
        if self.rows.failed:
            return self.rows.failed[0][1]
        return next((one.error for one in self.questions if one.is_answered), None)

    @property
    def paths(self) -> tuple[tuple[str, ...], ...]:
        """Where the tasks under way stand, as node names from the root graph down."""
        return tuple(one.path for one in self.questions) or tuple((node,) for node in self.next)

    @property
    def due(self) -> tuple[str, ...]:
        """Nodes that run when it goes on and that neither a question nor a breakpoint holds back."""
        asking = Counter(node for node, _ in {(one.path[0], one.task_id) for one in self.questions})
        held = Counter(dict.fromkeys(self.rows.breakpoints, len(self.next)))
        return tuple((Counter(self.next) - asking - held).elements())

    @property
    def is_under_way(self) -> bool:
        """Whether tasks of the step have begun: going on runs them again, it does not run them first."""
        return bool(self.questions or self.rows.failed or self.rows.finished)


def stand(
    step: Step,
    questions: tuple[PendingInterrupt, ...],
    facts: Sequence[GraphFacts],
    *,
    is_live: bool,
    owners: Owners | None = None,
) -> Standing:
    """Put together what one step of a thread tells.

    Args:
        step: the step after the checkpoint.
        questions: its questions.
        facts: the loaded graphs.
        is_live: at the head; else every task of the step counts, as a record.
        owners: what is known of whose the thread is, beside its rows.
    """
    nodes = step.names(is_live=is_live)
    shape = shape_of(step.body) if facts else Shape()
    found = match(step.row.metadata, shape, nodes, facts, thread_id=step.thread_id, owners=owners)
    graph = next((one for one in facts if one.name == found.graph), None)
    if (entry := _entrypoint(graph)) is not None:
        nodes = tuple(entry if node == START else node for node in nodes)
        questions = tuple(
            replace(one, path=(entry, *one.path[1:])) if one.path[0] == START else one for one in questions
        )
    return Standing(questions, nodes, found, _rows(step, questions, nodes, found, facts))


def _rows(
    step: Step,
    questions: Sequence[PendingInterrupt],
    nodes: tuple[str, ...],
    found: Match,
    facts: Sequence[GraphFacts],
) -> Rows:
    """Give what tells the situation."""
    graph = next((one for one in facts if one.name == found.graph), None)
    asking_tasks = {one.task_id for one in questions}
    failed = tuple(
        (step.node_of(task) or "?", task.error)
        for task in step.tasks
        if task.error is not None
        and not task.is_finished
        and not task.is_inside
        and task.id not in asking_tasks
    )
    return Rows(
        questions=tuple(
            Asking(one.interrupt_id, one.path[-1], one.is_answered, one.error) for one in questions
        ),
        next=nodes,
        failed=failed,
        finished=sum(task.is_finished and not task.is_inside for task in step.tasks),
        source=step.row.source,
        step=step.row.step,
        written_at=step.row.created_at,
        unknown=unknown_nodes(found, nodes, facts),
        is_foreign=found.is_foreign,
        breakpoints=_breakpoints(nodes, graph),
        is_vague=bool(unnamed(step.body)),
        unreadable=step.body.reason if isinstance(step.body, Unreadable) else None,
    )


def _entrypoint(graph: GraphFacts | None) -> str | None:
    """Name the function of a functional graph; files without task paths call it by its trigger alone."""
    is_functional = graph is not None and not graph.channels and len(graph.nodes) == 1
    return graph.nodes[0] if graph is not None and is_functional else None


def _breakpoints(nodes: Sequence[str], graph: GraphFacts | None) -> tuple[str, ...]:
    """List the next nodes before which the graph stops, by a breakpoint there or one after their source."""
    if graph is None:
        return ()
    after = {
        target
        for start, target, _ in graph.edges
        if "*" in graph.interrupt_after or start in graph.interrupt_after
    }
    return tuple(
        node
        for node in nodes
        if "*" in graph.interrupt_before or node in graph.interrupt_before or node in after
    )
