"""Write down what became of decisions, and tell it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agent_lab_tui.store.journal.book import Decision, Journal, JournalError, OutOfTurn

from ..deciding.settling import Settling
from ..hosting.events import Outcome, OutcomeState
from .judging import Verdict


class Outcomes:
    """The outcomes of one carrying out, each written into the journal before it is told."""

    def __init__(self, journal: Journal, tell: Callable[[Outcome], None]) -> None:
        self._journal = journal
        self._tell = tell
        self._all: list[Outcome] = []

    @property
    def all(self) -> tuple[Outcome, ...]:
        """What was told so far, in order."""
        return tuple(self._all)

    @property
    def left(self) -> frozenset[str]:
        """The decisions that stay recorded: nothing can be done about them here and now."""
        return frozenset(
            decision_id
            for outcome in self._all
            if outcome.state == "recorded"
            for decision_id in outcome.decision_ids
        )

    def end(self, batch: Sequence[Decision], verdict: Verdict, token: int) -> None:
        """Write an outcome down; one that another process has overtaken is told as unknown."""
        if not batch:
            return
        ids = [decision.decision_id for decision in batch]
        try:
            self._journal.end(ids, verdict.state, token, verdict.detail, verdict.error)
        except (OutOfTurn, JournalError) as error:
            detail = f"{verdict.state} ({verdict.detail}), which could not be written down: {error}"
            self._add(batch, "unknown", detail, verdict.error)
        else:
            self._add(batch, verdict.state, verdict.detail, verdict.error)

    def leave(self, batch: Sequence[Decision], detail: str) -> None:
        """Tell why decisions stay recorded."""
        self._add(batch, "recorded", detail)

    def held_elsewhere(self, thread_id: str, batch: Sequence[Decision]) -> None:
        """Tell who runs the thread, and with it what was recorded for it meanwhile."""
        holder = self._journal.leases.holder(thread_id)
        who = "Another process"
        if holder is not None:
            who = f"Process {holder.process.pid} on {holder.process.host_name}"
        self.leave(batch, f"{who} is running this thread and runs this next.")

    def settle_dead(self, thread_id: str, settling: Settling) -> None:
        """Settle, by evidence, what a process ran that ended before it said what became of it."""
        for decision in self._journal.open(thread_id):
            if decision.is_sealed or decision.state != "running" or self._journal.leases.alive(thread_id):
                continue
            settled = settling.settle(decision)
            state = settled.decision.state
            if state in ("applied", "failed", "stale", "unknown"):
                self._add([decision], state, settled.evidence, settled.decision.error)

    def _add(
        self, batch: Sequence[Decision], state: OutcomeState, detail: str, error: str | None = None
    ) -> None:
        ids = tuple(decision.decision_id for decision in batch)
        outcome = Outcome(ids, batch[0].order.thread_id, state, detail, error)
        self._all.append(outcome)
        self._tell(outcome)
