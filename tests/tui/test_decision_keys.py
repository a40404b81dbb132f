"""A key decides only when a person meant it, after the request was there."""

from __future__ import annotations

from agent_lab_tui.tui.decision_keys import DecisionKeys


def test_a_fresh_key_counts_half_a_second_after_the_request_was_painted() -> None:
    keys = DecisionKeys()
    keys.note("a", 10.4)
    assert "too soon" in keys.why_not(10.0)
    keys.note("a", 12.0)
    assert keys.why_not(10.0) == ""
    assert "too soon" in keys.why_not(None)


def test_a_held_key_counts_once() -> None:
    keys = DecisionKeys()
    counted = 0
    for at in (10.0, 10.66, *(10.66 + 0.033 * n for n in range(1, 200))):
        keys.note("a", at)
        counted += not keys.why_not(0.0)
    assert counted == 1


def test_keys_of_one_burst_do_not_count() -> None:
    keys = DecisionKeys()
    for index, key in enumerate("yabba"):
        keys.note(key, 10.0 + index * 0.001)
    assert keys.why_not(0.0)


def test_the_second_press_confirms_the_same_thing_only_and_not_for_ever() -> None:
    keys = DecisionKeys()
    keys.note("a", 10.0)
    assert not keys.is_second("push")
    keys.note("a", 12.0)
    assert not keys.is_second("mail")
    keys.note("a", 14.0)
    assert keys.is_second("mail")
    keys.note("a", 16.0)
    assert not keys.is_second("mail")
    keys.note("a", 60.0)
    assert not keys.is_second("mail")
