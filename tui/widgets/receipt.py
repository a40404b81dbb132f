"""The line above the footer: what became of the last decisions."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from agent_lab_tui.graph.deciding.telling import deed
from agent_lab_tui.graph.hosting.events import Outcome, Progress

from ..paper.rows import Piece, foreign
from ..visible import cut, cut_middle, visible
from .bar import Bar

if TYPE_CHECKING:
    from agent_lab_tui.store.journal.book import Decision

NAME = 24
ENDINGS = {
    "applied": ("✓", "success"),
    "failed": ("✖", "error"),
    "stale": ("✗", "warning"),
    "refused": ("✗", "warning"),
    "unknown": ("?", "warning"),
    "recorded": ("◐", "accent"),
}


@dataclass(frozen=True, slots=True)
class Receipt:
    """One decision of this session, and how far it is."""

    decision: Decision
    doing: str = ""
    """What its run does just now; raw foreign text."""
    outcome: Outcome | None = None
    is_started: bool = False

    def left(self, now: float) -> float:
        """Return the seconds until it may start."""
        return max(0.0, self.decision.order.not_before - now)


class ReceiptLine(Bar):
    """Tells of the newest decision until its outcome, and of nothing else unless it must."""

    def on_mount(self) -> None:
        """Start without anything to tell."""
        self._receipts: dict[str, Receipt] = {}
        self._clock = self.set_interval(0.5, self._tell, pause=True)
        self._passing: tuple[Piece, ...] | None = None
        self.failed_thread: str | None = None
        """The thread of the last decision that failed."""

    def note(self, sentence: str, ink: str = "dim") -> None:
        """Say one sentence; the next news replaces it."""
        self.left = foreign(sentence, ink)

    def note_of_request(self, sentence: str) -> None:
        """Say one sentence about the request in front; it goes when another comes."""
        self.note(sentence, "warning")
        self._passing = self.left

    def leave_request(self) -> None:
        """Take back what was said of the request that was in front; tell of what still runs instead."""
        if self._passing is not None and self.left is self._passing:
            self.left = ()
            if self._receipts:
                self._tell(next(reversed(self._receipts)))
        self._passing = None

    @property
    def withdrawable(self) -> Decision | None:
        """The newest decision that has not started."""
        waiting = [r for r in self._receipts.values() if not r.is_started and r.outcome is None]
        return waiting[-1].decision if waiting else None

    def recorded(self, decision: Decision) -> None:
        """Tell of a decision that was just recorded."""
        self._receipts[decision.decision_id] = Receipt(decision)
        self._tell(decision.decision_id)
        self._clock.resume()

    def withdrawn(self, decision: Decision) -> None:
        """Tell that a decision was taken back."""
        self._receipts.pop(decision.decision_id, None)
        self.note(f"{named(decision)}: withdrawn, nothing was sent")

    def progress(self, event: Progress) -> None:
        """Tell what a run does, or why it cannot start yet."""
        if event.kind == "waits":
            self.note(event.text, "warning")
            return
        for decision_id in event.decision_ids:
            if receipt := self._receipts.get(decision_id):
                doing = event.node if event.kind in ("node", "start") else receipt.doing
                self._receipts[decision_id] = replace(receipt, doing=doing, is_started=True)
                self._tell(decision_id)

    def ended(self, event: Outcome) -> None:
        """Tell what became of a run."""
        if event.state == "failed":
            self.failed_thread = event.thread_id
        for decision_id in event.decision_ids:
            if receipt := self._receipts.get(decision_id):
                self._receipts[decision_id] = replace(receipt, outcome=event, is_started=True)
                self._tell(decision_id)
                del self._receipts[decision_id]

    def unsent(self, decision: Decision, sentence: str) -> None:
        """Tell that a decision stands in the journal, and why it cannot run."""
        self._receipts.pop(decision.decision_id, None)
        self.note(f"{named(decision)}: recorded, not carried out. {sentence}", "warning")

    def _tell(self, decision_id: str | None = None) -> None:
        """Write the line about a decision; without one, about that which waits to be sent."""
        now = time.time()
        waiting = [r for r in self._receipts.values() if r.left(now) and not r.is_started]
        if decision_id is None:
            if not waiting:
                self._clock.pause()
                return
            decision_id = waiting[-1].decision.decision_id
        receipt = self._receipts[decision_id]
        self.left = tuple(_written(receipt, now))
        running = sum(1 for r in self._receipts.values() if r.outcome is None)
        self.right = ((f"{running} on their way", "dim"),) if running > 1 else ()


def named(decision: Decision) -> str:
    """Name a decision: its thread, and what was decided; raw foreign text."""
    return f"{cut_middle(visible(decision.order.thread_id), NAME)} {deed(decision)}"


def _written(receipt: Receipt, now: float) -> list[Piece]:
    what = foreign(named(receipt.decision))
    if receipt.outcome is not None:
        mark, ink = ENDINGS[receipt.outcome.state]
        told = receipt.outcome.detail or receipt.outcome.error or receipt.outcome.state
        if receipt.outcome.state == "applied" and told.startswith("asks: "):
            told = f"done; next it {told}"
        pieces = [(f"{mark} ", ink), *what, (": ", "dim"), *foreign(cut(visible(told), 160), ink)]
        return [*pieces, ("   o opens it", "accent")] if receipt.outcome.state == "failed" else pieces
    if not receipt.is_started and (left := receipt.left(now)):
        return [*what, (f" · sending in {math.ceil(left)} s", "warning"), (" · u withdraws", "accent")]
    doing = f"running {visible(receipt.doing)} …" if receipt.doing else "on its way …"
    return [("◐ ", "accent"), *what, (f" · {doing}", "dim")]
