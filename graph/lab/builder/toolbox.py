"""All tools of the builder, and the table of their grades."""

from __future__ import annotations

from typing import Any

from .tool import Tool
from .tools_inside import INSIDE
from .tools_outside import OUTSIDE

TOOLS: dict[str, Tool] = {tool.name: tool for tool in (*INSIDE, *OUTSIDE)}
"""By name."""


def declared() -> list[dict[str, Any]]:
    """Return the tools as chat models take them."""
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.about, "parameters": tool.schema},
        }
        for tool in TOOLS.values()
    ]
