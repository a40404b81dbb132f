"""Foreign text is shown whole and takes no effect."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_lab_tui.tui.visible import cut, cut_middle, fit, pieces, visible, visible_block, width

ANYTHING = st.text(st.characters(codec=None), max_size=60)
HARMFUL = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("ls -la\x1b[2K\rrm", "ls -la␛[2K␍rm"),
        ("a\u202eb", "a‹RLO›b"),
        ("👩\u200d💻", "👩‹ZWJ›💻"),
        ("❤\ufe0f", "❤‹VS16›"),
        ("x\ud800", "x‹U+D800›"),
        ("tag\U000e0041", "tag‹U+E0041›"),
        ("[/] [red]alert[/red] \\[", "[/] [red]alert[/red] \\["),
        ("受注-２０２６ 金額（税抜）", "受注-２０２６ 金額（税抜）"),
        ("e\u0301a\u0308", "e\u0301a\u0308"),
        ("\u0301start", "◌\u0301start"),
        ("a" + " " * 3000 + "; rm", "a␠×3000; rm"),
        ("a       b", "a       b"),
        ("one\ntwo", "one␊two"),
        ("\u200b" * 40 + "x", "‹ZWSP›×40x"),
        ("10\xa0000", "10⍽000"),
    ],
)
def test_each_harmful_character_has_its_mark(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_a_block_keeps_its_lines_and_its_indentation() -> None:
    code = "def f():\n            return 1\r\n"
    assert visible_block(code) == "def f():\n            return 1␍\n"


def test_a_block_cannot_hide_its_tail_behind_empty_lines() -> None:
    assert visible_block("top\n\n\nnear" + "\n" * 300 + "tail") == "top\n\n\nnear\n␊×298\ntail"


def test_a_block_cannot_hide_its_tail_behind_blanks() -> None:
    assert visible_block("a\n" + " " * 900 + "tail") == "a\n␠×900tail"


def test_a_tower_of_combining_marks_is_counted() -> None:
    tower = "a" + "".join(map(chr, range(0x300, 0x320)))
    assert visible(tower) == "a\u0300\u0301\u0302\u0303\u0304‹+27›"


def test_marks_are_told_from_text_that_looks_like_them() -> None:
    assert [piece for piece in pieces("␛\x1b") if piece[1]] == [("␛", True)]
    assert [piece for piece in pieces("␠×3000") if piece[1]] == []


@given(ANYTHING)
def test_nothing_harmful_is_left(text: str) -> None:
    assert not [char for char in visible(text) if unicodedata.category(char) in HARMFUL]
    assert not [c for c in visible_block(text) if c != "\n" and unicodedata.category(c) in HARMFUL]


@given(ANYTHING)
def test_what_is_visible_stays_as_it_is(text: str) -> None:
    assert visible(visible(text)) == visible(text)


@given(ANYTHING, st.integers(0, 40))
def test_a_cut_text_never_takes_more_cells_than_it_may(text: str, cells: int) -> None:
    shown = visible(text)
    assert width(cut(shown, cells)) <= cells
    assert width(cut_middle(shown, cells)) <= cells
    assert width(fit(shown, cells)) == cells


def test_cuts_are_seen_and_spare_wide_characters() -> None:
    assert cut("受注番号", 6) == "受注…"
    assert cut_middle("run-20260727-0001-0217", 11) == "run-2…-0217"
    assert fit("受注番号", 6) == "受注… "
    assert cut("short", 5) == "short"
