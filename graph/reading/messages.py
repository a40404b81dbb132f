"""What a chat model said and called for, read from raw messages without LangChain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agent_lab_tui.store.values import Ext

from ..questions import Value


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call that a model wants made."""

    id: str | None
    name: str
    arguments: Value


@dataclass(frozen=True, slots=True)
class Turn:
    """The last message of the model, and what came back for its calls."""

    text: str
    """What it wrote beside its calls; "" when it wrote nothing."""
    calls: tuple[ToolCall, ...] = ()
    answered: frozenset[str] = frozenset()
    """Ids of the calls that have a result."""

    @property
    def open_calls(self) -> tuple[ToolCall, ...]:
        """The calls that have no result yet, in the model's order."""
        return tuple(call for call in self.calls if call.id is None or call.id not in self.answered)

    def call_for(
        self, name: str, arguments: Value, *, id: str | None = None, taken: frozenset[int] = frozenset()
    ) -> int | None:
        """Return which call an operation stands for: by its id, else by name and arguments, else by name.

        Args:
            name: The operation.
            arguments: Its arguments.
            id: The tool call id, where the question names one.
            taken: Places of calls that other operations stand for already.
        """
        free = [place for place in range(len(self.calls)) if place not in taken]
        if id is not None:
            return next((place for place in free if self.calls[place].id == id), None)
        named = [place for place in free if self.calls[place].name == name]
        equal = [place for place in named if self.calls[place].arguments == arguments]
        return equal[0] if equal else (named[0] if len(named) == 1 else None)


def last_turn(messages: Value) -> Turn | None:
    """Return the model's last message, or None where the channel holds no such thing."""
    if not isinstance(messages, list):
        return None
    answered: set[str] = set()
    for message in reversed(messages):
        fields = _fields(message)
        role = fields.get("type") or fields.get("role")
        if role == "tool" and isinstance(fields.get("tool_call_id"), str):
            answered.add(fields["tool_call_id"])
        elif role in ("ai", "AIMessageChunk", "assistant"):
            return Turn(_text(fields.get("content")), _calls(fields.get("tool_calls")), frozenset(answered))
    return None


def all_calls(messages: Value) -> tuple[ToolCall, ...]:
    """Return every call that the messages of a channel hold, the oldest first."""
    found = messages if isinstance(messages, list) else []
    return tuple(call for message in found for call in _calls(_fields(message).get("tool_calls")))


def _fields(message: Value) -> Mapping[str, Any]:
    fields = message.fields if isinstance(message, Ext) else message
    return fields if isinstance(fields, dict) else {}


def _text(content: Value) -> str:
    """Return the text of a message whose content is text or a list of blocks."""
    if isinstance(content, str):
        return content.strip()
    blocks = content if isinstance(content, list) else []
    texts = [block if isinstance(block, str) else _block(block) for block in blocks]
    return "\n".join(text for text in texts if text.strip()).strip()


def _block(block: Value) -> str:
    is_text = isinstance(block, dict) and block.get("type") in ("text", "output_text")
    return str(block.get("text") or "") if is_text else ""


def _calls(calls: Value) -> tuple[ToolCall, ...]:
    found = []
    for call in calls if isinstance(calls, list) else []:
        if isinstance(call, dict) and isinstance(call.get("name"), str):
            id_ = call.get("id")
            found.append(ToolCall(id_ if isinstance(id_, str) else None, call["name"], call.get("args")))
    return tuple(found)
