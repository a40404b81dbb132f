"""What a report of trouble needs to name is printed."""

from __future__ import annotations

import platform
import sqlite3
from importlib.metadata import version

import pytest

from agent_lab_tui.tui.cli import run


def test_the_versions_of_everything_that_matters_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    lines = capsys.readouterr().out.splitlines()
    named = ("langgraph", "langgraph-checkpoint", "langgraph-checkpoint-sqlite", "textual")
    for name, found in (
        *((name, version(name)) for name in named),
        ("Python", platform.python_version()),
        ("SQLite", sqlite3.sqlite_version),
    ):
        assert f"{name} {found}" in lines
