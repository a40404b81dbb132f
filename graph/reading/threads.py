"""A thread as the desk shows it: one line of the list, or the whole of it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from json import dumps  # bound before a node may put something else in its place
from typing import TYPE_CHECKING, Any, NamedTuple

from agent_lab_tui.store.journal.decisions import Decision
from agent_lab_tui.store.values import Value, fingerprint

from ..questions import Question
from .situation import Situation

if TYPE_CHECKING:
    from agent_lab_tui.store.effects import Effect


class NotFound(LookupError):
    """There is no such thread or checkpoint; the message is one sentence."""


class NoSuchThread(NotFound):
    """The database has no thread of this id."""


class NoSuchCheckpoint(NotFound):
    """The thread has no checkpoint of this id."""


class SeveralCheckpoints(LookupError):
    """A word fits several checkpoints; the message lists them, a line each."""

    def __init__(self, *lines: str) -> None:
        """Take the lines; raw foreign names in them."""
        super().__init__("\n".join(lines))
        self.lines = lines


class ThreadLine(NamedTuple):
    """One thread in the list; a tuple, because there may be 100,000 of them."""

    thread_id: str
    situation: Situation
    asks: str
    """The operation asked for, the class of the error, or the next node; raw foreign text."""
    questions: int
    """How many wait or are stuck."""
    graph: str | None
    step: int | None
    checkpoint_id: str
    """The head."""
    updated_at: float | None
    """When the head was made, unix seconds."""


@dataclass(frozen=True, slots=True)
class Thread:
    """One thread as it stands, or stood at a checkpoint."""

    thread_id: str
    situation: Situation
    evidence: str
    """One sentence; raw foreign names in it."""
    graph: str | None
    checkpoint_id: str
    is_head: bool
    digest: str
    """Changes with everything that an operator decides upon."""
    values: Value
    """The state by key; one value for graphs whose state has no keys."""
    metadata: Mapping[str, Any]
    config: Mapping[str, Any]
    """What its runs were configured with, secrets in clear: for the run; cover them before display."""
    next: tuple[str, ...]
    reruns: tuple[str, ...]
    """Nodes that run again from their top when the thread goes on."""
    runs_next: tuple[str, ...]
    """Nodes that run after that, or first where none runs again."""
    error: str | None
    questions: tuple[Question, ...]
    decision: Decision | None
    """The newest open decision about it."""
    warnings: tuple[str, ...]
    """Sentences an operator should read before deciding; raw foreign names in them."""
    notes: tuple[str, ...] = ()
    """Sentences about the values: what they leave out; raw foreign names in them."""
    fitting: tuple[str, ...] = ()
    """The loaded graphs that fit it, where several do and nothing says which one wrote it."""
    ledger: Mapping[str, Effect] = field(default_factory=dict)
    """By the keys that its questions name, what the effects ledger beside the database has under them."""
    due: tuple[str, ...] = ()
    """Nodes that run when it goes on and that neither a question nor a breakpoint holds back."""
    broken_off: str | None = None
    """How the run broke off that left it here, and what may have begun; without a full stop."""


def question_digest(checkpoint_id: str, interrupt_id: str, value: Value) -> str:
    """Hash what is asked: the head, the question's id and its exact value."""
    return _hash([checkpoint_id, interrupt_id, fingerprint(value)])


def thread_digest(thread_id: str, checkpoint_id: str, nodes: Iterable[str], questions: Iterable[str]) -> str:
    """Hash where a thread stands: its head, the nodes to run and the digests of its questions."""
    return _hash([thread_id, checkpoint_id, list(nodes), sorted(questions)])


def _hash(parts: list[Any]) -> str:
    return hashlib.sha256(dumps(parts).encode("ascii")).hexdigest()
