"""Rows wrap without losing a character."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from agent_lab_tui.tui.paper.folds import FROM, KEPT, folded
from agent_lab_tui.tui.paper.rows import Row, beginning, breaks, foreign, foreign_lines, height, set_off, wrap

TEXTS = st.text(alphabet=st.sampled_from("ab  ßé漢字🧾\u0301\x1b\u200b"), max_size=120)


@given(TEXTS, st.integers(2, 30))
def test_lines_of_a_row_join_to_its_text_and_fit(text: str, width: int) -> None:
    row = Row(foreign(text))
    lines = wrap(row, width)
    assert "".join(piece for line in lines for piece, _ in line) == row.body_text
    assert all(cell_len("".join(piece for piece, _ in line)) <= width for line in lines)
    assert len(lines) == height(row, width)


def test_words_stay_whole_where_there_is_room() -> None:
    text = "the quick brown fox"
    assert [text[start:end] for start, end in breaks(text, 10)] == ["the quick ", "brown fox"]


def test_a_text_of_several_lines_marks_each_end_of_line() -> None:
    lines = ["".join(piece for piece, _ in line) for line in foreign_lines("one\ntwo\x1b\n")]
    assert lines == ["one␊", "two␛␊", ""]


def test_marks_have_an_ink_of_their_own() -> None:
    assert foreign("a\x1bb␛") == (("a", ""), ("␛", "mark"), ("b␛", "")) or (
        "␛",
        "mark",
    ) in foreign("a\x1bb␛")
    assert [ink for _, ink in foreign("␛")] == [""]


def test_heads_stand_in_their_column() -> None:
    rows = list(set_off([Row((("x" * 9, ""),)), Row((("y", ""),))], (("name", "key"),), 6))
    lines = ["".join(piece for piece, _ in line) for row in rows for line in wrap(row, 10)]
    assert lines == ["name  xxxx", "      xxxx", "      x", "      y"]


def test_a_long_part_is_folded_and_says_how_much_is_hidden() -> None:
    rows = [Row((("z" * 1000, ""),))]
    shown = folded(rows, "argument z", 50, is_seen=False)
    assert shown[-1].hidden == 20 - KEPT
    assert shown[-1].fold == "argument z"
    assert sum(height(row, 50) for row in shown) == KEPT + 1
    few = [Row((("short", ""),))] * (FROM - 1)
    assert folded(few, "x", 50, is_seen=False) == few


def test_the_beginning_of_a_row_is_whole_lines() -> None:
    assert beginning(Row((("abcdefghij", ""),)), 4, 2).body_text == "abcdefgh"


def lines(text: str, width: int) -> list[str]:
    return [text[start:end] for start, end in breaks(text, width)]


def test_json_breaks_after_a_comma_or_a_bracket_and_not_between_name_and_value() -> None:
    text = '{"decisions": [{"type": "approve"}, {"type": "reject"}]}'
    assert lines(text, 24) == ['{"decisions": [{', '"type": "approve"}, ', '{"type": "reject"}]}']
    assert lines('{"a": 1, "name": "value", "z": 2}', 18) == ['{"a": 1, ', '"name": "value", ', '"z": 2}']


def test_a_long_word_goes_to_the_next_line_or_breaks_after_one_of_its_signs() -> None:
    name = "HumanInTheLoopMiddleware.after_model"
    assert lines(f"node {name} ends", 38) == ["node ", f"{name} ", "ends"]
    assert lines(f"node {name}", 38) == ["node ", name]
    assert lines(f"node {name}", 34) == ["node HumanInTheLoopMiddleware.", "after_model"]
    assert lines("x" * 12, 5) == ["xxxxx", "xxxxx", "xx"]
