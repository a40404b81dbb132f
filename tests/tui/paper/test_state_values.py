"""A state reads by key: types, sizes, messages as messages, long values on demand; nothing takes effect."""

from __future__ import annotations

from typing import Any

from agent_lab_tui.store.values import Ext
from agent_lab_tui.tui.paper.messages import is_message, message_rows
from agent_lab_tui.tui.paper.rows import Row
from agent_lab_tui.tui.paper.state_values import BEGINNING, size, summary, value_rows


def message(kind: str, **fields: Any) -> Ext:
    name = {"ai": "AIMessage", "human": "HumanMessage", "tool": "ToolMessage"}[kind]
    return Ext(5, [f"langchain_core.messages.{kind}", name, {"type": kind, **fields}, "model_validate_json"])


def text(rows: list[Row]) -> str:
    return "\n".join(row.text.rstrip() for row in rows)


def test_a_message_is_who_speaks_and_what_is_said() -> None:
    rows = message_rows(message("human", content="Refund ACME\nplease", id="m1"))
    assert text(rows).splitlines() == ["human Refund ACME␊", "please", "m1"]


def test_a_call_for_a_tool_stands_under_the_message_that_made_it() -> None:
    call = {"name": "send_email", "args": {"to": "ann"}, "id": "call_1", "type": "tool_call"}
    shown = text(message_rows(message("ai", content="", tool_calls=[call])))
    assert "no text" in shown
    assert '→ send_email {"to": "ann"}  call_1' in shown


def test_a_failed_tool_is_marked_and_says_for_which_call() -> None:
    shown = text(message_rows(message("tool", content="no", name="send", tool_call_id="c1", status="error")))
    assert "error  no" in shown
    assert "send · c1" in shown


def test_what_else_a_message_holds_is_not_hidden() -> None:
    shown = text(message_rows(message("ai", content="x", usage_metadata={"total_tokens": 12}, name=None)))
    assert "total_tokens" in shown
    assert "12" in shown


def test_blocks_that_are_no_text_stand_as_json() -> None:
    blocks = [{"type": "text", "text": "see"}, {"type": "image", "url": "a.png"}]
    assert '{"type": "image", "url": "a.png"}' in text(message_rows(message("ai", content=blocks)))


def test_a_message_cannot_act_on_the_terminal() -> None:
    shown = text(message_rows(message("ai", content="a\x1b[2Jb", name="n\x1b]0;x\x07")))
    assert "\x1b" not in shown
    assert "\x07" not in shown


def test_only_messages_of_langchain_are_taken_for_messages() -> None:
    assert is_message(message("ai", content=""))
    assert not is_message(Ext(5, ["mine", "AIMessage", {"content": ""}, "x"]))
    assert not is_message({"type": "ai", "content": ""})


def test_types_and_sizes_are_said_where_the_value_does_not_say_them() -> None:
    assert summary([1, 2, 3]) == "list, 3 items, 4 B"
    assert summary({"a": 1}).startswith("dict, 1 key, ")
    assert summary(Ext(0, ["decimal", "Decimal", "1.50"])).startswith("Decimal, ")
    assert summary("x" * 5_000) == "text, 5,000 characters"
    assert summary("short") == summary(12) == summary(None) == ""
    assert [size(n) for n in (999, 1_500, 2_000_000)] == ["999 B", "1.5 kB", "2.0 MB"]


def test_a_long_list_is_written_as_far_as_its_beginning_and_whole_on_demand() -> None:
    rows = [{"row": n} for n in range(5_000)]
    short, whole = (value_rows("rows", rows, is_whole=is_whole) for is_whole in (False, True))
    assert "list, 5,000 items" in text(short)
    assert len(short) == BEGINNING + 1
    assert len(whole) == 5_001


def test_a_megabyte_of_text_is_not_written_before_it_is_asked_for() -> None:
    assert len(text(value_rows("blob", "x" * 1_000_000, is_whole=False))) < 10_000
    assert len(text(value_rows("blob", "x" * 1_000_000, is_whole=True))) > 1_000_000
