"""The hosts of one project: one process, or a few where the settings let several threads run at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future

from .events import Outcome
from .host import Host


class Pool:
    """Chooses the host for each thread; a thread is in the hands of one host only, as long as it runs.

    The first host loads the graphs when they are first asked for, each further one when all before it are
    busy. Between desks the leases keep a thread in one hand; here it saves a run that would find it taken.
    """

    def __init__(self, make: Callable[[], Host], most: int) -> None:
        """Take what makes a host, and how many there may be."""
        self._make = make
        self._most = most
        self._lock = threading.Lock()
        self._hosts = [make()]
        self._hands: list[tuple[Host, str]] = []

    @property
    def hosts(self) -> tuple[Host, ...]:
        """The hosts there are, the first one first."""
        with self._lock:
            return tuple(self._hosts)

    @property
    def idle(self) -> Host:
        """A host that runs nothing now, to look with; the first one where all are busy."""
        with self._lock:
            return next((host for host in self._hosts if not self._busy(host)), self._hosts[0])

    def carry_out(self, thread_id: str) -> Future[tuple[Outcome, ...]]:
        """Run every recorded decision of a thread, in a host that is free for it.

        Raises:
            HostError: No host can be started.
        """
        with self._lock:
            hand = (self._for(thread_id), thread_id)
            self._hands.append(hand)
        try:
            running = hand[0].carry_out(thread_id)
        except BaseException:  # whatever kept it from starting, the host is free again
            self._lay_down(hand)
            raise
        running.add_done_callback(lambda _: self._lay_down(hand))
        return running

    def _for(self, thread_id: str) -> Host:
        holding = next((host for host, held in self._hands if held == thread_id), None)
        if holding is not None:
            return holding
        free = next((host for host in self._hosts if not self._busy(host)), None)
        if free is None and len(self._hosts) < self._most:
            free = self._make()
            self._hosts.append(free)
        return free or min(self._hosts, key=self._busy)

    def _busy(self, host: Host) -> int:
        return sum(one is host for one, _ in self._hands)

    def _lay_down(self, hand: tuple[Host, str]) -> None:
        with self._lock:
            self._hands.remove(hand)
