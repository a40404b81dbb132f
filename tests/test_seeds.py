"""The document that says what shows each demand, held against the tests that are there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_NAMED = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")


def names_in(path: Path) -> set[str]:
    tree = ast.parse(path.read_text("utf-8"))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {node.name for node in ast.walk(tree) if isinstance(node, kinds) and node.name.startswith("test_")}


def test_every_test_that_the_document_names_is_there() -> None:
    named = set(_NAMED.findall((ROOT / "docs" / "seeds.md").read_text("utf-8")))
    assert len(named) > 50
    missing = [
        f"{file}::{name}"
        for file, name in sorted(named)
        if not (ROOT / file).is_file() or name not in names_in(ROOT / file)
    ]
    assert not missing, "\n".join(missing)


def test_exactly_once_is_claimed_nowhere() -> None:
    """What can be promised is: once, or asked."""
    paths = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    paths += [path for layer in ("tui", "graph", "store") for path in (ROOT / layer).rglob("*.py")]
    claims = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in paths
        for line in path.read_text("utf-8").splitlines()
        if "exactly once" in line.lower() and not re.search(r"\b(not|nowhere|no|never)\b", line.lower())
    ]
    assert not claims, "\n".join(claims)
