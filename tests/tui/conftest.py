"""The option that rewrites the golden pictures."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option; look at every picture after it was used."""
    parser.addoption(
        "--rewrite-pictures",
        action="store_true",
        help="Rewrite screenshots/*.svg from what the screen shows.",
    )
