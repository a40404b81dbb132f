"""What commands print as JSON: nothing acts on a terminal, and every reader of JSON takes it."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from agent_lab_tui.tui.console.printed import echo_json, json_text
from agent_lab_tui.tui.visible import visible

TUI = Path(__file__).parents[2] / "tui"


@pytest.mark.parametrize(
    "char", ["\x1b", "\x7f", "\x9b", "\u202e", "\u3164", "\ue000", "\U000e0041", "\U000e0101", "\U000f0000"]
)
def test_a_character_that_is_not_seen_as_itself_is_escaped_and_comes_back(char: str) -> None:
    text = json_text({"said": f"é{char}"})
    assert char not in text
    assert text.startswith('{"said": "é\\u')
    assert json.loads(text) == {"said": f"é{char}"}


def test_whatever_stands_as_a_mark_on_the_screen_stands_as_an_escape_in_json() -> None:
    points = (*range(0x3200), *range(0xA000, 0xA0FF), *range(0xD700, 0x10000), *range(0xE0000, 0xE0200))
    shown = set(json_text("".join(map(chr, points))))
    wrong = [char for char in shown if visible(char) not in (char, f"◌{char}")]
    assert wrong == []


def test_a_number_without_a_form_in_json_is_printed_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    echo_json({"cost": float("nan"), "most": [float("inf")]})
    assert json.loads(capsys.readouterr().out, parse_constant=pytest.fail) == {
        "cost": "NaN",
        "most": ["Infinity"],
    }


def test_indented_json_keeps_its_lines() -> None:
    assert json_text({"said": "日本\x9b"}, indent=2) == '{\n  "said": "日本\\u009b"\n}'


def test_no_command_prints_json_past_the_one_door() -> None:
    found = [
        f"{path.relative_to(TUI)}:{call.lineno}"
        for path in TUI.rglob("*.py")
        if path.name != "printed.py"
        for call in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(call, ast.Call) and ast.unparse(call.func) in ("click.echo", "print")
        for part in ast.walk(call)
        if isinstance(part, ast.Attribute) and ast.unparse(part) == "json.dumps"
    ]
    assert found == []
