"""A form while it is filled in: lines with places, problems at their inputs, JSON as far as it goes."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from agent_lab_tui.graph.conventions.form import read_form
from agent_lab_tui.graph.conventions.form_entry import at, entries, put, with_element, without
from agent_lab_tui.graph.conventions.form_input import Picked, parse, typed_for
from agent_lab_tui.graph.conventions.form_problems import as_far, read

SCHEMA: dict[str, Any] = {
    "title": "Verdict",
    "type": "object",
    "properties": {
        "ok": {"type": "boolean"},
        "limit": {"type": "integer", "maximum": 1000},
        "by": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
            "required": ["name"],
        },
        "tags": {"type": "array", "items": {"type": "string", "minLength": 2}, "maxItems": 2},
        "how": {
            "oneOf": [
                {
                    "type": "object",
                    "properties": {"kind": {"const": "now"}},
                    "required": ["kind"],
                },
                {
                    "type": "object",
                    "properties": {"kind": {"const": "later"}, "hours": {"type": "number"}},
                    "required": ["kind", "hours"],
                },
            ]
        },
    },
    "required": ["ok", "tags"],
    "additionalProperties": False,
}
FORM = read_form(SCHEMA)


def lines(typed: Any) -> list[tuple[Any, ...]]:
    return [(one.path, one.field.kind, one.depth) for one in entries(FORM, typed)]


def test_a_blank_form_lists_its_fields_with_their_depth() -> None:
    assert lines({}) == [
        (("ok",), "boolean", 0),
        (("limit",), "integer", 0),
        (("by",), "object", 0),
        (("by", "name"), "text", 1),
        (("by", "age"), "integer", 1),
        (("tags",), "list", 0),
        (("how",), "variant", 0),
    ]


def test_elements_and_the_fields_of_a_picked_form_are_lines_of_their_own() -> None:
    typed = with_element(with_element({}, ("tags",)), ("tags",))
    typed = put(typed, ("tags", 1), "late")
    typed = put(typed, ("how",), Picked(1, ""))
    typed = put(typed, ("how", None, "hours"), "2.50")
    found = {one.path: one for one in entries(FORM, typed)}
    assert found["tags", 1].is_element
    assert found["how", None, "kind"].field.kind == "constant"
    assert at(typed, ("how", None, "hours")) == "2.50"
    typed = put(without(typed, ("tags", 0)), ("ok",), False)
    assert parse(FORM, typed) == {"ok": False, "tags": ["late"], "how": {"kind": "later", "hours": 2.5}}


def test_every_problem_stands_at_its_own_input_in_words() -> None:
    typed: Any = {
        "limit": "many",
        "by": {"age": "41"},
        "tags": ["a", "ok"],
        "how": Picked(1, {"hours": "soon"}),
    }
    found = {one.path: (one.sentence, one.is_blank) for one in read(FORM, typed).problems}
    assert found == {
        ("ok",): ("`ok` needs a value.", True),
        ("limit",): ("`limit` must be a whole number, not many.", False),
        ("by", "name"): ('`name` needs a value; type "" for an empty text.', True),
        ("tags", 0): ("The value must have at least 2 characters.", False),
        ("how", None, "hours"): ("`hours` must be a number, not soon.", False),
    }


def test_a_blank_form_says_which_inputs_are_needed_not_that_it_is_blank() -> None:
    assert [one.path for one in read(FORM, "").problems] == [("ok",)]
    assert read(FORM, {"ok": True, "how": Picked(0, "")}).value == {
        "ok": True,
        "tags": [],
        "how": {"kind": "now"},
    }


def test_a_rule_about_the_whole_stands_at_the_whole() -> None:
    typed: Any = {"ok": True, "limit": "5000", "tags": ["aa", "bb", "cc"]}
    found = {one.path: one.sentence for one in read(FORM, typed).problems}
    assert found == {
        ("limit",): "The value must be at most 1000, not 5000.",
        ("tags",): "The value must have at most 2 items.",
    }
    assert read(FORM, {"ok": True}).value == {"ok": True, "tags": []}


def test_what_is_half_filled_in_is_carried_over_to_json_and_back() -> None:
    typed: Any = {"limit": "many", "tags": ["a"], "by": {"age": "4"}, "how": Picked(1, {"hours": ""})}
    text = as_far(FORM, typed)
    assert text == {"limit": "many", "by": {"age": 4}, "tags": ["a"], "how": {"kind": "later"}}
    again = typed_for(FORM, text)
    assert at(again, ("limit",)) == '"many"'
    assert at(again, ("by", "age")) == "4"
    assert at(again, ("how", None, "hours")) == ""


def test_a_json_with_other_keys_is_kept_as_json() -> None:
    assert isinstance(typed_for(FORM, {"ok": True, "tags": [], "other": 1}), str)
    typed = typed_for(FORM, {"ok": True, "tags": [], "by": {"name": "Ann", "other": 1}})
    (one,) = [one for one in entries(FORM, typed) if one.path == ("by",)]
    assert one.takes_json
    assert not one.is_group


@given(st.text(max_size=12))
@settings(deadline=None)
def test_any_text_is_typed_so_that_all_of_it_can_be_seen(text: str) -> None:
    form = read_form({"type": "string"})
    typed = typed_for(form, text)
    assert isinstance(typed, str)
    assert typed.isprintable()
    assert parse(form, typed) == text


def test_text_is_quoted_only_where_it_must_be() -> None:
    form = read_form({"type": "string"})
    assert typed_for(form, 'say "yes"') == 'say "yes"'
    assert typed_for(form, "one\ntwo") == '"one\\u000atwo"'
    assert typed_for(form, "\U000e0041") == '"\\udb40\\udc41"'
    assert parse(form, '"quoted"') == '"quoted"'
