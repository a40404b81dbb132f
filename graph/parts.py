"""The parts of the desk, each loaded when something is first asked of it: the list waits for none of them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from functools import cached_property
from typing import TYPE_CHECKING, Any

from .reading.owners import Owners
from .reading.reader import Reader

if TYPE_CHECKING:
    from .deciding.desk_side import Deciding
    from .desk import Desk
    from .hosting.carrying import Carrying
    from .hosting.events import Event
    from .hosting.facts import GraphFacts
    from .hosting.host import Host
    from .travelling.journeys import Travelling


class Parts:
    """Reading, deciding and travelling, as far as one state of the graphs goes: other facts, other parts."""

    def __init__(
        self,
        desk: Desk,
        facts: tuple[GraphFacts, ...],
        chosen: dict[str, str],
        host_for: Callable[[str | None], Host],
    ) -> None:
        """Take the desk, what its graphs say, those chosen by hand for a thread, and the way to a host."""
        self._facts = facts
        self._host_for = host_for
        owners = Owners(desk.journal, chosen)
        self.reader = Reader(desk.database, desk.settings, desk.journal, facts, owners)
        self._hand: tuple[Any, ...] = (desk.journal, desk.settings, desk.operator, desk.os_user)

    @cached_property
    def deciding(self) -> Deciding:
        """What the operator may decide."""
        from .deciding.desk_side import Deciding

        return Deciding(self.reader, *self._hand)

    @cached_property
    def travelling(self) -> Travelling:
        """What the operator may see and make of the past."""
        from .travelling.journeys import Travelling

        return Travelling(self.reader, *self._hand, host_for=self._host_for, facts=self._facts)


class Hosts:
    """The hosts of the desk's projects, made once, by whichever thread needs them first."""

    def __init__(self, desk: Desk) -> None:
        """Take the desk."""
        self._desk = desk
        self.listeners: list[Callable[[Event], None]] = []
        """Who hears what the hosts tell."""
        self._lock = threading.Lock()
        self.made: Carrying | None = None
        """None as long as nothing was asked of them."""

    def make(self) -> Carrying:
        """Return the hosts; no process is started yet."""
        with self._lock:
            if self.made is None:
                from .hosting.carrying import Carrying

                desk = self._desk
                self.made = Carrying(desk.projects, desk.database, desk.settings, self._tell)
            return self.made

    @property
    def running(self) -> tuple[str, ...]:
        """The threads whose decisions are being carried out."""
        return self.made.running if self.made else ()

    def let_go(self, thread_ids: Collection[str]) -> None:
        """Wait no longer for decisions about some threads that were withdrawn, here or elsewhere."""
        journal = self._desk.journal
        for thread_id in set(thread_ids) & set(self.running):
            recorded = [one.decision_id for one in journal.open(thread_id) if one.state == "recorded"]
            self.make().let_go(thread_id, recorded)

    def stop_after_step(self) -> None:
        """Ask every run to stop after the step in hand."""
        if self.made:
            self.made.stop_after_step()

    def kill(self) -> None:
        """End the hosts at once."""
        if self.made:
            self.made.kill()

    def close(self) -> None:
        """End the hosts in order."""
        if self.made:
            self.made.close()

    def _tell(self, event: Event) -> None:
        for listener in tuple(self.listeners):
            listener(event)
