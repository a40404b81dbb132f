"""What is known of which graph a thread belongs to, beside what its own rows name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from agent_lab_tui.store.journal.book import Journal


@dataclass(frozen=True, slots=True)
class Owners:
    """The operator's own word for this session, and what the journal says was run on a thread."""

    journal: Journal | None = None
    chosen: Mapping[str, str] = field(default_factory=dict)
    """By thread id, the name of the graph that the operator chose; may grow."""

    def last(self, thread_id: str) -> str | None:
        """Name the graph that carried out the newest decision about a thread; None where none did."""
        made = self.journal.of_thread(thread_id) if self.journal is not None else ()
        ran = (one for one in made if one.state == "applied" and one.order.graph)
        newest = max(ran, key=lambda one: one.changed_at, default=None)
        return newest.order.graph if newest is not None else None
