"""Forks: planned on a copy in memory, confirmed where they approve something, ordered like any decision."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from agent_lab_tui.store.journal.book import Journal, Order
from agent_lab_tui.store.values import to_json

from ..deciding.ordering import Ordering
from ..deciding.said import is_said
from ..hosting.facts import GraphFacts
from ..questions import Refused
from ..settings.file import Settings
from . import forking
from .diff import differences
from .forking import ForkPlan, ForkRequest, PassedBy
from .past import Opened, Past
from .timeline import Checkpoint

if TYPE_CHECKING:
    from ..hosting.host import Host
    from ..reading.reader import Reader, Thread


class Forks(Ordering):
    """The forks that one operator plans and orders.

    A plan writes nothing; the order made of it is a decision like any other.
    """

    def __init__(
        self,
        reader: Reader,
        journal: Journal,
        settings: Settings,
        operator: str,
        os_user: str,
        *,
        host_for: Callable[[str | None], Host],
        facts: Sequence[GraphFacts] = (),
    ) -> None:
        super().__init__(reader, journal, settings, operator, os_user)
        self.past = Past(reader.database, journal)
        self._host_for = host_for
        self._facts = {one.name: one for one in facts if one.error is None}

    def plan_fork(self, thread: Thread, request: ForkRequest) -> ForkPlan:
        """Find out what a fork would lead to; nothing is written and no node runs.

        Args:
            thread: The thread at its head, as the operator saw it.
            request: The fork.

        Raises:
            Refused: The edit cannot be made, changes nothing, or the new thread exists.
            HostError: The graph could not be asked.
            NotFound: There is no such checkpoint.
        """
        opened = self.past.opened(thread.thread_id, request.checkpoint_id)
        self._refuse_fork(request)
        facts = self._facts_of(thread.graph) or (self._told_facts(thread.graph) if request.has_edit else None)
        blobs = forking.edited(opened.values, request, facts.channels if facts else ())
        if not request.has_edit:
            return self._plan_copy(thread, opened, request)
        host, graph = self._host_for(thread.graph), facts.name if facts else thread.graph or ""
        told = host.preview_fork(graph, thread.thread_id, request.checkpoint_id, blobs, request.as_node)
        after = tuple(sorted(told["next"]))
        return ForkPlan(
            request,
            opened.checkpoint,
            blobs,
            after,
            tuple(differences(to_json(opened.values), told["values"])),
            self._passed_by(thread, opened.checkpoint, after, request.as_node, facts),
            forking.asked_again(opened.checkpoint),
            forking.dropped(opened.checkpoint, after, request.as_node),
        )

    def fork(self, thread: Thread, plan: ForkPlan, confirmed: str = "", *, again: bool = False) -> Order:
        """Build the order for a planned fork.

        Args:
            thread: The thread as it was seen when the fork was planned.
            plan: The plan.
            confirmed: For a fork that passes a question by: the plan's own confirmation.
            again: The operator knows of an earlier decision about the same.

        Raises:
            Refused: It approves something and is not confirmed, or a rule keeps that for other people.
            Stale: The thread has moved on since.
            QuestionTaken: Another fork into the same new thread, or another order, is on its way.
        """
        now = self._as_it_is(thread, is_whole=True)
        if plan.confirmation and confirmed.strip() != plan.confirmation:
            raise Refused(_needs_confirmation(plan))
        request = plan.request
        order = replace(
            self._order("fork", now),
            checkpoint_id=request.checkpoint_id,
            answers=plan.blobs,
            choices=_approved(plan.passed_by, request),
            note=f"{plan.confirmation}: stepped over by a fork" if plan.confirmation else "",
            options={
                "as_node": request.as_node,
                "into": request.into,
                "run": request.is_run,
                "fresh": plan.is_fresh,
                "passes_by": [passed.node for passed in plan.passed_by],
            },
        )
        operations = [o.name for p in plan.passed_by if p.question for o in p.question.operations]
        return self._passed(order, operations, again)

    def _facts_of(self, graph: str | None) -> GraphFacts | None:
        """Return what is known of a thread's graph; of the only one where the thread does not tell."""
        if graph is None and len(self._facts) == 1:
            return next(iter(self._facts.values()))
        return self._facts.get(graph or "")

    def _told_facts(self, graph: str | None) -> GraphFacts | None:
        """Ask the host itself what graph it has; for a desk whose graphs are still being loaded."""
        every = self._host_for(graph).facts()
        told = [one for one in every if one.error is None]
        if not told and every:
            raise Refused(f"{every[0].name} could not be loaded: {every[0].error}")
        named = [one for one in told if one.name == graph]
        return next(iter(named or (told if len(told) == 1 else [])), None)

    def _refuse_fork(self, request: ForkRequest) -> None:
        if not request.has_edit and request.into is None:
            raise Refused(
                "The fork changes nothing: give --set, --append or --as-node, copy it with --into,"
                " or use replay."
            )
        if request.into is not None:
            if not is_said(request.into):
                raise Refused("A new thread needs an id that is not empty.")
            if self.past.head(request.into) is not None:
                raise Refused(f"There is a thread {request.into!r} already: name one that does not exist.")

    def _plan_copy(self, thread: Thread, opened: Opened, request: ForkRequest) -> ForkPlan:
        """Plan a mere copy: a question that still waits comes along, an answered one is asked anew."""
        checkpoint = opened.checkpoint
        is_fresh = not (checkpoint.is_head or checkpoint.waits)
        after = (
            tuple(sorted(thread.next)) if checkpoint.is_head else checkpoint.waits or checkpoint.next or ()
        )
        return ForkPlan(request, checkpoint, {}, after, (), is_fresh=is_fresh)

    def _passed_by(
        self,
        thread: Thread,
        checkpoint: Checkpoint,
        after: Sequence[str],
        as_node: str | None,
        facts: GraphFacts | None,
    ) -> tuple[PassedBy, ...]:
        stops = facts.interrupt_before if facts else ()
        asking = {
            *self.past.asking_nodes(thread.thread_id),
            *(facts.nodes if facts and "*" in stops else stops),
        }
        then = self._reader.thread(thread.thread_id, checkpoint.checkpoint_id)
        edges = facts.edges if facts else ()
        return forking.passed_by(checkpoint, then.questions, after, as_node, asking, edges)


def _approved(passed: Sequence[PassedBy], request: ForkRequest) -> dict[str, Any]:
    """Say for the journal what a fork approves: an approval that no question was asked for."""
    edit = {
        "by fork": {"as_node": request.as_node, "set": dict(request.replace), "append": dict(request.append)}
    }
    return {one.question.id: [{"approve": edit}] for one in passed if one.question is not None}


def _needs_confirmation(plan: ForkPlan) -> str:
    nodes = ", ".join(dict.fromkeys(passed.node for passed in plan.passed_by))
    then = ", ".join(plan.next) or "nothing"
    return (
        f"This fork takes the question of {nodes} as answered: {then} comes next without anybody being asked."
        f" That is an approval ({plan.risk} risk); to give it, type the words,"
        f" or give them: --confirm {shlex.quote(plan.confirmation)}"
    )
