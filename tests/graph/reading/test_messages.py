"""What a model said, from raw messages of several kinds."""

from __future__ import annotations

from typing import Any

import pytest

from agent_lab_tui.graph.reading.messages import last_turn
from agent_lab_tui.store.values import Ext

CALLS = [
    {"name": "mail", "args": {"to": "ann"}, "id": "call-1", "type": "tool_call"},
    {"name": "mail", "args": {"to": "bob"}, "id": "call-2", "type": "tool_call"},
    {"name": "search", "args": {"q": "x"}, "id": "call-3", "type": "tool_call"},
]


def message(kind: str, **fields: Any) -> Ext:
    return Ext(
        5, [f"langchain_core.messages.{kind}", "Message", {"type": kind, **fields}, "model_validate_json"]
    )


def conversation(content: Any = "I will write.") -> list[Any]:
    return [
        message("human", content="Do it."),
        message("ai", content=content, tool_calls=CALLS),
        message("tool", content="3 results", tool_call_id="call-3"),
    ]


def test_calls_without_a_result_are_open() -> None:
    turn = last_turn(conversation())
    assert turn is not None
    assert turn.text == "I will write."
    assert [call.id for call in turn.open_calls] == ["call-1", "call-2"]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("  spaced  ", "spaced"),
        (
            [
                {"type": "text", "text": "one"},
                {"type": "tool_use", "name": "mail"},
                {"type": "text", "text": "two"},
            ],
            "one\ntwo",
        ),
        (["plain", {"type": "thinking", "thinking": "secret"}], "plain"),
        ("", ""),
        (None, ""),
        ([], ""),
    ],
)
def test_text_is_found_in_strings_and_blocks(content: Any, text: str) -> None:
    turn = last_turn(conversation(content))
    assert turn is not None
    assert turn.text == text


def test_messages_kept_as_plain_objects_are_read_too() -> None:
    messages = [
        {"role": "assistant", "content": "Hm.", "tool_calls": CALLS},
        {"role": "tool", "content": "x", "tool_call_id": "call-1"},
    ]
    turn = last_turn(messages)
    assert turn is not None
    assert [call.id for call in turn.open_calls] == ["call-2", "call-3"]


@pytest.mark.parametrize(
    "messages", [None, [], "text", {}, [1, None, Ext(9, b"x")], [message("human", content="x")]]
)
def test_what_is_no_conversation_has_no_turn(messages: Any) -> None:
    assert last_turn(messages) is None


def test_a_call_is_found_by_id_then_by_arguments_then_by_a_single_name() -> None:
    turn = last_turn(conversation())
    assert turn is not None
    assert turn.call_for("anything", None, id="call-2") == 1
    assert turn.call_for("mail", {"to": "bob"}) == 1
    assert turn.call_for("mail", {"to": "carl"}) is None
    assert turn.call_for("search", {"q": "changed"}) == 2
    assert turn.call_for("mail", {"to": "ann"}, taken=frozenset({0})) == 1
    assert turn.call_for("mail", {"to": "ann"}, id="gone") is None
