"""Where a thread stands that asks nothing now, or whose question is decided already."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agent_lab_tui.graph.conventions.breakpoint import offers
from agent_lab_tui.graph.deciding.telling import local, told, who_did
from agent_lab_tui.graph.reading.situation import Situation

from .folds import folded
from .rows import Piece, Row, foreign, foreign_lines, labelled
from .seen import Seen

if TYPE_CHECKING:
    from agent_lab_tui.graph.reading.reader import Thread

COLUMN = 12

SENTENCES = {
    Situation.WAITING: "This thread waits for an answer.",
    Situation.DECIDED: "This is decided, and not carried out yet.",
    Situation.RUNNING: "This thread is running.",
    Situation.STUCK: "This question was answered, and the answer is stored; its step failed with it.",
    Situation.FAILED: "A step of this thread failed. Nothing is asked.",
    Situation.STOPPED: "This thread is stopped. Nothing is asked.",
    Situation.DONE: "This thread is finished. Nothing waits here.",
    Situation.FOREIGN: "The loaded graphs do not know this thread's nodes: it can be read, not run.",
    Situation.QUIET: "Nothing waits here.",
}
WAYS = {
    Situation.STUCK: "g tries again with the stored answer · A drops it and asks again",
    Situation.FAILED: "g tries the failed step again · X ends it, with a reason",
    Situation.DECIDED: "u withdraws it while it has not started · g carries it out now",
}
"""Which keys lead on from a situation."""
CUT_SHORT = "This was being carried out when its run ended; it may have had its effect."
WAYS_CUT_SHORT = "D says what became of it and what to do · g goes on, and asks before anything runs again"
"""Of a decision that had begun, and whose end nobody saw."""


KEYS = {"go-on": "g", "skip": "K", "abandon": "X"}
"""By way on from where nothing is asked, its key."""


@dataclass(frozen=True, slots=True)
class StandingSheet:
    """Writes where a thread stands, by what evidence, and which keys lead on."""

    thread: Thread
    can_decide: bool = True
    notice: str = ""
    after: Sequence[str] | None = None
    """What may run behind the nodes it stands before; None where no graph tells."""
    seen: Seen = field(default_factory=Seen)

    def rows(self, cells: int) -> Sequence[Row]:
        """Write the sentence, the decision, the error and what would run."""
        rows: list[Row] = []
        for fold, part in self._parts():
            rows += folded(part, fold, cells, is_seen=False)
        return rows

    def part(self, fold: str) -> Sequence[Row]:
        """Return the whole of a part that may be folded."""
        return next((part for name, part in self._parts() if name == fold), ())

    def _parts(self) -> Iterator[tuple[str, list[Row]]]:
        if self.notice:
            yield "", [Row(((self.notice, "warning"),)), Row()]
        yield "", list(standing_rows(self.thread, can_decide=self.can_decide))
        if self.thread.situation is Situation.STOPPED and self.can_decide:
            yield "ways", [*self._ways(), Row()]
        for label, text in (("Evidence", self.thread.evidence), ("Graph", self.thread.graph or "")):
            if text:
                yield label, list(labelled(label, [foreign(text)], COLUMN))
        for label, names in (("Stands at", self.thread.next), ("Runs again", self.thread.reruns)):
            if names:
                yield label, list(labelled(label, [foreign(", ".join(names))], COLUMN))
        for warning in self.thread.warnings:
            yield "warning", list(labelled("Warning", [foreign(warning, "warning")], COLUMN, "warning"))
        if self.thread.error:
            yield "error", [Row(), *labelled("Error", foreign_lines(self.thread.error, "error"), COLUMN)]

    def _ways(self) -> Iterator[Row]:
        """Write each way on from a breakpoint with its key and what it will do."""
        thread = self.thread
        for offer in offers(thread.next, self.after, is_again=thread.broken_off is not None):
            head: tuple[Piece, ...] = ((f"{KEYS[offer.kind]} ", "accent"), (offer.label, "strong"))
            yield Row(foreign(offer.does), head=head, indent=COLUMN)


def standing_rows(thread: Thread, *, can_decide: bool) -> Iterator[Row]:
    """Write in a few lines where a thread stands and which keys lead on."""
    ink = "error" if thread.situation in (Situation.STUCK, Situation.FAILED) else "strong"
    decision = thread.decision
    is_cut_short = (
        thread.situation is Situation.DECIDED and decision is not None and decision.state != "recorded"
    )
    yield Row(((CUT_SHORT if is_cut_short else SENTENCES[thread.situation], ink),))
    if decision is not None:
        said = f"{who_did(decision)} on {local(decision.at)}" if is_cut_short else told(decision)
        yield Row(tuple(foreign(f"{said}.")))
    way = WAYS_CUT_SHORT if is_cut_short else WAYS.get(thread.situation, "")
    if way and can_decide:
        yield Row(_keys(way))
    yield Row()


def _keys(way: str) -> tuple[Piece, ...]:
    """Write ways on, the keys in the accent."""
    pieces: list[Piece] = []
    for part in way.split(" · "):
        key, _, meaning = part.partition(" ")
        pieces += [("   " if pieces else "", ""), (key, "accent"), (f" {meaning}", "dim")]
    return tuple(pieces)
