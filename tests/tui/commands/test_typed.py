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
def test_json_that_says_two_things_or_nothing_is_refused(
    folder: Any, flag: str, text: str, sentence: str
) -> None:
    folder.write("agent-lab.toml", folder.settings + EDITS)
    code, printed = folder("answer", "t1", flag, text, "--record-only", *folder.seen)
    assert (code, printed) == (4, "")
    assert f"{flag} is not JSON" in folder.error
    assert sentence in folder.error
    assert len(folder.error) < 300
    assert not folder.journal.path.exists()


def test_the_options_of_a_run_are_read_as_strictly(folder: Any) -> None:
    for option in ("--context", "--configurable"):
        for text in ('{"a": 1, "a": 2}', '{"a": NaN}', '{"a":' * 100_000):
            assert folder("list", option, text)[0] == 2
            assert "not JSON" in folder.error


@pytest.mark.parametrize("text", [str(2**64), f'{{"pay": [{-(2**63) - 1}]}}', "9" * 400])
def test_a_number_that_no_checkpoint_holds_is_refused(folder: Any, text: str) -> None:
    folder.write("agent-lab.toml", folder.settings + EDITS)
    for arguments in (("--value", text), ("--edit", f'{{"amount": {text}, "to": "bob"}}')):
        code, printed = folder("answer", "t1", *arguments, "--record-only", *folder.seen)
        assert (code, printed) == (4, "")
        assert "cannot be stored" in folder.error
    assert not folder.journal.path.exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("--reject", "a\udcff\udcfe"),
        ("--value", '"a\udcff"'),
        ("--value", '{"pay": "\\ud800"}'),
        ("--edit", '{"amount": 1, "to": "b\udcff"}'),
        ("--choices", '[{"reject": "no\\udfff"}]'),
    ],
)
def test_bytes_that_are_no_text_are_refused_when_the_order_is_built(
    folder: Any, arguments: tuple[str, str]
) -> None:
    folder.write("agent-lab.toml", folder.settings + EDITS)
    code, printed = folder("answer", "t1", *arguments, "--record-only", *folder.seen)
    assert (code, printed) == (4, "")
    assert "half a character" in folder.error
    assert not folder.journal.path.exists()


def test_reasons_names_and_ids_that_are_no_text_are_told_in_a_sentence(folder: Any) -> None:
    assert folder("abandon", "t1", "--reason", "a\udcff", "--record-only")[0] == 4
    assert "half a character" in folder.error
    assert folder("--operator", "a\udcff", "answer", "t1", "--approve", "--record-only", *folder.seen)[0] == 2
    assert "a name in UTF-8 is needed" in folder.error
    assert folder("show", "a\udcff")[0] == 2
    assert folder.error == "An argument holds bytes that are no text: write it in UTF-8.\n"
    assert not folder.journal.path.exists()
