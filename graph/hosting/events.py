"""What a host tells while it carries decisions out, and what became of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

ProgressKind = Literal["waits", "start", "node", "node-done", "asks", "text"]
OutcomeState = Literal["applied", "failed", "stale", "refused", "unknown", "recorded"]


@dataclass(frozen=True, slots=True)
class Progress:
    """One thing seen of a run while it goes on."""

    thread_id: str
    decision_ids: tuple[str, ...]
    kind: ProgressKind
    """A run waits or starts, a node starts, a node ended, a node asks, or a node says something itself."""
    node: str
    """The node, with its parents: `review/send`; empty for the start. Raw foreign text."""
    text: str
    """What is to be said of it, such as a node's error; raw foreign text, at most 2,000 characters."""
    at: float
    """Unix seconds."""

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON-able types."""
        return asdict(self)

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Progress:
        """Return the progress that `to_json` was called on."""
        return cls(**{**record, "decision_ids": tuple(record["decision_ids"])})


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of decisions of one thread that were sent together."""

    decision_ids: tuple[str, ...]
    thread_id: str
    state: OutcomeState
    detail: str
    """In a few words: "finished", "asks: send_mail", "failed: …", or who runs the thread instead."""
    error: str | None = None
    """The error of the node or of the run, in full; raw foreign text."""

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON-able types."""
        return asdict(self)

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Outcome:
        """Return the outcome that `to_json` was called on."""
        return cls(**{**record, "decision_ids": tuple(record["decision_ids"])})


@dataclass(frozen=True, slots=True)
class HostDied:
    """A host ended though nobody asked it to; the next call starts a new one."""

    detail: str
    """One sentence: how it ended and what it was doing."""
    exit_code: int | None
    """As `subprocess` gives it: negative for a signal."""
    thread_ids: tuple[str, ...]
    """The threads it was running or was about to run."""


Event = Progress | Outcome | HostDied
"""What a listener hears."""


class HostError(Exception):
    """A host could not do what was asked; the message is one sentence."""


class HostGone(HostError):
    """The host ended before it answered; what it was doing is unknown until evidence settles it."""
