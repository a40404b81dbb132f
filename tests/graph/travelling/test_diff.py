"""Two states are compared by path; messages by id, sets by membership, lists by content."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agent_lab_tui.graph.travelling.diff import Difference, differences
from agent_lab_tui.graph.travelling.text_diff import stretches
from agent_lab_tui.store.values import Ext


def said(before: Any, after: Any) -> list[tuple[str, str, Any, Any]]:
    return [(d.place, d.kind, d.before, d.after) for d in differences(before, after)]


def message(id_: str, content: str, name: str = "AIMessage") -> Ext:
    return Ext(
        5, ["langchain_core.messages.ai", name, {"content": content, "id": id_}, "model_validate_json"]
    )


def test_keys_are_added_removed_and_changed() -> None:
    assert said({"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 5, "d": 4}) == [
        ("b", "changed", 2, 5),
        ("c", "removed", 3, None),
        ("d", "added", None, 4),
    ]


def test_a_path_leads_into_nested_values() -> None:
    before = {"plan": {"steps": [{"do": "x"}, {"do": "y"}]}}
    after = {"plan": {"steps": [{"do": "x"}, {"do": "z"}]}}
    assert said(before, after) == [("plan.steps[1].do", "changed", "y", "z")]


def test_a_key_that_is_no_word_is_quoted() -> None:
    assert said({"files": {"/a b.md": 1}}, {"files": {}}) == [('files["/a b.md"]', "removed", 1, None)]


def test_a_removed_first_element_is_one_difference() -> None:
    assert said(["host-a", "host-b"], ["host-b"]) == [("[0]", "removed", "host-a", None)]


def test_messages_are_matched_by_id_wherever_they_stand() -> None:
    before = {"messages": [message("m1", "old"), message("m2", "same")]}
    after = {"messages": [message("m0", "first"), message("m1", "new"), message("m2", "same")]}
    assert said(before, after) == [
        ("messages[m1].content", "changed", "old", "new"),
        ("messages[m0]", "added", None, message("m0", "first")),
    ]


def test_messages_in_another_order_are_a_difference() -> None:
    assert said([message("a", "1"), message("b", "2")], [message("b", "2"), message("a", "1")]) == [
        ("", "changed", ["a", "b"], ["b", "a"])
    ]


def test_an_object_of_another_class_is_changed_as_a_whole() -> None:
    one, other = message("a", "1"), message("a", "1", name="HumanMessage")
    assert said({"m": one}, {"m": other}) == [("m", "changed", one, other)]


def test_sets_differ_by_their_members() -> None:
    one = Ext(0, ["builtins", "set", ["a", "b"]])
    other = Ext(0, ["builtins", "set", ["c", "b", "a"]])
    assert [(kind, after) for _, kind, _, after in said({"s": one}, {"s": other})] == [("added", "c")]
    assert said({"s": one}, {"s": Ext(0, ["builtins", "set", ["b", "a"]])}) == []


def test_true_is_not_one_and_nan_is_nan() -> None:
    assert said({"a": True}, {"a": 1}) == [("a", "changed", True, 1)]
    assert said({"a": float("nan")}, {"a": float("nan")}) == []


def test_five_thousand_rows_with_one_edit_give_one_difference() -> None:
    rows = [{"row": n} for n in range(5_000)]
    edited = [dict(row) for row in rows]
    edited[2_500]["row"] = -1
    assert said(rows, edited) == [("[2500].row", "changed", 2500, -1)]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text("ab", max_size=2),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["id", "a", "b"]), inner, max_size=3)
    ),
    max_leaves=12,
)


def same(one: Any, other: Any) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[k], other[k]) for k in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and bool(one == other)


@given(json_values, json_values)
def test_there_is_a_difference_exactly_where_values_differ(before: Any, after: Any) -> None:
    found: list[Difference] = list(differences(before, after))
    assert bool(found) != same(before, after)


@given(st.text("ab c\n", max_size=60), st.text("ab c\n", max_size=60))
def test_both_texts_can_be_put_together_from_their_stretches(before: str, after: str) -> None:
    parts = stretches(before, after)
    assert "".join(p.text for p in parts if p.kind != "added") == before
    assert "".join(p.text for p in parts if p.kind != "removed") == after


def test_one_changed_word_in_a_long_text_is_found() -> None:
    text = "word " * 20_000
    before, after = f"{text}old {text}", f"{text}new {text}"
    assert [(p.kind, p.text) for p in stretches(before, after) if p.kind != "same"] == [
        ("removed", "old"),
        ("added", "new"),
    ]


def test_two_long_texts_with_nothing_in_common_stand_beside_each_other() -> None:
    before, after = "\n".join(f"a{n}" for n in range(9_000)), "\n".join(f"b{n}" for n in range(9_000))
    assert [p.kind for p in stretches(before, after)] == ["removed", "added"]
