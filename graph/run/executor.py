"""Carry out what was recorded for a thread: lease, checks, run, outcome, until nothing is left."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from time import time  # bound before a node may put something else in its place

from langgraph.runtime import RunControl

from agent_lab_tui.store.checkpoints.copying import CannotCopy, copy_thread
from agent_lab_tui.store.journal.book import Decision, Journal, OutOfTurn

from ..deciding.checks import Stale, before_sending
from ..deciding.freshness import demand_fresh
from ..deciding.settling import Settling
from ..hosting.events import Outcome, Progress
from ..hosting.opening import Opening
from ..questions import Refused
from ..reading.reader import NotFound, Reader, Thread
from .beating import held
from .configuration import RunConfiguration, check_version
from .engine import Engine, Ran
from .file_marks import FileMark
from .judging import Verdict, error_text, is_sync_failure, judge, judge_replaced
from .loading import own_traceback
from .orders import send
from .outcomes import Outcomes
from .projects import LoadedProject
from .savers import CannotWrite
from .streaming import Telling


class Executor:
    """Runs decisions of one database with the graphs of one project, one thread at a time."""

    def __init__(
        self,
        opening: Opening,
        project: LoadedProject,
        journal: Journal,
        reader: Reader,
        tell: Callable[[Progress | Outcome], None],
    ) -> None:
        self._database = opening.database
        self._settings = opening.settings
        self._project = project
        self._journal = journal
        self._reader = reader
        self._tell = tell

    async def carry_out(self, thread_id: str, control: RunControl) -> tuple[Outcome, ...]:
        """Run every decision recorded for a thread whose time has come, also those that come meanwhile.

        Args:
            thread_id: The thread.
            control: Asked to drain, it stops after the step in hand and starts nothing more.

        Returns:
            What became of each; "recorded" for what another process runs or what cannot run now.
        """
        outcomes = Outcomes(self._journal, self._tell)
        try:
            self._project.files.demand_own_log()
        except CannotWrite as error:
            if batch := self._batch(thread_id, outcomes.left):
                outcomes.leave(batch, str(error))
            return outcomes.all
        settling = Settling(self._reader, self._journal)
        outcomes.settle_dead(thread_id, settling)
        # Asked again once the lease is given back: a decision may have come that found it taken.
        while (batch := self._batch(thread_id, outcomes.left)) and not control.drain_requested:
            with held(self._journal.leases, thread_id, control) as token:
                if token is None:
                    outcomes.held_elsewhere(thread_id, batch)
                    break
                while (batch := self._batch(thread_id, outcomes.left)) and not control.drain_requested:
                    await self._carry_out(batch, token, control, outcomes)
        # A go-on that used a stored answer has ended the decision that stored it, too.
        if not self._project.files.is_log_lost():
            settling.settle_all(thread_id)
        return outcomes.all

    def _batch(self, thread_id: str, left: frozenset[str]) -> list[Decision]:
        """The decisions that go into the next run: one, or all answers that were given on one head."""
        ready = [
            decision
            for decision in self._journal.open(thread_id)
            if decision.state == "recorded"
            and not decision.is_sealed
            and decision.order.not_before <= time()
            and decision.decision_id not in left
        ]
        if not ready or ready[0].order.kind != "answer":
            return ready[:1]
        first = ready[0].order
        return [
            decision
            for decision in ready
            if decision.order.kind == "answer"
            and decision.order.checkpoint_id == first.checkpoint_id
            and decision.order.graph == first.graph
            and decision.order.options == first.options
        ]

    async def _carry_out(
        self, batch: Sequence[Decision], token: int, control: RunControl, outcomes: Outcomes
    ) -> None:
        judged = self._project.files.mark()
        try:
            thread = self._reader.thread(batch[0].order.thread_id)
        except NotFound as error:
            outcomes.end(batch, Verdict("stale", str(error)), token)
            return
        fit = self._checked(batch, thread, token, outcomes)
        if not fit:
            return
        order = fit[0].order
        name = order.graph or thread.graph or self._only_graph()
        if name not in self._project.names:
            wanted = f"Its graph {name!r} is not loaded here" if name else "No graph is named for it"
            outcomes.leave(fit, f"{wanted}; loaded: {', '.join(self._project.names)}.")
            return
        into = str(order.options.get("into") or thread.thread_id)
        configuration = RunConfiguration.of(into, thread.config, order.options, self._settings.run)
        try:
            check_version()
            ids = tuple(decision.decision_id for decision in fit)
            await self._project.files.wait_for_turn(Telling(thread.thread_id, ids, self._tell).waits)
            async with self._project.running(name, configuration, thread.thread_id) as engine:
                await self._run(engine, name, fit, thread, judged, token, control, outcomes)
        except (Refused, CannotCopy) as refused:
            outcomes.end(fit, Verdict("refused", str(refused)), token)
        except CannotWrite as error:
            outcomes.leave(fit, str(error))

    def _checked(
        self, batch: Sequence[Decision], thread: Thread, token: int, outcomes: Outcomes
    ) -> list[Decision]:
        """Let through what still fits the thread, judged from rows; the rest has its outcome now."""
        fit: list[Decision] = []
        for decision in batch:
            try:
                before_sending(decision, thread, self._settings)
                demand_fresh(thread, decision.order.questions, self._database.path.parent)
                fit.append(decision)
            except Stale as stale:
                outcomes.end([decision], Verdict("stale", str(stale)), token)
            except Refused as refused:
                outcomes.end([decision], Verdict("refused", str(refused)), token)
        return fit

    async def _run(
        self,
        engine: Engine,
        graph: str,
        batch: list[Decision],
        thread: Thread,
        judged: FileMark,
        token: int,
        control: RunControl,
        outcomes: Outcomes,
    ) -> None:
        pending = await engine.pending()
        gone = [decision for decision in batch if not pending.issuperset(decision.order.questions)]
        outcomes.end(gone, Verdict("stale", "LangGraph says that this question waits no more."), token)
        batch = [decision for decision in batch if decision not in gone]
        ids = tuple(decision.decision_id for decision in batch)
        self._project.files.demand_same(judged)
        if not batch or not self._may_start(ids, token):
            return
        telling = Telling(thread.thread_id, ids, self._tell)
        telling.start(batch[0].order.kind)
        ran, head = await self._sent(engine, batch, thread, control, telling)
        if ran.error is not None:
            print(own_traceback(ran.error), file=sys.stderr, end="")
        if is_sync_failure(ran):
            self._project.note_sync_failure(graph)
        self._judge(batch, ran, thread, head, token, outcomes)

    def _may_start(self, ids: tuple[str, ...], token: int) -> bool:
        """Note that decisions run; False when one was withdrawn this very moment: the rest comes next."""
        try:
            self._journal.start(ids, token)
        except OutOfTurn:
            return False
        return True

    async def _sent(
        self, engine: Engine, batch: list[Decision], thread: Thread, control: RunControl, telling: Telling
    ) -> tuple[Ran, str]:
        """Run a batch, on a copy of the thread where the order says so; give the thread that then tells."""
        order = batch[0].order
        into = order.options.get("into")
        if not into:
            return await send(engine, batch, thread, control, telling), thread.thread_id
        is_fresh = bool(order.options.get("fresh", order.checkpoint_id != thread.checkpoint_id))
        copy_thread(self._database, thread.thread_id, order.checkpoint_id, into, is_fresh=is_fresh)
        with held(self._journal.leases, into, control):
            return await send(engine, batch, thread, control, telling), into

    def _judge(
        self,
        batch: list[Decision],
        ran: Ran,
        before: Thread,
        thread_id: str,
        token: int,
        outcomes: Outcomes,
    ) -> None:
        if self._project.files.is_replaced():
            outcomes.end(batch, judge_replaced(ran), token)
            return
        try:
            after = self._reader.thread(thread_id)
        except NotFound as error:
            words = error_text(ran.error) if ran.error is not None else None
            outcomes.end(batch, Verdict("unknown", f"it ran, and then: {error}", words), token)
            return
        for decision in batch:
            outcomes.end([decision], judge(decision, ran, before, after), token)

    def _only_graph(self) -> str | None:
        return self._project.names[0] if len(self._project.names) == 1 else None
