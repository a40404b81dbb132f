"""Keys that are the same in every run, found in authors' sources."""

from __future__ import annotations

import pytest

from agent_lab_tui.graph.checking.fixed_keys import fixed_keys

HEAD = """
from agent_lab_tui.graph import gate
from agent_lab_tui.graph.gate import Request, ask, once as do
KEY = "patch-1:apply"
PREFIX = "patch"
"""


def found(*lines: str) -> list[tuple[int, str]]:
    body = "".join(f"    {line}\n" for line in lines)
    return [(line, text) for line, text in fixed_keys(f"{HEAD}def node(state, own):\n{body}")]


@pytest.mark.parametrize(
    "line",
    [
        'do("patch-1:apply", "apply", {}, run, ledger=LEDGER)',
        'do(key="patch-1:apply", operation="apply")',
        "do(KEY, 'apply', {})",
        'do(f"{PREFIX}-1:apply", "apply", {})',
        'do(f"{1}:apply", "apply", {})',
        'do(PREFIX + ":apply", "apply", {})',
        'gate.aonce("patch-1:apply", "apply", {})',
        'ask("apply", {}, key="patch-1:apply")',
        'ask("apply", {}, "why", "impact", "low", "patch-1:apply")',
        'gate.ask_all([Request("apply", {}, key="patch-1:apply")])',
    ],
)
def test_a_key_without_anything_of_the_run_is_found(line: str) -> None:
    ((number, text),) = found(line)
    assert number == 7
    assert "is the same in every run" in text


@pytest.mark.parametrize(
    "lines",
    [
        ["do(f\"{state['run_id']}:apply\", 'apply', {})"],
        ["do(key(), 'apply', {})"],
        ["do(state['run_id'] + ':apply', 'apply', {})"],
        ["do('%s:apply' % own, 'apply', {})"],
        ["do(own, 'apply', {})"],
        ["for KEY in state:", "    do(KEY, 'apply', {})"],
        ["ask('apply', {}, 'a fixed reason')"],
        ["ask('apply', {}, key=None)"],
        ["do(*own)"],
        ["other('patch-1:apply', 'apply', {})"],
    ],
)
def test_a_key_with_something_of_the_run_is_left_alone(lines: list[str]) -> None:
    assert found(*lines) == []


@pytest.mark.parametrize("source", ["def broken(", "", "\0"])
def test_what_is_no_python_has_no_keys(source: str) -> None:
    assert fixed_keys(source) == ()
