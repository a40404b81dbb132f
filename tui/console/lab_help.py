"""What `lab start --help` tells of the agents: what each does, its settings, the places to kill it at."""

from __future__ import annotations

import click

_LATER = """A task started runs to its first question, and is killed at places before it. Places behind the
question are passed by the command that carries the task on: `lab resume ID --crash WHERE`, or
{variable}=WHERE in the environment of `answer` and `go-on`. WHERE#2 is the second time it is passed."""


class StartCommand(click.Command):
    """A command whose help ends with the agents; they are loaded for it alone."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the agents, their settings and their places."""
        from agent_lab_tui.graph.lab.crash import VARIABLE
        from agent_lab_tui.graph.lab.places import all_places
        from agent_lab_tui.graph.lab.registry import agents

        loaded = agents()
        with formatter.section("Agents"):
            formatter.write_dl([(one.name, one.about) for one in loaded])
        settings = [(f"{one.name}: {name}", what) for one in loaded for name, what in one.settings.items()]
        with formatter.section("Settings for --set"):
            formatter.write_dl(settings)
        with formatter.section("Places for --crash"):
            formatter.write_dl([(name, ", ".join(places)) for name, places in all_places().items()])
            formatter.write_paragraph()
            formatter.write_text(_LATER.format(variable=VARIABLE))
