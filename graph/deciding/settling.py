"""What became of a decision that nobody saw end: judged by evidence, and never sent again by itself."""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from agent_lab_tui.store.cipher import REMEDY
from agent_lab_tui.store.journal.book import BreakOff, Decision, Journal, OutOfTurn, State
from agent_lab_tui.store.journal.decisions import OPEN_STATES

from ..questions import Refused
from ..reading.threads import NotFound, Thread
from .checks import Stale, before_sending, stands
from .evidence import End, end_of, ledger_of
from .roads import is_finished
from .telling import REPLACED, ago, named

if TYPE_CHECKING:
    from ..reading.reader import Reader

Offer = Literal["send", "withdraw", "go-on", "ask-again", "send-again", "drop"]
"""What a person can do next: run it, take it back, try again with the stored answer, drop that answer,
send the same once more, or give it up."""


@dataclass(frozen=True, slots=True)
class Settlement:
    """A decision as it stands, by which evidence, and what can be done about it."""

    decision: Decision
    evidence: str
    """One sentence without a full stop; holds raw foreign text."""
    offers: tuple[Offer, ...] = ()
    becomes: State | None = None
    """What it is by this evidence; None where it was not judged."""

    @property
    def is_news(self) -> bool:
        """Whether the journal does not say so yet, as on a desk that only reads."""
        return self.becomes is not None and self.becomes != self.decision.state


@dataclass(frozen=True, slots=True)
class _Verdict:
    state: State
    evidence: str
    offers: tuple[Offer, ...] = ()


