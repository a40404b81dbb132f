"""Ask the operator about a deed whose end nobody knows; each answer counts for its own question only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langgraph.errors import GraphInterrupt
from langgraph.runtime import get_runtime
from langgraph.types import interrupt

from agent_lab_tui.store.effects import Effect, Effects

from .answers import Kind, Misfit, Verdict, verdicts


class UnknownOutcome(Exception):
    """The thing was begun, nobody can tell how it ended, and there is nobody to ask here."""


@dataclass(frozen=True, slots=True)
class Question:
    """The n-th question of a task about one effect."""

    effects: Effects
    effect: Effect | None
    place: Place | None
    number: int
    arguments: Mapping[str, Any]

    @property
    def is_due(self) -> bool:
        """Whether it has to be asked: the end is unknown, or it was asked in this very task before."""
        return self._is_unknown or (self.place is not None and self._asked_about(self.place.task) is not None)

    def ask(self) -> Verdict | None:
        """Return what the operator said about the attempt that is unknown now; None for anything else."""
        assert self.effect is not None
        if self.place is None:
            raise UnknownOutcome(f"{self.effect.operation} ({self.effect.key}): {self.effect.note}")
        asked_about = [self._asked_about(name) for name in self.place.names]
        try:
            answer = interrupt(self._payload())
        except GraphInterrupt:
            for name in self.place.names:
                self.effects.note_question(self.effect, name, self.number)
            raise
        try:
            (verdict,) = verdicts([_Asked(self.effect.operation, self.arguments)], answer)
        except Misfit:
            return None
        is_about_it = next((one for one in asked_about if one is not None), None) == self.effect.attempt
        return verdict if self._is_unknown and is_about_it else None

    @property
    def _is_unknown(self) -> bool:
        return self.effect is not None and self.effect.state == "unknown"

    def _asked_about(self, name: str) -> int | None:
        return None if self.effect is None else self.effects.asked(self.effect.key, name, self.number)

    def _payload(self) -> dict[str, Any]:
        effect = self.effect
        assert effect is not None
        again = f"Attempt {effect.attempt} may have been done. Done again, it may happen twice."
        settled = f"It is settled meanwhile ({effect.state}); any answer goes on, nothing is done again."
        return {
            "type": "unknown_outcome",
            "action_requests": [
                {
                    "name": effect.operation,
                    "args": dict(self.arguments),
                    "description": f"It is not known whether {effect.operation} was done.",
                    "reason": effect.note or "",
                    "impact": again if self._is_unknown else settled,
                    "risk": "high",
                    "key": effect.key,
                }
            ],
            "review_configs": [{"action_name": effect.operation, "allowed_decisions": list(_CHOICES)}],
            "choices": _CHOICES,
            "attempt": effect.attempt,
            "started_at": effect.started_at,
        }


_CHOICES: dict[str, str] = {
    "approve": "run it again",
    "respond": "take it as done; the message is kept as its result",
    "reject": "stop; it is not done again",
}


@dataclass(frozen=True, slots=True)
class _Asked:
    operation: str
    arguments: Mapping[str, Any]
    allowed: Sequence[Kind] = ("approve", "respond", "reject")
    check: None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a graph the call stands."""

    task: str
    """The id of the LangGraph task: answers are stored by it."""
    path: str | None
    """The node below the task that holds its graph. A subgraph that keeps no checkpoints begins anew for
    every answer, under new task ids; this is what stays."""

    @property
    def names(self) -> tuple[str, ...]:
        """Under what its questions are noted, the most exact first."""
        return (self.task,) if self.path is None else (self.task, self.path)


def place_here() -> Place | None:
    """Return where in a graph this runs, None outside of one."""
    try:
        execution = get_runtime().execution_info
    except RuntimeError:
        return None
    if execution is None:
        return None
    path = execution.checkpoint_ns.rpartition(":")[0]
    return Place(execution.task_id, path if ":" in path.rpartition("|")[0] else None)
