"""What an operator orders and what became of it: the records that the journal keeps."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["answer", "go-on", "ask-again", "skip", "abandon", "fork", "replay"]
State = Literal["recorded", "running", "applied", "failed", "unknown", "stale", "refused", "withdrawn"]

INTO = "into "
"""Begins the claim of an order that makes a new thread."""

OPEN_STATES: frozenset[str] = frozenset({"recorded", "running", "unknown", "failed"})
"""A decision in one of these still holds its questions."""


@dataclass(frozen=True, slots=True)
class Order:
    """One thing that an operator wants done, complete enough to do it in another process, another day."""

    kind: Kind
    thread_id: str
    checkpoint_id: str
    """The thread's head that was on the screen; for fork and replay the checkpoint to start from."""
    digest: str
    """Digest of the thread that was on the screen."""
    questions: tuple[str, ...] = ()
    """Interrupt ids that are answered; empty for every other kind."""
    digests: Mapping[str, str] = field(default_factory=dict)
    """By question id, the digest of what was on the screen."""
    choices: Mapping[str, Any] = field(default_factory=dict)
    """By question id, what was chosen, as JSON: for people to read, not for sending."""
    answers: Mapping[str, bytes] = field(default_factory=dict)
    """By question id, the exact answer as `store.values.encode` gives it: this is sent."""
    by: str = ""
    """The operator's name, as given."""
    os_user: str = ""
    """The account the operating system vouches for."""
    graph: str | None = None
    note: str = ""
    """What the answer cannot carry: a reject reason without a place, why a thread was abandoned."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Run configuration and the arguments of a fork, as JSON."""
    not_before: float = 0.0
    """Unix seconds; until then it can be withdrawn and does not start."""

    @property
    def claims(self) -> tuple[str, ...]:
        """What it holds while it is open: its questions, or the whole thread's one road on."""
        if self.questions:
            return self.questions
        into = self.options.get("into")
        return (f"{INTO}{into}",) if into else ("",)

    @property
    def runs(self) -> str:
        """The thread that runs: its own, or the new one that it makes."""
        return str(self.options.get("into") or self.thread_id)


@dataclass(frozen=True, slots=True)
class BreakOff:
    """How a run broke off with the process that carried it out."""

    how: str
    """How that process ended, without a full stop; empty where nobody saw it."""
    begun: tuple[str, ...]
    """Nodes that were seen to begin and not to end, with their parents; raw foreign names."""
    checkpoint_id: str
    """The head of the thread that ran, once it had ended."""
    pid: int | None
    """The number of the process, on its own machine."""
    at: float = 0.0
    """When it was written down, unix seconds."""


@dataclass(frozen=True, slots=True)
class Decision:
    """One order in the journal and where it stands."""

    decision_id: str
    order: Order
    at: float
    """When it was recorded, unix seconds."""
    state: State
    changed_at: float
    detail: str = ""
    error: str | None = None
    token: int | None = None
    """The lease under which it ran last."""
    break_off: BreakOff | None = None
    """How its run broke off, if it did."""
    is_sealed: bool = False
    """It is about an encrypted thread and the key is not here: of its order only the thread, who gave it
    and what it holds are known."""

    @property
    def is_open(self) -> bool:
        """Whether it still holds its questions, or the thread."""
        return holds(self.order, self.state)


@dataclass(frozen=True, slots=True)
class Event:
    """One line of the journal, chained to the line before it."""

    seq: int
    decision_id: str
    kind: str
    thread_id: str
    at: float
    by: str
    body: str
    """JSON; the order itself for `recorded`, otherwise detail, error and token."""
    previous: str
    digest: str


def holds(order: Order, state: str) -> bool:
    """Tell whether an order in this state keeps others from deciding the same.

    A failed answer does, because it may be stored with the thread; a failed go-on, fork or replay
    leaves nothing behind that a second one would do twice.
    """
    return state in OPEN_STATES and not (state == "failed" and not order.questions)


def order_to_json(order: Order) -> dict[str, Any]:
    """Return an order as JSON-able fields; answers as base64, so that their types survive."""
    return {
        "order": order.kind,
        "thread_id": order.thread_id,
        "checkpoint_id": order.checkpoint_id,
        "digest": order.digest,
        "questions": list(order.questions),
        "digests": dict(order.digests),
        "choices": dict(order.choices),
        "answers": {
            question: base64.b64encode(blob).decode("ascii") for question, blob in order.answers.items()
        },
        "by": order.by,
        "os_user": order.os_user,
        "graph": order.graph,
        "note": order.note,
        "options": dict(order.options),
        "not_before": order.not_before,
    }


def order_from_json(fields: Mapping[str, Any]) -> Order:
    """Return the order that `order_to_json` wrote."""
    return Order(
        kind=fields["order"],
        thread_id=fields["thread_id"],
        checkpoint_id=fields["checkpoint_id"],
        digest=fields["digest"],
        questions=tuple(fields["questions"]),
        digests=fields["digests"],
        choices=fields["choices"],
        answers={question: base64.b64decode(text) for question, text in fields["answers"].items()},
        by=fields["by"],
        os_user=fields["os_user"],
        graph=fields["graph"],
        note=fields["note"],
        options=fields["options"],
        not_before=fields["not_before"],
    )
