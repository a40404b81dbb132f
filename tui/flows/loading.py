"""What is said about the graphs when something is wrong with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..visible import visible

if TYPE_CHECKING:
    from agent_lab_tui.graph.desk import Desk

    from ..news import GraphsLoaded


def banner(desk: Desk, loaded: GraphsLoaded) -> str:
    """Return one visible line to stand under the header; empty when nothing is wrong."""
    if not desk.projects:
        return " No graph is loaded: threads can be read, not decided (--graph file.py:graph)"
    if loaded.sentence:
        return f" The graphs could not be loaded: {visible(loaded.sentence)}  (L shows what they printed)"
    broken = [facts for facts in loaded.facts if facts.error]
    if not broken:
        return ""
    more = f" and {len(broken) - 1} more" if len(broken) > 1 else ""
    first = broken[0]
    sentence = f"{visible(first.name)}{more} could not be loaded: {visible(first.error or '')}"
    return f" {sentence}  (L shows the traceback)"
