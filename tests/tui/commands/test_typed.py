"""What is typed on the command line: read strictly, refused in a sentence, printed so that nothing acts."""

from __future__ import annotations

from typing import Any

import pytest


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
