"""Rules that name operators."""

from __future__ import annotations

import pytest

from agent_lab_tui.graph.deciding.permission import refusal
from agent_lab_tui.graph.settings.file import Rule, Settings

RULES = Settings(
    rules=(
        Rule("send_*", operators=("ann", "bob")),
        Rule("wipe", operators=("os:root",)),
        Rule("read"),
    )
)


@pytest.mark.parametrize(
    ("operations", "operator", "account"),
    [
        (["send_mail"], "ann", "shared"),
        (["send_mail"], "anybody", "bob"),
        (["wipe"], "anybody", "root"),
        (["read", "other"], "mallory", "mallory"),
        ([], "mallory", "mallory"),
    ],
)
def test_a_rule_lets_the_people_it_names(operations: list[str], operator: str, account: str) -> None:
    assert refusal(operations, RULES, operator, account) is None


def test_others_are_refused_and_told_who_may() -> None:
    why = refusal(["read", "send_mail"], RULES, "mallory", "mal")
    assert why == "A rule lets only ann, bob decide send_mail, not mallory (mal)."


def test_a_name_that_is_only_claimed_does_not_stand_for_an_account() -> None:
    assert refusal(["wipe"], RULES, "root", "mallory") is not None
    assert refusal(["wipe"], RULES, "os:root", "mallory") is not None
