"""Hold the lease of a thread while it runs, beating it from another thread: a busy loop must not lose it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from langgraph.runtime import RunControl

from agent_lab_tui.store.journal.book import JournalError
from agent_lab_tui.store.journal.leases import BEAT_SECONDS, Leases


@contextmanager
def held(leases: Leases, thread_id: str, control: RunControl) -> Iterator[int | None]:
    """Take a thread's lease, keep it alive, give it back; None while another process has it.

    A lease that is lost on the way stops the run after the step in hand.
    """
    token = leases.take(thread_id)
    if token is None:
        yield None
        return
    is_over = threading.Event()
    beating = threading.Thread(
        target=_beat, args=(leases, thread_id, token, control, is_over), name="lease", daemon=True
    )
    beating.start()
    try:
        yield token
    finally:
        is_over.set()
        beating.join()
        leases.release(thread_id, token)


def _beat(leases: Leases, thread_id: str, token: int, control: RunControl, is_over: threading.Event) -> None:
    while not is_over.wait(BEAT_SECONDS):
        try:
            is_held = leases.beat(thread_id, token)
        except JournalError:
            continue  # locked for a moment; a lease lives through many missed beats
        if not is_held:
            control.request_drain("another process has taken the thread over")
            return
