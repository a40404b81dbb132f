"""The chain of a journal's events: adding a link, checking the whole, deriving what follows from it."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass, replace
from json import dumps, loads  # bound, as `time` is, before a node may put something else in their place
from time import time
from typing import Any, cast

from .. import cipher
from .decisions import BreakOff, Decision, Event, Order, State, holds, order_from_json

ARCHIVED = "archived"
"""Kind of the event that says where the events before the first one in the file have gone."""

BROKE_OFF = "broke-off"
"""Kind of the event that says how the run of a decision broke off; the decision stands as before."""

_COLUMNS = "seq, decision, kind, thread, at, by, body, previous, digest"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What checking a journal from its first event to its last has found."""

    is_whole: bool
    events: int
    head: str
    """Digest of the last event that was read; keep it elsewhere to find a cut tail later."""
    broken_at: int | None = None
    """Number of the first event that does not fit."""
    reason: str = ""


def append(
    conn: sqlite3.Connection,
    decision_id: str,
    kind: str,
    thread_id: str,
    by: str,
    body: Mapping[str, Any],
    *,
    is_secret: bool = False,
) -> Event:
    """Add one event behind the last one; the caller holds a write transaction.

    The body is sealed where it is secret, and where the decision's first one was.

    Raises:
        CannotDecrypt: It must be sealed, and there is no key.
    """
    last = conn.execute("SELECT seq, digest FROM event ORDER BY seq DESC LIMIT 1").fetchone()
    seq, previous = (last[0] + 1, last[1]) if last else (1, "")
    text = dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    if is_secret or _began_sealed(conn, decision_id):
        text = cipher.seal(text)
    unsigned = Event(seq, decision_id, kind, thread_id, time(), by, text, previous, "")
    event = replace(unsigned, digest=digest_of(unsigned))
    insert(conn, event)
    return event


def _began_sealed(conn: sqlite3.Connection, decision_id: str) -> bool:
    query = "SELECT body FROM event WHERE decision = ? ORDER BY seq LIMIT 1"
    row = conn.execute(query, (decision_id,)).fetchone() if decision_id else None
    return row is not None and cipher.is_sealed(row[0])


def insert(conn: sqlite3.Connection, event: Event) -> None:
    """Write an event as it is."""
    conn.execute("INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", astuple(event))


def digest_of(event: Event) -> str:
    """Hash everything an event says, and the digest of the event before it."""
    parts = [event.seq, event.decision_id, event.kind, event.thread_id, event.at, event.by, event.body]
    return hashlib.sha256(dumps([*parts, event.previous]).encode()).hexdigest()


def read(conn: sqlite3.Connection, where: str = "", values: tuple[Any, ...] = ()) -> Iterator[Event]:
    """Yield events in order; `where` is one of this package's own conditions."""
    for row in conn.execute(f"SELECT {_COLUMNS} FROM event {where} ORDER BY seq", values):  # noqa: S608
        yield Event(*row)


def check(events: Iterable[Event], head: str | None = None) -> Verdict:
    """Follow the chain and name the first link that is broken.

    Args:
        events: All events of the file, in order.
        head: A digest noted earlier; if the chain does not contain it, its end was cut off.
    """
    previous, count, has_head, start, archived = "", 0, head in (None, ""), None, {}
    for event in events:
        if start is None:
            start, previous = event, event.previous
        expected = start.seq + count
        if event.seq != expected or event.previous != previous:
            return Verdict(False, count, previous, expected, "the event that belongs here is gone or changed")
        if digest_of(event) != event.digest:
            return Verdict(False, count, previous, event.seq, "its content was changed after it was written")
        if event.kind == ARCHIVED:
            body = loads(event.body)
            archived[body["up_to"]] = body["digest"]
        previous, count = event.digest, count + 1
        has_head = has_head or event.digest == head
    if start is not None and start.previous != ("" if start.seq == 1 else archived.get(start.seq - 1)):
        return Verdict(
            False, count, previous, start.seq, "the events before it are gone and no archive is named"
        )
    if not has_head:
        seq = (start.seq if start else 1) + count
        return Verdict(False, count, previous, seq, "the digest given is not in it: its end was cut off")
    return Verdict(True, count, previous)


def fold(events: Iterable[Event]) -> dict[str, Decision]:
    """Return every decision that the events speak of, as it stands after the last of them.

    One about an encrypted thread, whose key is missing or another one, is given sealed.
    """
    decisions: dict[str, Decision] = {}
    for event in events:
        if event.kind == ARCHIVED:
            continue
        body = _body(event)
        if event.kind == "recorded":
            order = _sealed_order(event) if body is None else order_from_json(body)
            decisions[event.decision_id] = Decision(
                event.decision_id, order, event.at, "recorded", event.at, is_sealed=body is None
            )
        elif event.kind == BROKE_OFF:
            if body is None or event.decision_id not in decisions:
                continue
            seen = BreakOff(body["how"], tuple(body["begun"]), body["checkpoint_id"], body["pid"], event.at)
            decisions[event.decision_id] = replace(decisions[event.decision_id], break_off=seen)
        elif event.decision_id in decisions:
            before = decisions[event.decision_id]
            decisions[event.decision_id] = replace(
                before,
                state=cast(State, event.kind),
                changed_at=event.at,
                detail=(body or {}).get("detail", ""),
                error=(body or {}).get("error"),
                token=(body or {}).get("token", before.token),
            )
    return decisions


def _body(event: Event) -> dict[str, Any] | None:
    """Return what an event says; None where it is sealed and the key is not here."""
    try:
        body: dict[str, Any] = loads(cipher.unsealed(event.body))
    except cipher.CannotDecrypt:
        return None
    return body


def _sealed_order(event: Event) -> Order:
    return Order("answer", event.thread_id, "", "", by=event.by)


def claims_of(decisions: Iterable[Decision]) -> dict[tuple[str, str], str]:
    """Return which decision holds which question of which thread, as the events alone tell it."""
    return {
        (decision.order.thread_id, question): decision.decision_id
        for decision in decisions
        if holds(decision.order, decision.state)
        for question in decision.order.claims
    }
