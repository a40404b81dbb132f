"""What counts as said."""

from __future__ import annotations

import pytest

from agent_lab_tui.graph.deciding.said import as_kept, demand_text, is_said
from agent_lab_tui.graph.questions import Refused
from agent_lab_tui.store.values import Ext, decode


@pytest.mark.parametrize("text", ["no", "日本", "é", "לא", "5", "?", "👎", "\u200b.\u200b"])
def test_what_can_be_seen_is_said(text: str) -> None:
    assert is_said(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n\t",
        " \u200b\u2060 ",
        "\u3164",
        "\u2800",
        "\u115f\u1160\uffa0",
        "\u0301",
        "\ufe0f",
        "\ue000",
        "\x1b\x07",
        "\u2028",
        "\u3000",
        "\xad",
        "\U000e0041",
    ],
)
def test_what_nobody_can_see_is_not_said(text: str) -> None:
    assert not is_said(text)


@pytest.mark.parametrize(
    "value", ["a\udcff", {"a": ["b", {"c\ud800": 1}]}, ("\udfff",), Ext(5, ["m", "C", {"x": "\ud800"}])]
)
def test_half_a_character_is_refused_wherever_it_stands(value: object) -> None:
    with pytest.raises(Refused, match="half a character"):
        demand_text("fine", {"also": value})


def test_whole_text_of_every_script_passes() -> None:
    demand_text("日本 👎 \u200b", {"a": [1, None, 1.5, b"\xff", {"b": "é"}]}, Ext(5, ["m", "C", {"x": "y"}]))


@pytest.mark.parametrize("value", [2**64, [-(2**63) - 1], {"a": 10**5000}])
def test_a_number_beyond_64_bits_is_refused_instead_of_raised(value: object) -> None:
    with pytest.raises(Refused, match="cannot be stored"):
        as_kept(value)


def test_what_can_be_kept_comes_back_as_it_was() -> None:
    value = {"a": [1, 2**64 - 1, None, b"\xff", "日本 👎"]}
    assert decode("msgpack", as_kept(value)) == value
