"""Judging by foreign schemas: whatever they hold, there is an answer in words, and soon."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from agent_lab_tui.graph.conventions.form import read_form
from agent_lab_tui.graph.conventions.form_problems import read
from agent_lab_tui.graph.conventions.judge import found
from agent_lab_tui.graph.conventions.schemas import misfit, unusable

COSTLY = "^(a|a)*$"
LONG = "a" * 40 + "!"
DRAFT = "https://json-schema.org/draft/2020-12/schema"


@pytest.fixture(autouse=True)
def soon() -> Iterator[None]:
    """Demand that a judgement ends; the processor's time counts, not that of a busy machine."""
    start = time.thread_time()
    yield
    assert time.thread_time() - start < 6


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"pattern": COSTLY}, LONG),
        ({"not": {"pattern": COSTLY}}, LONG),
        ({"if": {"pattern": COSTLY}, "then": False}, LONG),
        ({"anyOf": [{"pattern": COSTLY}, True]}, LONG),
        ({"properties": {"name": {"pattern": COSTLY}}}, {"name": LONG}),
        ({"patternProperties": {COSTLY: False}}, {LONG: 1}),
        ({"patternProperties": {COSTLY: True}, "additionalProperties": {"type": "string"}}, {LONG: 1}),
        ({"additionalProperties": False, "patternProperties": {COSTLY: True}}, {LONG: 1}),
        ({"propertyNames": {"pattern": COSTLY}}, {LONG: 1}),
        ({"items": {"$schema": DRAFT, "pattern": COSTLY}}, [LONG]),
        ({"$schema": DRAFT, "pattern": COSTLY, "items": {"$ref": "#"}}, [[LONG]]),
        ({"pattern": "(a|a)*" * 2000}, LONG),
    ],
)
def test_a_pattern_that_takes_too_long_fits_nothing(schema: dict[str, Any], value: Any) -> None:
    assert unusable(schema) is None
    assert "is too costly to judge" in str(misfit(schema, value))


def test_a_pattern_that_looks_costly_is_judged_where_it_can_be() -> None:
    schema = {"pattern": "^(a+)+$"}
    assert misfit(schema, "a" * 40) is None
    assert misfit(schema, LONG) is not None
    assert misfit({"pattern": COSTLY}, "aaa") is None


def test_each_input_with_a_costly_pattern_says_so_and_all_of_them_soon() -> None:
    names = [f"n{place}" for place in range(50)]
    form = read_form({"type": "object", "properties": {name: {"pattern": COSTLY} for name in names}})
    texts = read_form(
        {"type": "object", "properties": {name: {"type": "string", "pattern": COSTLY} for name in names}}
    )
    start = time.thread_time()
    problems = read(texts, dict.fromkeys(names, LONG)).problems
    assert time.thread_time() - start < 1
    assert form.fields[0].kind == "json"
    assert [one.path for one in problems] == [(name,) for name in names]
    assert problems[0].sentence == f"The pattern {COSTLY} is too costly to judge."
    assert problems[-1].sentence == "The value takes too long to judge by its schema."


def test_references_that_multiply_are_given_up() -> None:
    twice = {f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(40)}
    schema = {"$defs": {**twice, "d40": {"type": ["object", "null"]}}, "$ref": "#/$defs/d0"}
    assert unusable(schema) is None
    assert misfit(schema, 5) == "the value takes too long to judge by its schema"
    assert "takes too long" in str(unusable({**schema, "$defs": {**twice, "d40": False}}))


def test_patterns_that_only_another_keyword_would_search_make_a_schema_unusable() -> None:
    schema = {"unevaluatedProperties": False, "allOf": [{"patternProperties": {COSTLY: True}}]}
    assert "its patterns decide which keys are unevaluated" in str(unusable(schema))


@pytest.mark.parametrize("number", [10**400, -(10**400)])
def test_a_number_too_large_for_a_fraction_is_a_misfit(number: int) -> None:
    assert misfit({"multipleOf": 0.01}, number) == "a number is too large to be judged by the schema"
    schema = {"type": "object", "properties": {"m": {"type": "number", "multipleOf": 0.01}}}
    problems = read(read_form(schema), {"m": str(number)}).problems
    assert [(one.path, one.sentence) for one in problems] == [
        (("m",), "A number is too large to be judged by the schema.")
    ]


@pytest.mark.parametrize(
    ("broken", "value"),
    [
        ({"type": "strange"}, 5),
        ({"type": 5}, 5),
        ({"pattern": "("}, "text"),
        ({"minimum": "x"}, 5),
        ({"required": 5}, {}),
        ({"properties": 5}, {}),
        ({"anyOf": 5}, 5),
    ],
)
def test_a_reference_to_what_is_no_schema_is_told_in_words(broken: dict[str, Any], value: Any) -> None:
    schema = {"type": "object", "properties": {"a": {"$ref": "#/default"}}, "default": broken}
    assert unusable(schema) is None
    assert "the schema cannot be used here" in str(misfit(schema, {"a": value}))
    assert read_form(schema).kind == "object"


SNIPPETS = st.sampled_from(
    [
        "a",
        "b",
        "{",
        "}",
        "{e}",
        "{id}",
        "{2}",
        "{1,}",
        "{,2}",
        "\\{",
        "\\d",
        ".",
        "(a|b)",
        "[{]",
        "[^}]",
        "^",
        "$",
        "?",
    ]
)


@given(st.lists(SNIPPETS, max_size=6).map("".join), st.text("ab{}eid12,\n", max_size=8))
def test_patterns_mean_what_they_mean_to_python(pattern: str, text: str) -> None:
    try:
        expected = re.search(pattern, text) is not None
    except re.error:
        return
    assert found(pattern, text) == expected


OBJECTS = st.dictionaries(
    st.sampled_from(["a", "ab", "b", ""]), st.integers(0, 2) | st.text("ab", max_size=2)
)
PARTS = st.sampled_from([True, False, {"type": "integer"}, {"pattern": "^a"}, {"maximum": 1}])
SCHEMAS = st.fixed_dictionaries(
    {},
    optional={
        "properties": st.dictionaries(st.sampled_from(["a", "b"]), PARTS),
        "patternProperties": st.dictionaries(st.sampled_from(["^a", "b$", ""]), PARTS),
        "additionalProperties": PARTS,
        "propertyNames": PARTS,
    },
)


@given(SCHEMAS, OBJECTS | st.text("ab"))
def test_a_value_fits_where_jsonschema_says_so(schema: dict[str, Any], value: Any) -> None:
    assert (misfit(schema, value) is None) == Draft202012Validator(schema).is_valid(value)


def test_a_key_of_blanks_is_seen_in_a_sentence() -> None:
    schema = {"properties": {"": {"type": "string"}}, "required": [""]}
    assert misfit(schema, {"": 5}) == '`""` must be string, not 5'
    assert misfit(schema, {}) == 'key `""` is missing'
