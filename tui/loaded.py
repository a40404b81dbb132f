"""What the command line says of graphs that could not be loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .visible import visible

if TYPE_CHECKING:
    from agent_lab_tui.graph.desk import Desk


def load_and_warn(desk: Desk) -> None:
    """Load the graphs; each that cannot be loaded is named in one sentence on standard error.

    Raises:
        HostError: No process could load them.
    """
    for facts in desk.load_graphs():
        if facts.error is not None:
            cause = facts.error.rstrip(".")
            click.echo(f"Warning: Graph {visible(facts.name)} cannot be loaded: {visible(cause)}.", err=True)
