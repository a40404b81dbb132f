"""What an empty list says."""

from __future__ import annotations

from ..threads import Filter, Threads


def list_sentence(threads: Threads, wanted: Filter, *, is_all: bool) -> str:
    """Say why no thread is listed."""
    if threads.sorted and not wanted.is_empty:
        return "No thread matches.\nEsc shows all."
    if not is_all:
        return "Reading the threads …"
    return "No threads yet.\n\nWhen an agent writes its first checkpoint here, it appears by itself."