class Settling:
    """Settles the decisions of one journal by what its database tells."""

    def __init__(self, reader: Reader, journal: Journal, by: str = "") -> None:
        """Take what settling needs; `by` is the operator who looks, by default whoever decided."""
        self._reader = reader.unmarked()
        self._journal = journal
        self._by = by

    @classmethod
    def onlooking(cls, reader: Reader) -> Settling:
        """Return one that tells what became of decisions and writes nothing down."""
        return cls(reader, Journal(reader.database.path, is_readonly=True))

    def settle_all(self, thread_id: str | None = None) -> tuple[Settlement, ...]:
        """Settle every decision without outcome; return those that still need a person, oldest first."""
        settled = (self.settle(decision) for decision in self._journal.open(thread_id))
        return tuple(one for one in settled if one.offers or one.decision.is_open)

    def settle(self, decision: Decision) -> Settlement:
        """Find out what became of a decision, and note it in the journal unless the desk is read-only."""
        decision = self._journal.decision(decision.decision_id) or decision
        if decision.is_sealed:
            return Settlement(decision, f"it is sealed: {REMEDY}")
        if decision.state not in OPEN_STATES:
            return Settlement(decision, decision.detail or decision.state)
        if decision.state != "failed" and self._journal.leases.alive(decision.order.thread_id):
            is_next = decision.state in ("recorded", "running")
            return Settlement(
                decision, "it is being carried out" if is_next else "its thread is running right now"
            )
        verdict = self._judge(decision)
        if verdict.state != decision.state and not self._journal.is_readonly:
            self._note_break_off(decision, verdict)
            decision = self._note(decision, verdict)
        return Settlement(decision, verdict.evidence, verdict.offers, verdict.state)

    def _note(self, decision: Decision, verdict: _Verdict) -> Decision:
        try:
            return self._journal.settle(decision.decision_id, verdict.state, self._by, verdict.evidence)
        except OutOfTurn:
            # Another process was faster: it has started it, or settled it by the same evidence.
            return self._journal.decision(decision.decision_id) or decision

    def _note_break_off(self, decision: Decision, verdict: _Verdict) -> None:
        """Keep where a run broke off that was not seen to: what was due there may have begun."""
        if decision.state != "running" or decision.break_off is not None or verdict.state != "applied":
            return
        with contextlib.suppress(NotFound, OutOfTurn):
            thread = self._reader.thread(decision.order.runs)
            holder = self._journal.leases.holder(decision.order.thread_id)
            if thread.due:
                pid = holder.process.pid if holder is not None else None
                seen = BreakOff("", (), thread.checkpoint_id, pid)
                self._journal.note_break_off(decision.decision_id, seen)

    def _judge(self, decision: Decision) -> _Verdict:
        try:
            thread = self._reader.thread(decision.order.thread_id)
        except NotFound:
            if decision.state == "recorded":
                return _Verdict("stale", "the thread is gone")
            return _Verdict(_kept(decision), "the thread is gone", ("drop",))
        if decision.state == "recorded":
            return _never_started(decision, thread)
        if decision.state == "unknown" and decision.detail.startswith(REPLACED):
            return _replaced(decision, thread)
        if decision.order.kind == "answer":
            return self._answered(decision, thread)
        return self._walked(decision, thread)

    def _answered(self, decision: Decision, thread: Thread) -> _Verdict:
        order = decision.order
        ends = {
            end_of(self._reader.database, thread, question, order.checkpoint_id)
            for question in order.questions
        }
        if End.STORED in ends:
            cause = thread.error or decision.error or "an error"
            return _Verdict(
                "failed", f"its answer is stored and its step failed with {cause}", ("go-on", "ask-again")
            )
        if End.WAITING in ends:
            known = ledger_of(self._reader.database, thread, order.questions)
            evidence = "; ".join((_started(decision), *known))
            return _Verdict(_kept(decision), evidence, ("send-again", "drop"))
        if End.LOST in ends:
            return _Verdict(_kept(decision), "the checkpoint that asked is gone from the database", ("drop",))
        if End.REPLACED in ends:
            return _Verdict(
                "stale", f"the thread was taken elsewhere before the answer took effect: {stands(thread)}"
            )
        offers: tuple[Offer, ...] = ("go-on",) if _stopped(thread) else ()
        return _Verdict("applied", f"its question is answered: {stands(thread)}", offers)

    def _walked(self, decision: Decision, thread: Thread) -> _Verdict:
        order = decision.order
        into = order.options.get("into")
        has_moved = self._reader.line(into) is not None if into else thread.digest != order.digest
        if has_moved:
            offers: tuple[Offer, ...] = ("go-on",) if not into and _stopped(thread) else ()
            return _Verdict("applied", f"the thread has moved on since: {stands(thread)}", offers)
        if order.kind in ("skip", "abandon", "fork"):
            return _Verdict("failed", "it ended before it changed anything")
        return _Verdict(_kept(decision), _started(decision), ("send-again", "drop"))


def _never_started(decision: Decision, thread: Thread) -> _Verdict:
    try:
        with contextlib.suppress(Refused):
            before_sending(decision, thread)
    except Stale as stale:
        return _Verdict("stale", str(stale).rstrip("."))
    age = ago(time.time() - decision.at)
    who = named(decision.order.by, decision.order.os_user)
    return _Verdict("recorded", f"recorded {age} ago by {who}, never started", ("send", "withdraw"))


def _replaced(decision: Decision, thread: Thread) -> _Verdict:
    """What lies under the path now is no evidence of a run on the file that was there before."""
    try:
        before_sending(decision, thread)
    except (Stale, Refused):
        return _Verdict("unknown", decision.detail, ("drop",))
    return _Verdict("unknown", decision.detail, ("send-again", "drop"))


def _kept(decision: Decision) -> State:
    """A decision whose end cannot be told stays failed where that is known, and is unknown otherwise."""
    return "failed" if decision.state == "failed" else "unknown"


def _started(decision: Decision) -> str:
    if decision.state == "failed":
        return f"it failed with {decision.error or decision.detail or 'an error'} and no answer is stored"
    return (
        f"{_ended(decision)} while it ran and no answer is stored;"
        " what its step did to the outside world before that is not known"
    )


def _ended(decision: Decision) -> str:
    seen = decision.break_off
    return seen.how if seen is not None and seen.how else "its process ended"


def _stopped(thread: Thread) -> bool:
    return not thread.questions and not is_finished(thread)
