"""What the list shows: nothing jumps while the operator is in the middle of a request."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from ..threads import Filter, Threads

if TYPE_CHECKING:
    from agent_lab_tui.graph.reading.reader import ThreadLine


class Arrivals:
    """Keeps the order of the list while it is held; counts the threads that wait to be let in."""

    def __init__(self) -> None:
        self.threads = Threads()
        self.filter = Filter()
        self.waiting: frozenset[str] = frozenset()
        """Threads with a new question that the operator has not been shown in the list."""
        self.labels: dict[str, str] = {}
        """Labels by the id of a head, as far as somebody has filtered by one."""
        self._order: tuple[str, ...] = ()

    def take(self, threads: Threads, arrived: frozenset[str], *, is_held: bool) -> tuple[ThreadLine, ...]:
        """Take threads that were read; return the rows to list.

        Args:
            threads: all of them, sorted.
            arrived: those with a new question.
            is_held: rows keep their places, and new ones stay out.
        """
        self.threads = threads
        self.waiting |= {thread_id for thread_id in arrived if thread_id in threads.by_id}
        if not is_held:
            return self.release()
        by_id = threads.by_id
        return tuple(by_id[thread_id] for thread_id in self._order if thread_id in by_id)

    def release(self) -> tuple[ThreadLine, ...]:
        """Let everything in, sorted; return the rows to list."""
        rows = self.threads.passing(self.filter, self.labels)
        self._order = tuple(row.thread_id for row in rows)
        return rows

    def look(self, above: Iterable[str], listed: Collection[str]) -> int:
        """Forget the new threads that are in sight; return how many are not.

        Args:
            above: ids of the rows that lie above what is seen.
            listed: ids of all rows.
        """
        self.waiting = (self.waiting & frozenset(above)) | (self.waiting - frozenset(listed))
        return len(self.waiting)

    def narrow(self, wanted: Filter) -> tuple[ThreadLine, ...]:
        """Use another filter; return the rows to list."""
        self.filter = wanted
        return self.release()

    @property
    def unlabelled(self) -> tuple[ThreadLine, ...]:
        """The threads whose labels the filter needs and nobody has read yet."""
        if not self.filter.needs_labels:
            return ()
        return tuple(line for line in self.threads.sorted if line.checkpoint_id not in self.labels)
