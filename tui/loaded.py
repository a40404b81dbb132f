"""What the command line says of settings that nobody reads and graphs that could not be loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from agent_lab_tui.graph.settings.naming import of_no_use

from .visible import visible

if TYPE_CHECKING:
    from agent_lab_tui.graph.desk import Desk


def warn_of_settings(desk: Desk) -> None:
    """Say in one line on standard error that keys of the settings are read by nobody."""
    found = tuple(of_no_use(desk.settings, desk.projects, desk.facts))
    if found:
        more = f" And {len(found) - 1} more: `agent-lab-tui check` lists them." if found[1:] else ""
        click.echo(f"Warning: {visible(found[0])}{more}", err=True)


def load_and_warn(desk: Desk) -> None:
    """Load the graphs; each that cannot be loaded is named in one sentence on standard error.

    Raises:
        HostError: No process could load them.
    """
    graphs = desk.load_graphs()
    warn_of_settings(desk)
    for facts in graphs:
        if facts.error is not None:
            cause = facts.error.rstrip(".")
            click.echo(f"Warning: Graph {visible(facts.name)} cannot be loaded: {visible(cause)}.", err=True)
