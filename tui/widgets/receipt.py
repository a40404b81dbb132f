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
OPENS: Piece = ("   o opens it", "accent")
KEPT = 30.0
"""Seconds after which what went well is told no more."""
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
        self._clock = self.set_interval(0.5, self._look, pause=True)
        self._hint: tuple[Piece, ...] | None = None
        self._until: float | None = None
        self._about: str | None = None
        self.failed_thread: str | None = None
        """The thread of the last decision that failed."""

    def note(self, sentence: str, ink: str = "dim") -> None:
        """Say one sentence; the next news replaces it, trouble stays until then."""
        self._say(foreign(sentence, ink), is_kept=ink in ("warning", "error"))

    def note_of_request(self, sentence: str) -> None:
        """Say one sentence about the request in front; it goes with the next key."""
        self._say(foreign(sentence, "warning"), is_kept=True)
        self._hint = self.left

    def _say(self, pieces: tuple[Piece, ...], *, is_kept: bool, about: str | None = None) -> None:
        """Write the line.

        Args:
            pieces: what it says.
            is_kept: it stays until something else is told or seen; else for a while.
            about: the thread whose trouble it tells.
        """
        self.left, self._about, self._hint = pieces, about, None
        self._until = None if is_kept else time.monotonic() + KEPT
        if not is_kept:
            self._clock.resume()

    def leave_hint(self) -> None:
        """Take back what was said of a key: another one was pressed."""
        if self._hint is not None and self.left is self._hint:
            self._leave()

    def leave_request(self, thread_id: str) -> None:
        """Take back what was said of the request that was in front, and the trouble of the one that comes."""
        if self._about == thread_id:
            self._leave()
        self.leave_hint()

    def _leave(self) -> None:
        """Say nothing more of what is over; tell of what still runs instead."""
        self.left, self._hint, self._until, self._about = (), None, None, None
        if self._receipts:
            self._tell(next(reversed(self._receipts)))

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
        """Tell why a decision that stands in the journal was not carried out, or not to its end.

        Args:
            decision: As the journal has it now.
            sentence: What was in the way; raw foreign text.
        """
        receipt = self._receipts.pop(decision.decision_id, None)
        pieces = foreign(f"{named(decision)}: {_cut_short(decision, receipt)}{sentence}", "warning")
        if _has_begun(decision, receipt):
            self.failed_thread = decision.order.thread_id
            pieces = (*pieces, OPENS)
        self._say(pieces, is_kept=True, about=decision.order.thread_id)

    def _look(self) -> None:
        """Count down what waits to be sent; take back what was told long enough."""
        now = time.time()
        waiting = [r for r in self._receipts.values() if r.left(now) and not r.is_started]
        if waiting and self._hint is None:
            self._tell(waiting[-1].decision.decision_id)
        elif self._until is not None and time.monotonic() >= self._until:
            self._leave()
        elif not waiting and self._until is None:
            self._clock.pause()

    def _tell(self, decision_id: str) -> None:
        """Write the line about a decision."""
        receipt = self._receipts[decision_id]
        outcome = receipt.outcome
        is_trouble = outcome is not None and outcome.state in ("failed", "stale", "refused", "unknown")
        self._say(
            tuple(_written(receipt, time.time())),
            is_kept=outcome is None or is_trouble,
            about=receipt.decision.order.thread_id if is_trouble else None,
        )
        running = sum(1 for r in self._receipts.values() if r.outcome is None)
        self.right = ((f"{running} on their way", "dim"),) if running > 1 else ()


def named(decision: Decision) -> str:
    """Name a decision: its thread, and what was decided; raw foreign text."""
    return f"{cut_middle(visible(decision.order.thread_id), NAME)} {deed(decision)}"


def _has_begun(decision: Decision, receipt: Receipt | None) -> bool:
    is_heard = receipt is not None and receipt.is_started
    return is_heard or decision.state in ("running", "unknown") or decision.break_off is not None


def _cut_short(decision: Decision, receipt: Receipt | None) -> str:
    """Say how far a decision came whose run ended without an outcome; raw foreign text."""
    if _has_begun(decision, receipt):
        doing = receipt.doing if receipt is not None and receipt.doing else "already"
        return f"was running {doing} and may have had its effect. "
    return "recorded, not carried out. " if decision.state == "recorded" else ""


def _written(receipt: Receipt, now: float) -> list[Piece]:
    what = foreign(named(receipt.decision))
    if receipt.outcome is not None:
        mark, ink = ENDINGS[receipt.outcome.state]
        told = receipt.outcome.detail or receipt.outcome.error or receipt.outcome.state
        if receipt.outcome.state == "applied" and told.startswith("asks: "):
            told = f"done; next it {told}"
        pieces = [(f"{mark} ", ink), *what, (": ", "dim"), *foreign(cut(visible(told), 160), ink)]
        return [*pieces, OPENS] if receipt.outcome.state == "failed" else pieces
    if not receipt.is_started and (left := receipt.left(now)):
        return [*what, (f" · sending in {math.ceil(left)} s", "warning"), (" · u withdraws", "accent")]
    doing = f"running {visible(receipt.doing)} …" if receipt.doing else "on its way …"
    return [("◐ ", "accent"), *what, (f" · {doing}", "dim")]
