"""The scripted model: deterministic, without a key, and answering to what it is told like any other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolCall, ToolMessage

from .provider import fail_if_planned
from .run import Call
from .scripts import EXPLANATIONS, SCRIPTS, Script, Turn
from .words import REJECTED

__all__ = ["SCRIPTS", "ScriptedModel"]

_CHARACTERS_A_TOKEN = 4


@dataclass(frozen=True, slots=True)
class _Place:
    """Where in its script a conversation stands."""

    turn: int = -1
    is_otherwise: bool = False
    rejected: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ScriptedModel:
    """Plays a script; what it says next depends on the conversation alone, so any process can go on."""

    script: Script
    failures: Path
    """The file of the provider's planned failures."""

    def reply(self, messages: Sequence[BaseMessage]) -> AIMessage:
        """Return the next turn, or the other way after a rejection.

        Raises:
            ProviderError: The provider's failure was planned for this step.
        """
        steps = sum(isinstance(message, AIMessage) for message in messages)
        fail_if_planned(self.failures, steps + 1)
        turn, metadata = self._after(_place(messages))
        return AIMessage(
            turn.says,
            tool_calls=[
                ToolCall(id=f"step-{steps + 1}-call-{number}", name=name, args=dict(arguments))
                for number, (name, arguments) in enumerate(turn.calls, start=1)
            ],
            response_metadata=metadata,
            usage_metadata=_usage(messages, turn.says),
        )

    def explain(self, call: Call, reason: str, question: str) -> AIMessage:
        """Say more about a call."""
        more = EXPLANATIONS.get(call["name"], f"I said: {reason or 'nothing'}")
        text = f"You asked: {question} {more}"
        return AIMessage(text, usage_metadata=_usage([], text))

    def _after(self, place: _Place) -> tuple[Turn, dict[str, Any]]:
        """Return the turn that follows, the other way first where a person refused a call."""
        other = self.script[place.turn].otherwise if place.turn >= 0 and not place.is_otherwise else {}
        calls = tuple(call for name in place.rejected for call in other.get(name, ()))
        if calls:
            says = "A person refused it, so I take another way."
            return Turn(says, calls), {"turn": place.turn, "otherwise": True}
        number = min(place.turn + 1, len(self.script) - 1)
        return self.script[number], {"turn": number}


def _place(messages: Sequence[BaseMessage]) -> _Place:
    """Read from a conversation where in the script it stands."""
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        if isinstance(message, AIMessage):
            names = {call["id"]: call["name"] for call in message.tool_calls}
            rejected = tuple(
                names[answer.tool_call_id]
                for answer in messages[index + 1 :]
                if isinstance(answer, ToolMessage) and str(answer.content).startswith(REJECTED)
            )
            metadata: dict[str, Any] = message.response_metadata
            return _Place(metadata.get("turn", -1), metadata.get("otherwise", False), rejected)
    return _Place()


def _usage(messages: Sequence[BaseMessage], says: str) -> Any:
    read = sum(len(str(message.content)) for message in messages) // _CHARACTERS_A_TOKEN
    said = max(len(says) // _CHARACTERS_A_TOKEN, 1)
    return {"input_tokens": read, "output_tokens": said, "total_tokens": read + said}
