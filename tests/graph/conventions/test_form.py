"""Typed forms: a schema as fields, typed text as values of the right type, and back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field, TypeAdapter

from agent_lab_tui.graph.conventions.base import same
from agent_lab_tui.graph.conventions.form import ABSENT, MOST_LINES, read_form
from agent_lab_tui.graph.conventions.form_input import EMPTY, Picked, option_texts, parse, typed_for
from agent_lab_tui.graph.conventions.schemas import misfit
from agent_lab_tui.graph.questions import Refused

SCHEMA: dict[str, Any] = {
    "title": "Decision",
    "description": "What to do.",
    "type": "object",
    "properties": {
        "approved": {"type": "boolean", "description": "Shall it run?"},
        "limit": {"type": "integer", "minimum": 0, "maximum": 1000, "default": 0},
        "share": {"type": "number", "exclusiveMinimum": 0},
        "tone": {"enum": ["neutral", "formal", 3, "3", None]},
        "comment": {"type": "string", "default": "", "maxLength": 200},
        "note": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
        "by": {"$ref": "#/$defs/Person"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "extra": {},
    },
    "required": ["approved", "share", "by"],
    "$defs": {
        "Person": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
            "required": ["name"],
        }
    },
}
FORM = read_form(SCHEMA)
FIELDS = {one.name: one for one in FORM.fields}
TYPED = {"approved": True, "share": "0.5", "by": {"name": "Ann", "age": "41"}}


def test_a_schema_becomes_fields_with_kinds_limits_and_defaults() -> None:
    assert {name: one.kind for name, one in FIELDS.items()} == {
        "approved": "boolean",
        "limit": "integer",
        "share": "number",
        "tone": "choice",
        "comment": "text",
        "note": "text",
        "by": "object",
        "tags": "list",
        "extra": "json",
    }
    assert (FORM.label, FORM.description) == ("Decision", "What to do.")
    assert FIELDS["approved"].description == "Shall it run?"
    assert (FIELDS["limit"].limits, FIELDS["limit"].default) == ("0 to 1000", 0)
    assert FIELDS["share"].limits == "more than 0"
    assert FIELDS["comment"].limits == "at most 200 characters"
    assert FIELDS["note"].is_nullable
    assert [one.name for one in FIELDS["by"].fields] == ["name", "age"]
    assert FIELDS["tags"].element is not None
    assert FIELDS["tags"].element.kind == "text"
    assert [name for name, one in FIELDS.items() if one.is_required] == ["approved", "share", "by"]


def test_what_is_left_blank_is_left_out() -> None:
    assert parse(FORM, TYPED) == {"approved": True, "share": 0.5, "by": {"name": "Ann", "age": 41}}


def test_numbers_stay_numbers() -> None:
    for text, value in (("500", 500), ("-3", -3), ("2.50", 2.5), ("1e3", 1000.0), (".5", 0.5), ("+1.", 1.0)):
        share = parse(FIELDS["share"], text)
        assert same(share, value)
    assert same(parse(FIELDS["limit"], " 7 "), 7)


@pytest.mark.parametrize(
    ("name", "typed", "cause"),
    [
        ("limit", "many", "`limit` must be a whole number, not many"),
        ("limit", "1.5", "`limit` must be a whole number"),
        ("share", "1_000", "`share` must be a number"),
        ("share", "nan", "`share` must be a number"),
        ("share", "inf", "`share` must be a number"),
        ("share", "8٣.٥", "`share` must be a number, not 8٣.٥"),
        ("share", "٣", "`share` must be a number"),
        ("share", "1e٣", "`share` must be a number"),
        ("share", "1e999", "`share` must be a number, not 1e999"),
        ("limit", "８", "`limit` must be a whole number, not ８"),
        ("limit", "1٣", "`limit` must be a whole number"),
        ("approved", "perhaps", "`approved` must be true or false"),
        ("tone", "angry", "`tone` must be one of neutral, formal"),
        ("by", {"name": "Ann", "height": "2"}, "`by` has no field height"),
        ("by", {"age": "3"}, "`name` needs a value"),
        ("by", "{", "`by` is not JSON"),
        ("tags", {"a": 1}, "`tags` must be a list"),
        ("limit", "9" * 5000, "`limit` must be a whole number"),
        ("share", "9" * 5000, "`share` must be a number"),
        ("extra", "NaN", "`extra` is not JSON: NaN is no number of JSON"),
        ("extra", "1e999", "`extra` is not JSON: a number is too large"),
        ("extra", '{"a": 1, "a": 2}', "`extra` is not JSON: a key is given twice"),
        ("extra", "[" * 100_000, "`extra` is not JSON: it is nested too deep"),
        ("extra", True, "`extra` must be written as JSON"),
    ],
)
def test_what_is_not_of_its_kind_is_refused_by_name(name: str, typed: Any, cause: str) -> None:
    with pytest.raises(Refused) as refused:
        parse(FIELDS[name], typed)
    assert cause in str(refused.value)


def test_an_empty_text_and_no_value_are_two_things() -> None:
    assert parse(FORM, {**TYPED, "comment": EMPTY})["comment"] == ""
    assert "comment" not in parse(FORM, {**TYPED, "comment": ""})
    assert parse(FORM, {**TYPED, "note": None})["note"] is None
    assert "note" not in parse(FORM, {**TYPED, "note": ""})
    with pytest.raises(Refused, match=r'`name` needs a value; type "" for an empty text'):
        parse(FORM, {**TYPED, "by": {"name": ""}})


def test_options_that_look_alike_are_told_apart() -> None:
    assert option_texts(FIELDS["tone"]) == ("neutral", "formal", "3", '"3"', "null")
    assert same(parse(FIELDS["tone"], "3"), 3)
    assert same(parse(FIELDS["tone"], '"3"'), "3")


def test_objects_and_lists_may_be_typed_as_json() -> None:
    assert parse(FIELDS["by"], '{"name": "Bob"}') == {"name": "Bob"}
    assert parse(FIELDS["tags"], '["a"]') == ["a"]
    assert parse(FIELDS["extra"], "[1, null]") == [1, None]


class Approve(BaseModel):
    type: str = Field("approve", json_schema_extra={"const": "approve"})


class Limit(BaseModel):
    """Approve up to a sum."""

    type: str = Field("limit", json_schema_extra={"const": "limit"})
    amount: int = Field(ge=1)
    why: str | None = None


def test_alternatives_are_named_by_what_tells_them_apart() -> None:
    form = read_form(TypeAdapter(Approve | Limit).json_schema())
    assert form.kind == "variant"
    assert [one.label for one in form.fields] == ["approve", "limit"]
    assert form.fields[1].description == "Approve up to a sum."
    assert parse(form, Picked(1, {"amount": "5"})) == {"type": "limit", "amount": 5}
    assert parse(form, Picked(0, {})) == {"type": "approve"}
    assert typed_for(form, {"type": "limit", "amount": 5}) == Picked(
        1, {"type": '"limit"', "amount": "5", "why": ""}
    )
    with pytest.raises(Refused, match="needs one of 2 forms chosen"):
        parse(form, Picked(2, {}))


def test_a_schema_that_holds_itself_takes_json_where_it_begins_again() -> None:
    tree = {"type": "object", "properties": {key: {"$ref": "#/$defs/Tree"} for key in "abcdefgh"}}
    form = read_form({"$defs": {"Tree": tree}, "$ref": "#/$defs/Tree"})
    assert form.kind == "object"
    assert [one.kind for one in form.fields] == ["json"] * 8


def nested(levels: int) -> dict[str, Any]:
    properties = {key: nested(levels - 1) for key in "ab"} if levels else {"x": {"type": "string"}}
    return {"type": "object", "properties": properties}


def count(form: Any) -> int:
    return 1 + sum(map(count, form.fields))


def test_a_very_deep_or_very_wide_schema_takes_json_for_the_rest() -> None:
    form, depth = read_form(nested(10)), 0
    while form.kind == "object":
        form, depth = form.fields[0], depth + 1
    assert (form.kind, depth) == ("json", 8)
    wide = {f"$d{n}": {"type": "object", "properties": {}} for n in range(9)}
    for n in range(8):
        wide[f"$d{n}"]["properties"] = {f"p{k}": {"$ref": f"#/$defs/$d{n + 1}"} for k in range(10)}
    wide["$d8"]["properties"] = {"x": {"type": "string"}}
    assert count(read_form({"$defs": wide, "$ref": "#/$defs/$d0"})) < 1000


def wide(fields: int) -> dict[str, Any]:
    return {"type": "object", "properties": {f"k{n}": {"type": "string"} for n in range(fields)}}


def test_an_object_with_more_fields_than_a_screen_can_hold_takes_json() -> None:
    assert read_form(wide(MOST_LINES)).kind == "object"
    assert read_form(wide(MOST_LINES + 1)).kind == "json"
    form = read_form(
        {"type": "object", "properties": {"a": wide(40), "b": wide(40), "c": {"type": "string"}}}
    )
    assert [one.kind for one in form.fields] == ["object", "json", "text"]
    choice = read_form({"anyOf": [wide(40), wide(50)]})
    assert [one.kind for one in choice.fields] == ["object", "object"]


def test_a_schema_that_multiplies_is_read_in_bounded_work() -> None:
    text: dict[str, Any] = {"type": "string"}
    many: dict[str, Any] = text
    for level in range(4):
        parts = [
            {"type": "object", "properties": {"k": {"const": f"{level}{n}"}, "in": many}} for n in range(30)
        ]
        many = {"anyOf": parts}
    assert count(read_form(many)) <= 401
    assert read_form({"anyOf": [{"type": "object", "properties": {"a": text}}] * 500}).kind == "json"


def test_a_value_with_more_elements_than_a_screen_can_hold_is_written_as_json() -> None:
    form = read_form({"type": "object", "properties": {"l": {"type": "array", "items": {"type": "integer"}}}})
    value = {"l": list(range(1000))}
    typed = typed_for(form, value)
    assert isinstance(typed["l"], str)
    assert parse(form, typed) == value
    assert typed_for(form, {"l": [1, 2]}) == {"l": ["1", "2"]}


def test_an_anchor_leads_to_the_part_that_bears_it() -> None:
    schema = {
        "type": "object",
        "properties": {"x": {"$ref": "#foo"}, "y": {"$ref": "#bar"}, "z": {"$ref": "#/$defs/a%20b/anyOf/0"}},
        "$defs": {"f": {"$anchor": "foo", "type": "string"}, "a b": {"anyOf": [{"type": "integer"}, True]}},
        "default": {"$anchor": "bar"},
    }
    form = read_form(schema)
    assert [one.kind for one in form.fields] == ["text", "json", "integer"]
    twice = {"properties": {"x": {"$ref": "#a"}}, "$defs": {"b": {"$anchor": "a"}, "c": {"$anchor": "a"}}}
    assert read_form(twice).fields[0].kind == "json"


def test_an_optional_part_that_holds_itself_is_not_drawn_again() -> None:
    node: dict[str, Any] = {"type": "object", "properties": {"v": {"type": "string"}}}
    node["properties"]["next"] = {"anyOf": [{"$ref": "#/$defs/n"}, {"type": "null"}]}
    form = read_form({"$defs": {"n": node}, "$ref": "#/$defs/n"})
    assert [(one.kind, one.is_nullable) for one in form.fields] == [("text", False), ("json", True)]


def test_a_key_of_blanks_is_named_in_quotes() -> None:
    form = read_form({"type": "object", "properties": {"": {"type": "string"}, " ": {"type": "integer"}}})
    assert [(one.name, one.label) for one in form.fields] == [("", '""'), (" ", '" "')]
    assert parse(form, {"": "x", " ": "1"}) == {"": "x", " ": 1}
    with pytest.raises(Refused, match='`" "` must be a whole number'):
        parse(form, {" ": "x"})


def test_an_infinite_number_has_no_place_in_an_input_for_whole_ones() -> None:
    form = read_form({"type": "integer"})
    for value in (float("inf"), float("nan")):
        with pytest.raises(Refused, match="must be a whole number"):
            parse(form, typed_for(form, value))


def test_a_field_with_several_types_is_a_variant_and_null_makes_it_nullable() -> None:
    form = read_form({"type": ["string", "integer", "null"]})
    assert (form.kind, form.is_nullable) == ("variant", True)
    assert [one.kind for one in form.fields] == ["text", "integer"]
    assert read_form({"type": ["string", "null"]}).kind == "text"


def test_a_pydantic_model_with_everything_can_be_filled() -> None:
    class Line(BaseModel):
        sku: str
        count: int = 1

    class Order(BaseModel):
        lines: list[Line]
        note: str | None = None
        priority: float = 1.5

    form = read_form(Order.model_json_schema())
    value = parse(form, {"lines": [{"sku": "a"}, {"sku": "b", "count": "2"}], "priority": "3"})
    assert Order.model_validate(value) == Order(lines=[Line(sku="a"), Line(sku="b", count=2)], priority=3.0)


# What is typed for a value gives that value again

TEXT = st.text(max_size=8) | st.sampled_from(['""', '"\\u0041"', '"', " ", "null", "true", "3"])
VALUES = st.fixed_dictionaries(
    {
        "approved": st.booleans(),
        "share": st.floats(min_value=0, exclude_min=True, allow_nan=False, allow_infinity=False)
        | st.integers(min_value=1),
        "by": st.fixed_dictionaries({"name": TEXT}, optional={"age": st.integers()}),
    },
    optional={
        "limit": st.integers(min_value=0, max_value=1000),
        "tone": st.sampled_from(["neutral", "formal", 3, "3", None]),
        "comment": TEXT,
        "note": TEXT | st.none(),
        "tags": st.lists(TEXT, max_size=3),
        "extra": st.recursive(st.none() | st.booleans() | st.integers() | TEXT, st.lists, max_leaves=4),
    },
)


@given(VALUES)
@settings(deadline=None)
def test_typing_a_value_of_a_form_gives_that_value(value: dict[str, Any]) -> None:
    assert misfit(SCHEMA, value) is None
    assert same(parse(FORM, typed_for(FORM, value)), value)


SCALARS = st.sampled_from(
    [
        {"type": "string"},
        {"type": "integer"},
        {"type": "number"},
        {"type": "boolean"},
        {"type": "null"},
        {"enum": ["a", 1, "1", True, None]},
        {"const": {"a": [1]}},
        {"type": ["integer", "null"]},
        {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        True,
        {},
    ]
)
SCHEMAS = st.recursive(
    SCALARS,
    lambda inner: (
        st.builds(lambda one: {"type": "array", "items": one}, inner)
        | st.builds(
            lambda parts, needed: {
                "type": "object",
                "properties": parts,
                "required": [k for k in parts if k in needed],
            },
            st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
            st.sets(st.sampled_from("abc")),
        )
    ),
    max_leaves=5,
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(-2, 2) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)


@given(SCHEMAS, JSON)
@settings(max_examples=200, deadline=None)
def test_any_value_that_fits_any_schema_can_be_typed(schema: Any, value: Any) -> None:
    root = {"properties": {"x": schema}, "required": ["x"], "type": "object"}
    form = read_form(root)
    if misfit(root, {"x": value}) is not None:
        return
    typed = typed_for(form, {"x": value})
    again = parse(form, typed)["x"]
    assert again == value
    assert misfit(root, {"x": again}) is None


def test_no_value_is_not_null() -> None:
    assert typed_for(FIELDS["note"], ABSENT) == ""
    assert typed_for(FIELDS["note"], None) is None
