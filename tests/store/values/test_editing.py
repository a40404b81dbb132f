"""Edited JSON made a raw value again: types stay, what was not touched stays the very value."""

from __future__ import annotations

import re
from typing import Any

import pytest

from agent_lab_tui.store.values import Ext, Unreadable, from_json, to_json

LINE = Ext(2, ["graph", "Line", {"sku": "bolt-8", "unit": Ext(0, ["decimal", "Decimal", "0.15"])}])
NUT = Ext(2, ["graph", "Line", {"sku": "nut-8", "unit": Ext(0, ["decimal", "Decimal", "0.05"])}])


@pytest.mark.parametrize(
    ("like", "edited", "made"),
    [
        (Ext(0, ["decimal", "Decimal", "0.15"]), "0.20", Ext(0, ["decimal", "Decimal", "0.20"])),
        (Ext(0, ["decimal", "Decimal", "0.15"]), 3, Ext(0, ["decimal", "Decimal", "3"])),
        (
            Ext(0, ["uuid", "UUID", "0" * 32]),
            "00000000-0000-0000-0000-000000000007",
            Ext(0, ["uuid", "UUID", "0" * 31 + "7"]),
        ),
        (
            Ext(3, ["datetime", "datetime", "2026-01-02T00:00:00", "fromisoformat"]),
            "2027-01-02T00:00:00+00:00",
            Ext(3, ["datetime", "datetime", "2027-01-02T00:00:00+00:00", "fromisoformat"]),
        ),
        (
            Ext(1, ["datetime", "date", [2026, 1, 2]]),
            "2026-02-03",
            Ext(1, ["datetime", "date", [2026, 2, 3]]),
        ),
        (
            Ext(1, ["datetime", "timedelta", [0, 5, 0]]),
            "-1 day, 0:00:05.25",
            Ext(1, ["datetime", "timedelta", [-1, 5, 250000]]),
        ),
        (
            Ext(1, ["pathlib", "PosixPath", ["/", "a"]]),
            "/a/b",
            Ext(1, ["pathlib", "PosixPath", ["/", "a", "b"]]),
        ),
        (Ext(0, ["builtins", "set", ["a"]]), ["a", "b"], Ext(0, ["builtins", "set", ["a", "b"]])),
        (Ext(0, ["graph", "Urgency", "low"]), "high", Ext(0, ["graph", "Urgency", "high"])),
        (b"ab", r"b'\x00'", b"\x00"),
        (b"ab", "plain", b"plain"),
        (1.5, 2, 2.0),
        (float("nan"), "Infinity", float("inf")),
        (True, 1, 1),
        (1, True, True),
        (None, {"a": [1]}, {"a": [1]}),
        (LINE, None, None),
    ],
)
def test_a_changed_part_keeps_its_type(like: Any, edited: Any, made: Any) -> None:
    found = from_json(edited, like)
    assert found == made
    assert type(found) is type(made)


@pytest.mark.parametrize(
    ("like", "edited", "sentence"),
    [
        (Ext(0, ["decimal", "Decimal", "0.15"]), "lots", "'lots' is not a Decimal."),
        (Ext(1, ["datetime", "date", [2026, 1, 2]]), "2026-02-31", "'2026-02-31' is not a date."),
        (
            Ext(0, ["ipaddress", "IPv4Address", "10.0.0.1"]),
            "10.0.0.999",
            "'10.0.0.999' is not a IPv4Address.",
        ),
        (Unreadable("encrypted with aes"), "x", "cannot be changed"),
        (Ext(6, ["<f4", [1], "C", b"\0\0\0\0"]), [1.0], "cannot be changed here"),
        (Ext(1, ["langgraph.types", "Send", ["work", 1]]), {"node": "work"}, "A Send has a node and an arg."),
    ],
)
def test_what_would_not_be_of_its_type_is_refused_in_words(like: Any, edited: Any, sentence: str) -> None:
    """An answer of the wrong type would be stored and make the node fail for good."""
    with pytest.raises(ValueError, match=re.escape(sentence)) as refused:
        from_json(edited, like)
    assert "\n" not in str(refused.value)


def test_a_field_changed_inside_an_object_leaves_the_object_its_class() -> None:
    shown = to_json([LINE, NUT])
    shown[1]["sku"] = "nut-10"
    found = from_json(shown, [LINE, NUT])
    assert found[0] is LINE
    assert found[1] == Ext(2, ["graph", "Line", {**NUT.fields, "sku": "nut-10"}])
    assert found[1].fields["unit"] is NUT.fields["unit"]


def test_elements_that_moved_or_stayed_keep_their_originals() -> None:
    found = from_json(list(reversed(to_json([LINE, NUT]))), [LINE, NUT])
    assert found[0] is NUT
    assert found[1] is LINE
    assert from_json(to_json([LINE, NUT])[1:], [LINE, NUT])[0] is NUT


def test_a_new_element_is_made_like_its_neighbours() -> None:
    """A plain dict among objects would make the node fail on its first attribute."""
    new = {"sku": "washer", "unit": "0.01"}
    found = from_json([*to_json([LINE, NUT]), new], [LINE, NUT])
    assert found[2] == Ext(
        2, ["graph", "Line", {"sku": "washer", "unit": Ext(0, ["decimal", "Decimal", "0.01"])}]
    )
    assert from_json([1, "a", {"x": 1}], [1, "a"]) == [1, "a", {"x": 1}]


def test_keys_that_are_no_text_come_back_as_they_were() -> None:
    like = {1: "a", "1": "b"}
    assert from_json({"1": "c", "1 (int)": "a", "new": 0}, like) == {"1": "c", 1: "a", "new": 0}


def test_a_send_can_be_edited() -> None:
    like = Ext(1, ["langgraph.types", "Send", ["work", {"line": LINE}]])
    shown = to_json(like)
    shown["node"] = "rest"
    found = from_json(shown, like)
    assert found == Ext(1, ["langgraph.types", "Send", ["rest", {"line": LINE}]])
    assert found.fields[1]["line"] is LINE


def test_a_secret_that_is_not_touched_stays_the_secret() -> None:
    like = {"key": Ext(0, ["pydantic.types", "SecretStr", "hunter2"]), "n": 1}
    shown = to_json(like)
    assert from_json({**shown, "n": 2}, like)["key"] is like["key"]
    assert from_json({**shown, "key": "new"}, like)["key"].fields == "new"


def test_a_whole_number_larger_than_any_float_stays_what_was_typed() -> None:
    assert from_json({"rate": 10**400}, {"rate": 1.5}) == {"rate": 10**400}
    assert from_json({"rate": 2}, {"rate": 1.5}) == {"rate": 2.0}
