"""The command palette: every key of the desk by its name, and threads by their ids."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, cast

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from ..visible import visible

if TYPE_CHECKING:
    from .desk import DeskScreen

MOST = 20
"""Threads that are offered for what was typed."""


class DeskCommands(Provider):
    """Offers what can be done now, and the threads whose ids or questions hold what was typed."""

    async def discover(self) -> Hits:
        """Offer the keys that mean something now."""
        for name, tooltip, action in self._keys():
            yield DiscoveryHit(name, partial(self.screen.run_action, action), help=tooltip)

    async def search(self, query: str) -> Hits:
        """Offer what matches."""
        matcher = self.matcher(query)
        for name, tooltip, action in self._keys():
            if score := matcher.match(name):
                yield Hit(score, Content(name), partial(self.screen.run_action, action), name, tooltip)
        desk = cast("DeskScreen", self.screen)
        wanted, found = query.casefold(), 0
        for line in desk.arrivals.threads.sorted:
            if wanted in line.thread_id.casefold():
                shown = visible(line.thread_id)
                yield Hit(0.9, Content(shown), partial(desk.open_thread, line.thread_id), shown)
                found += 1
                if found == MOST:
                    return

    def _keys(self) -> list[tuple[str, str, str]]:
        return [
            (active.binding.description, active.binding.tooltip, active.binding.action)
            for active in self.screen.active_bindings.values()
            if active.enabled and active.node is self.screen and active.binding.description
        ]
