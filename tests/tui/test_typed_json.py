"""JSON that was typed: read as it stands, or refused in a sentence with its place."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_lab_tui.tui.typed_json import NotJson, parse

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_what_is_json_is_read_as_it_stands(value: object) -> None:
    assert parse(json.dumps(value)) == value


@pytest.mark.parametrize(
    ("text", "place", "sentence"),
    [
        ('{"a": 1,\n "a": 2}', (1, 1), 'the key "a" is given twice'),
        ('[{"to": {"\\u0061": 1, "b": 2, "b": 3}}]', (0, 30), 'the key "b" is given twice'),
        ('{"a": NaN}', (0, 6), "NaN is no JSON"),
        ("[1,\n-Infinity]", (1, 0), "-Infinity is no JSON"),
        ("Infinity", (0, 0), "Infinity is no JSON"),
        ('{"a": 1e999}', (0, 6), "1e999 is more than a number can hold"),
        ("9" * 5000, (0, 0), "a number of 5000 digits is more than can be read"),
        ("[" * 100_000, (0, 0), "nested deeper than 200 levels"),
        ("[" * 201 + "]" * 201, (0, 0), "nested deeper than 200 levels"),
        ('{"a" 1}', (0, 5), "expecting ':' delimiter"),
    ],
)
def test_what_is_none_or_says_two_things_is_refused_with_its_place(
    text: str, place: tuple[int, int], sentence: str
) -> None:
    with pytest.raises(NotJson) as found:
        parse(text)
    assert (found.value.line, found.value.column) == place
    assert sentence in str(found.value)
    assert len(str(found.value)) < 150


def test_as_many_levels_as_a_checkpoint_shows_are_read() -> None:
    value = parse("[" * 200 + "]" * 200)
    for _ in range(199):
        (value,) = value
    assert value == []
