"""Modules of users' graphs are imported in these tests: each test gets a fresh `sys.path` and `sys.modules`."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest


@pytest.fixture
def fresh_imports() -> Iterator[None]:
    """Forget afterwards what was imported and put on the path, and write no bytecode beside it."""
    path, modules, writes = list(sys.path), set(sys.modules), sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    yield
    sys.path[:] = path
    sys.dont_write_bytecode = writes
    for name in set(sys.modules) - modules:
        if not name.startswith(("langgraph", "langchain", "langsmith", "agent_lab_tui", "pydantic")):
            del sys.modules[name]
