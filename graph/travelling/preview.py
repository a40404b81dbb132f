"""What a replay would do, told before it does anything (pure)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from agent_lab_tui.store.effects import Effect, fingerprint
from agent_lab_tui.store.values import to_json

from ..questions import Value
from ..reading.messages import ToolCall
from .placing import began
from .timeline import Asked, Checkpoint

Would = Literal["be skipped", "run again", "unknown"]

_DIGEST = 12
"""Characters of the digest at the end of our middleware's keys: `thread:call:digest`."""
_PART = re.compile(r"[:|/\s]+")
_MADE_UP = re.compile(r"(?=[\w-]*\d)(?:[0-9a-fA-F-]{8,}|[\w-]*[0-9a-fA-F]{12,}|call_[\w-]+)")


@dataclass(frozen=True, slots=True)
class AskedAgain:
    """A question that was answered on this way once, and will be asked again."""

    node: str
    question_id: str
    """Of the old question; the new one gets another."""
    value: Value
    is_answered: bool
    by: str = ""
    """Who answered; empty when the journal does not know."""
    at: float | None = None
    """Unix time of the answer, seconds; None when the journal does not know."""
    answer: Any = None
    """The choices of the journal, else the raw value that the thread kept; dropped by the replay."""


@dataclass(frozen=True, slots=True)
class Fate:
    """What a replay does to one effect that was done after its checkpoint."""

    key: str
    operation: str
    state: str
    would: Would
    why: str


@dataclass(frozen=True, slots=True)
class ReplayPreview:
    """What runs again, asks again and acts again when a thread is replayed from a checkpoint."""

    thread_id: str
    checkpoint: Checkpoint
    step: tuple[str, ...]
    """The nodes that run again for certain, at once."""
    then: tuple[str, ...]
    """The nodes that ran after them the last time, in that order; the new run may go another way."""
    questions: tuple[AskedAgain, ...]
    effects: tuple[Fate, ...]
    unasked: tuple[str, ...] = ()
    """The nodes of the first step that stand behind an answered question: they run, and nobody is asked."""

    @property
    def needs_word(self) -> bool:
        """Whether something runs again that a person was asked about, or acts again, without asking."""
        return self.acts_again or bool(self.unasked)

    @property
    def reruns(self) -> tuple[str, ...]:
        """Every node that runs again if the run goes the same way, in order, each once."""
        return tuple(dict.fromkeys((*self.step, *self.then)))

    @property
    def acts_again(self) -> bool:
        """Whether an effect is known to be done a second time, or nobody can tell."""
        return any(fate.would != "be skipped" for fate in self.effects)

    @property
    def is_empty(self) -> bool:
        """Whether nothing would run: the checkpoint is the end of its branch."""
        return not self.step


def replay_preview(
    thread_id: str,
    checkpoint: Checkpoint,
    way: Sequence[Checkpoint],
    answers: Mapping[str, Value],
    effects: Iterable[Effect],
    state: str,
    *,
    calls: Iterable[ToolCall] = (),
    is_behind_answer: bool = False,
) -> ReplayPreview:
    """Tell what a replay would do.

    Args:
        checkpoint: The one to replay, with next nodes and questions.
        way: What came after it the last time, oldest first; those that asked with their questions.
        answers: By question id, the raw answer that the thread kept.
        effects: What the ledger knows of this thread.
        state: The checkpoint's state as text, to tell which keys follow from it.
        calls: The tool calls in the checkpoint's messages: a key that names one of them is made again.
        is_behind_answer: A question was answered before this checkpoint, in the same run.
    """
    step = tuple(dict.fromkeys(checkpoint.next or ()))
    ran = [node for later in way for node in later.ran]
    ran += [node for later in way[-1:] for node in (*later.asks, *(later.next or ()))]
    asked = [
        _asked_again(past, question, answers)
        for past in (checkpoint, *way)
        for question in past.questions or ()
    ]
    since, made = checkpoint.at, _digests(calls)
    return ReplayPreview(
        thread_id,
        checkpoint,
        step,
        tuple(node for node in dict.fromkeys(ran) if node not in step and not node.startswith("__")),
        tuple(asked),
        tuple(_fate(effect, thread_id, state, made) for effect in effects if _is_later(effect, since)),
        tuple(node for node in step if node not in checkpoint.asks) if is_behind_answer else (),
    )


def _asked_again(checkpoint: Checkpoint, question: Asked, answers: Mapping[str, Value]) -> AskedAgain:
    decided = next((one for one in reversed(checkpoint.decisions) if question.id in one.order.choices), None)
    return AskedAgain(
        question.node,
        question.id,
        question.value,
        question.is_answered,
        decided.order.by if decided else "",
        decided.at if decided else None,
        decided.order.choices[question.id] if decided else answers.get(question.id),
    )


def _is_later(effect: Effect, since: float | None) -> bool:
    """Tell whether an effect began after a checkpoint was made; the ledger keeps whole seconds."""
    at = began(effect.started_at)
    return since is None or at is None or at >= int(since)


def _digests(calls: Iterable[ToolCall]) -> dict[str, set[str]]:
    """Return, by id of a call, how our middleware writes its name and arguments into a key."""
    found: dict[str, set[str]] = {}
    for call in calls:
        if call.id:
            deed = {"name": call.name, "args": to_json(call.arguments)}
            found.setdefault(call.id, set()).add(fingerprint(deed)[:_DIGEST])
    return found


def _fate(effect: Effect, thread_id: str, state: str, calls: Mapping[str, set[str]]) -> Fate:
    """Tell what becomes of one effect: its key decides, and whether the replay makes the same key again."""

    def fate(would: Would, why: str) -> Fate:
        return Fate(effect.key, effect.operation, effect.state, would, why)

    if effect.state == "failed":
        return fate("run again", "it is known not to have been done")
    if effect.state != "done":
        return fate("unknown", "nobody can tell whether it was done")
    parts = _PART.split(effect.key)
    named = [one for one in calls if one in parts or f":{one}:" in f":{effect.key}:"]
    if named:
        digest = parts[-1] if re.fullmatch(rf"[0-9a-f]{{{_DIGEST}}}", parts[-1]) else ""
        if digest and not any(digest in (one, *calls[one]) for one in named):
            return fate("unknown", "its call stands here with other arguments: only the same edit is skipped")
        return fate("be skipped", "done under this key, which its call in this checkpoint makes again")
    new = [part for part in parts if _MADE_UP.fullmatch(part)]
    if any(part not in state and part not in thread_id for part in new):
        return fate("run again", "its key was made after this checkpoint, so the new run makes another")
    return fate("be skipped", "done under this key")


def belonging(effects: Iterable[Effect], thread_id: str, words: Iterable[str]) -> tuple[Effect, ...]:
    """Return the effects of a thread, told by their keys: the ledger does not know threads.

    Args:
        words: The short texts in the thread's state, and the keys that its questions named. A key is the
            thread's when it is one of them, or begins with one that has a digit in it, or with the
            thread's own id.
    """
    known = set(words)
    first = {word for word in known if any(char.isdigit() for char in word)} | {thread_id}
    return tuple(
        effect
        for effect in effects
        if effect.key in known or effect.key == thread_id or _PART.split(effect.key)[0] in first
    )
