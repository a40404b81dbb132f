"""What the journal and the leases say of threads, read once for a whole list."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from agent_lab_tui.store.journal.book import Decision, Journal

from .situation import Marks

_STARTED = ("recorded", "running", "unknown")


class MarkBook:
    """The open decisions and the live leases of one moment."""

    def __init__(self, journal: Journal | None) -> None:
        """Take the desk's record; None for none, which marks nothing."""
        self._journal = journal

    @cached_property
    def marked(self) -> frozenset[str]:
        """The threads that it says anything about."""
        return self._alive | self._open.keys() | self._broken_off.keys()

    def of(self, thread_id: str, checkpoint_id: str = "", due: Sequence[str] = ()) -> Marks:
        """Give the marks of a thread, by its head and the nodes that are due there."""
        open_ = self._open.get(thread_id, ())
        broken = None
        if decisions := self._broken_off.get(thread_id):
            from ..deciding.breaking_off import broken_off  # few lists hold a run that broke off

            broken = broken_off(thread_id, checkpoint_id, due, decisions)
        return Marks(
            open_decision=open_[-1].state if open_ else None,
            is_lease_alive=thread_id in self._alive,
            ended_how=open_[-1].break_off.how if open_ and open_[-1].break_off else "",
            broken_off=broken.words if broken else None,
            claimed=frozenset(
                question for one in open_ if one.state in _STARTED for question in one.order.questions
            ),
            is_sealed=bool(open_) and open_[-1].is_sealed,
        )

    def decision(self, thread_id: str) -> Decision | None:
        """Give the newest open decision about a thread."""
        open_ = self._open.get(thread_id, ())
        return open_[-1] if open_ else None

    def made(self, thread_id: str) -> tuple[Decision, ...]:
        """Give every decision about a thread, oldest first."""
        return self._journal.of_thread(thread_id) if self._journal is not None else ()

    @cached_property
    def _open(self) -> dict[str, tuple[Decision, ...]]:
        """Open decisions by thread; those that make another thread leave this one as it is."""
        found: dict[str, tuple[Decision, ...]] = {}
        for one in self._journal.open() if self._journal is not None else ():
            if not one.order.options.get("into"):
                found[one.order.thread_id] = (*found.get(one.order.thread_id, ()), one)
        return found

    @cached_property
    def _broken_off(self) -> dict[str, tuple[Decision, ...]]:
        return self._journal.broken_off() if self._journal is not None else {}

    @cached_property
    def _alive(self) -> frozenset[str]:
        return self._journal.leases.all_alive() if self._journal is not None else frozenset()
