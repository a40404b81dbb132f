"""Files of KEY=VALUE lines."""

from __future__ import annotations

import pytest

from agent_lab_tui.graph.settings.envfile import parse_env


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("KEY=night", "night"),
        ("KEY = night ", "night"),
        ("export KEY=night # shift", "night"),
        ("KEY=a#b", "a#b"),
        ("KEY=", ""),
        ("KEY= # nothing", ""),
        ('KEY="eu-north-1" # comment', "eu-north-1"),
        ('KEY="a # b"', "a # b"),
        (r'KEY="a\nb\"c"', 'a\nb"c'),
        (r"KEY='a\nb'", r"a\nb"),
        (r"KEY='it\'s'", "it's"),
        ("KEY='${HOME_TOWN}'", "${HOME_TOWN}"),
        ("KEY=${HOME_TOWN}-x", "Graz-x"),
        ('KEY="${NOWHERE:-there}"', "there"),
        ("KEY=postgres://u:p@h/db?a=b", "postgres://u:p@h/db?a=b"),
        ("\ufeffKEY=first", "first"),
    ],
)
def test_a_line_gives_the_value_that_dotenv_gives(line: str, value: str) -> None:
    assert parse_env(line, {"HOME_TOWN": "Graz"}) == {"KEY": value}


def test_lines_that_set_nothing_are_passed_over() -> None:
    assert parse_env("# KEY=1\n\nnonsense\nA=1\n  # B=2\nC=${A}2\n", {}) == {"A": "1", "C": "12"}


def test_a_quoted_value_may_run_over_several_lines() -> None:
    text = 'KEY="-----BEGIN\nabc\n-----END"\nNEXT=1'
    assert parse_env(text, {}) == {"KEY": "-----BEGIN\nabc\n-----END", "NEXT": "1"}
