"""A value is written whole, exactly, and so that nothing can be mistaken."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_lab_tui.graph.reading.started import masked
from agent_lab_tui.store.values import Ext, Unreadable
from agent_lab_tui.tui.paper.json_text import difference, editable, json_lines
from agent_lab_tui.tui.paper.rows import wrap
from agent_lab_tui.tui.paper.state import configuration, configured
from agent_lab_tui.tui.paper.values import rows_of
from agent_lab_tui.tui.typed_json import NotJson, parse
from agent_lab_tui.tui.visible import visible

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=12),
    lambda parts: st.lists(parts, max_size=4) | st.dictionaries(st.text(max_size=6), parts, max_size=4),
    max_leaves=12,
)


def written(value: object, width: int = 60) -> list[str]:
    return [
        "".join(piece for piece, _ in line).rstrip() for row in rows_of(value) for line in wrap(row, width)
    ]


def test_nested_parts_stand_beside_their_names() -> None:
    assert written(
        {"file": "a.md", "customer": {"name": "Ann", "city": "10"}, "points": ["one", {"n": 1}]}
    ) == [
        "file      a.md",
        "customer  name  Ann",
        '          city  "10"',
        "points",
        "  · one",
        "  · n  1",
    ]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("true", '"true"'),
        (True, "true"),
        ("12", '"12"'),
        (12, "12"),
        ("", '""'),
        (" x", '" x"'),
        ("[/]", '"[/]"'),
        ("2 apples", "2 apples"),
        (None, "null"),
        ([], "[]"),
        ({}, "{}"),
        (b"\x00a", "b'\\x00a'  2 bytes"),
        (Unreadable("encrypted with aes"), "unreadable: encrypted with aes"),
    ],
)
def test_a_text_is_never_taken_for_something_else(value: object, shown: str) -> None:
    assert written(value) == [shown]


def test_an_object_says_what_it_is() -> None:
    ticket = Ext(5, ["shop", "Ticket", {"id": 7}, "model_validate_json"])
    assert written({"t": ticket})[0].startswith("t  ")
    assert any("Ticket" in line for line in written(ticket))
    assert any("7" in line for line in written(ticket))


@given(JSON)
def test_every_text_of_a_value_is_on_the_paper(value: object) -> None:
    paper = "".join("".join(piece for piece, _ in row.body) + row.text for row in rows_of(value))

    def check(part: object) -> None:
        if isinstance(part, dict):
            for name, inner in part.items():
                check(name)
                check(inner)
        elif isinstance(part, list):
            for inner in part:
                check(inner)
        elif isinstance(part, str) and "\n" not in part:
            assert visible(part) in paper or json.dumps(part, ensure_ascii=False)[1:-1] in paper or part == ""

    check(value)


@given(JSON)
def test_json_to_be_edited_comes_back_as_it_was(value: object) -> None:
    text = editable(value)
    assert parse(text) == value
    assert visible(text.replace("\n", "")) == text.replace("\n", "") or "        " in text


@given(JSON)
def test_what_is_sent_is_shown_as_the_same_json(value: object) -> None:
    assert json.loads("\n".join(json_lines(value))) == value


def test_hidden_characters_are_escapes_while_edited() -> None:
    assert editable("a\u202eb\u2028c\U000e0041") == '"a\\u202eb\\u2028c\\udb40\\udc41"'


def test_an_error_in_json_has_its_place() -> None:
    with pytest.raises(NotJson) as found:
        parse('{\n  "a": 1,\n  oops\n}')
    assert (found.value.line, found.value.column) == (2, 2)
    with pytest.raises(NotJson):
        parse("NaN")


def test_a_difference_shows_old_and_new_lines() -> None:
    rows = ["".join(piece for piece, _ in row.body) for row in difference('{\n"a": 1\n}', '{\n"a": 2\n}')]
    assert rows == ["  {", '- "a": 1', '+ "a": 2', "  }"]


def test_secrets_of_a_configuration_are_covered() -> None:
    assert configuration({"tenant": "acme", "api_key": "sk-1"}) == "tenant acme · api_key ••••••"


def test_screen_and_commands_cover_the_same_names() -> None:
    names = ("api_key", "keyfile", "authorization", "x-auth", "tenant", "dry_run")
    covered = {name for name in names if masked({name: "value"})[name] != "value"}
    assert {name for name, value in configured(dict.fromkeys(names, "value")) if value != "value"} == covered
