"""The journal's decisions and events as JSON."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from agent_lab_tui.store.cipher import is_sealed
from agent_lab_tui.store.journal.book import Decision, Event
from agent_lab_tui.store.values import decode, to_json

from ..options import fail
from ..visible import visible


def decision_record(decision: Decision) -> dict[str, Any]:
    """Return a decision as `journal show --json` prints it."""
    order = decision.order
    return {
        "decision_id": decision.decision_id,
        "thread_id": order.thread_id,
        "kind": order.kind,
        "state": decision.state,
        "at": decision.at,
        "changed_at": decision.changed_at,
        "by": order.by,
        "os_user": order.os_user,
        "graph": order.graph,
        "checkpoint_id": order.checkpoint_id,
        "questions": list(order.questions),
        "choices": dict(order.choices),
        "answers": {question: to_json(decode("msgpack", blob)) for question, blob in order.answers.items()},
        "note": order.note,
        "detail": decision.detail,
        "error": decision.error,
        "is_sealed": decision.is_sealed,
    }


def event_record(event: Event) -> dict[str, Any]:
    """Return an event with everything that its digest is made of; a sealed body stays as it is."""
    return {
        "seq": event.seq,
        "decision_id": event.decision_id,
        "kind": event.kind,
        "thread_id": event.thread_id,
        "at": event.at,
        "by": event.by,
        "body": event.body if is_sealed(event.body) else json.loads(event.body),
        "previous": event.previous,
        "digest": event.digest,
    }


def write_new(file: Path, text: str) -> None:
    """Write a new file for its owner alone; an existing one ends the command."""
    try:
        descriptor = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        fail(f"{visible(str(file))} cannot be made: {error.strerror}.")
    with os.fdopen(descriptor, "w", encoding="utf-8") as out:
        out.write(text)
