"""Move the journal's old events into a file of their own; both parts still verify, and name each other."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from . import chain
from .decisions import Decision, Event
from .file import JournalError, JournalFile
from .reading import told
from .schema import guard, unguard


@dataclass(frozen=True, slots=True)
class Archived:
    """What was moved, and where to."""

    path: Path
    events: int
    head: str
    """Digest of the last event that was moved; the journal names it, too."""


def archive(file: JournalFile, target: Path, before: float, by: str) -> Archived | None:
    """Move the events before a moment into a new file; None when there are none that can go.

    Events of decisions that are still open stay, and so does everything after the first of them, because
    a chain has no gaps. The copy is complete and on the disk before anything is taken out here.

    Args:
        file: The journal.
        target: The archive, which must not exist.
        before: Unix seconds; younger events stay.
        by: Who orders it.

    Raises:
        JournalError: The chain is broken, or the target exists or cannot be made.
    """
    with file.writing() as conn:
        events = list(chain.read(conn))
        verdict = chain.check(events)
        if not verdict.is_whole:
            raise JournalError(f"The journal is broken at event {verdict.broken_at}: {verdict.reason}.")
        last = _last_to_move(events, before, told(conn))
        if last is None:
            return None
        moved = events[: events.index(last) + 1]
        _write(file, target, moved)
        body = {"up_to": last.seq, "digest": last.digest, "file": target.name, "events": len(moved)}
        chain.append(conn, "", chain.ARCHIVED, "", by, body)
        unguard(conn)
        conn.execute("DELETE FROM event WHERE seq <= ?", (last.seq,))
        guard(conn)
        return Archived(target, len(moved), last.digest)


def _last_to_move(events: list[Event], before: float, decisions: Mapping[str, Decision]) -> Event | None:
    """Return the last event that can go: old enough, with no decision reaching across the cut."""
    last_of = {event.decision_id: event.seq for event in events}
    found, reaches = None, 0
    for event in events:
        if event.at >= before:
            break
        decision = decisions.get(event.decision_id)
        if decision is not None and decision.is_open:
            break
        reaches = max(reaches, last_of[event.decision_id] if decision is not None else event.seq)
        if reaches == event.seq:
            found = event
    return found


def _write(file: JournalFile, target: Path, events: list[Event]) -> None:
    """Write events into a new journal file of the same rights; half a file is taken away again."""
    if os.path.lexists(target):
        raise JournalError(f"{target} exists already: name a new file for the archive.")
    copy = JournalFile(target, like=file.path)
    try:
        with copy.writing() as conn:
            conn.execute("DROP TRIGGER only_next")
            for event in events:
                chain.insert(conn, event)
            unguard(conn)
            guard(conn)
    except JournalError:
        target.unlink(missing_ok=True)
        raise
