"""What is typed on the command line: read strictly, refused in a sentence, printed so that nothing acts."""

from __future__ import annotations

from typing import Any

import pytest

EDITS = 'edit = { pay = true, arguments = "{arguments}" }\n'


def test_a_note_with_control_characters_is_exported_and_shown_without_them(folder: Any) -> None:
    folder("answer", "t1", "--reject", "no\x9b31m\U000e0041 thanks", "--record-only", *folder.seen)
    for arguments in (("journal", "export"), ("journal", "export", "--json"), ("journal", "show", "--json")):
        _, printed = folder(*arguments)
        assert "\\u009b31m\\udb40\\udc41 thanks" in printed
        assert printed.isprintable() or set(filter(lambda char: not char.isprintable(), printed)) == {"\n"}
    assert folder.journal.verify().is_whole


def test_a_note_is_set_in_under_its_decision(folder: Any) -> None:
    folder("answer", "t1", "--reject", "wrong customer", "--record-only", *folder.seen)
    assert folder("journal", "show")[1].splitlines()[1] == "          wrong customer"


@pytest.mark.parametrize("reason", [" \u200b\u2060 ", "\u3164", "\u2800", "\u115f\ufe0f", "\x1b"])
def test_a_reason_that_nobody_can_see_is_none(folder: Any, reason: str) -> None:
    for arguments in (
        ("answer", "t1", "--reject", reason, *folder.seen),
        ("abandon", "t1", "--reason", reason),
    ):
        code, printed = folder(*arguments, "--record-only")
        assert (code, printed) == (4, "")
        assert "reason" in folder.error
    assert not folder.journal.path.exists()


@pytest.mark.parametrize(
    ("flag", "text", "sentence"),
    [
        ("--edit", '{"amount": 1, "to": "bob", "amount": 9}', 'the key "amount" is given twice'),
        ("--value", '{"pay": true, "pay": false}', 'the key "pay" is given twice'),
        ("--choices", '[{"approve": {}, "approve": {}}]', 'the key "approve" is given twice'),
        ("--answers", '{"a": {"value": 1}, "a": {"value": 2}}', 'the key "a" is given twice'),
        ("--value", "NaN", "NaN is no JSON"),
        ("--edit", '{"amount": -Infinity, "to": "bob"}', "-Infinity is no JSON"),
        ("--value", "1e999", "more than a number can hold"),
        ("--value", "[" * 100_000, "nested deeper than 200 levels"),
        ("--edit", '{"a":' * 100_000, "nested deeper than 200 levels"),
        ("--choices", "[" * 900 + "]" * 900, "nested deeper than 200 levels"),
    ],
)
def test_json_that_says_two_things_or_nothing_is_wrong_usage(
    folder: Any, flag: str, text: str, sentence: str
) -> None:
    folder.write("agent-lab.toml", folder.settings + EDITS)
    code, printed = folder("answer", "t1", flag, text, "--record-only", *folder.seen)
    assert (code, printed) == (2, "")
    assert f"{flag} is not JSON" in folder.error
    assert sentence in folder.error
    assert len(folder.error) < 300
    assert not folder.journal.path.exists()


def test_the_options_of_a_run_are_read_as_strictly(folder: Any) -> None:
    for option in ("--context", "--configurable"):
        for text in ('{"a": 1, "a": 2}', '{"a": NaN}', '{"a":' * 100_000):
            assert folder("list", option, text)[0] == 2
            assert "not JSON" in folder.error
