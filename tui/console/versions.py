"""The versions that are evidence when something goes wrong."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

from agent_lab_tui.store.files import sqlite_version

PACKAGES = ("agent-lab-tui", "langgraph", "langgraph-checkpoint", "langgraph-checkpoint-sqlite", "textual")


def version_lines() -> list[str]:
    """Return one line a component: name and installed version."""
    lines = [f"{name} {_installed(name)}" for name in PACKAGES]
    return [*lines, f"Python {platform.python_version()}", f"SQLite {sqlite_version()}"]


def _installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
