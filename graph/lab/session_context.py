"""Rebuild what the model is sent from one branch of a session log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .session import Record, Session

NO_RESULT = "No result was recorded: the process ended. It may or may not have run."
UNFIT = "fit for reading and editing files; unfit for mail or money, where it would be done twice"


@dataclass(frozen=True, slots=True)
class Context:
    """What the next request to the model holds."""

    model: str | None
    messages: tuple[Mapping[str, Any], ...]
    notices: tuple[str, ...]


def context_of(session: Session, leaf: str | None) -> Context:
    """Return the model and the messages of the branch that ends in a leaf.

    Replies that failed or were broken off are left out; what a compaction covers is replaced by its summary;
    a call without a result gets a made-up one that says so, because a model refuses an unpaired call.
    """
    model = None
    kept: list[tuple[str, Mapping[str, Any]]] = []
    for record in session.path_to(leaf):
        if record.type == "model_change":
            model = record.body["model"]
        elif record.type == "compaction":
            kept = [(record.id, _summary(record)), *_from(kept, record.body["first_kept"])]
        elif record.body.get("stop") not in ("error", "aborted"):
            kept.append((record.id, record.body))
    messages, notices = _paired([message for _, message in kept])
    return Context(model, tuple(messages), tuple(notices))


def _summary(record: Record) -> Mapping[str, Any]:
    return {"role": "user", "content": f"Summary of what went before: {record.body['summary']}"}


def _from(kept: list[tuple[str, Mapping[str, Any]]], first: str) -> Iterable[tuple[str, Mapping[str, Any]]]:
    ids = [record_id for record_id, _ in kept]
    return kept[ids.index(first) :] if first in ids else kept


def _paired(messages: list[Mapping[str, Any]]) -> tuple[list[Mapping[str, Any]], list[str]]:
    """Put every result behind its call, in the order of the calls, and a made-up one where none is."""
    results = {message["call"]: message for message in messages if message["role"] == "tool"}
    paired: list[Mapping[str, Any]] = []
    notices = []
    for message in messages:
        if message["role"] == "tool":
            continue
        paired.append(message)
        for call in message.get("calls", ()):
            if call["id"] not in results:
                notices.append(f"{call['name']}: a call without a result; the model is told so ({UNFIT})")
            missing = {"role": "tool", "call": call["id"], "content": NO_RESULT, "is_error": True}
            paired.append(results.get(call["id"], missing))
    return paired, notices
