"""Make the demo and open the desk on it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from agent_lab_tui.graph.lab.ways import desk_command

from ..console.lab_folder import DEMO
from ..console.printed import echo_json
from ..options import Exit, fail, given, shared_options
from ..visible import visible


@click.command("demo")
@click.argument("folder", metavar="[DIR]", default=DEMO)
@click.option("--no-tui", is_flag=True, help="Only make it.")
@click.option("--json", "as_json", is_flag=True, help="Only make it, and print where it is as JSON.")
@shared_options
def command(folder: str, no_tui: bool, as_json: bool) -> None:
    """Make a folder of agents that wait, or find the one that is there (./demo), and open the desk.

    Without a terminal it is only made, and how to open it is printed.
    """
    from agent_lab_tui.graph.lab.demo import make_demo
    from agent_lab_tui.graph.lab.registry import LabRefused

    def say(step: str) -> None:
        if not as_json:
            click.echo(f"  {step}")

    try:
        demo = make_demo(Path(folder), say)
    except LabRefused as refused:
        fail(visible(str(refused)), Exit.USAGE)
    except OSError as error:
        fail(visible(f"The demo cannot be made in {folder}: {error.strerror or error}."), Exit.USAGE)
    settings = demo.lab.root / "agent-lab.toml"
    if as_json:
        record = {
            "db": str(demo.lab.database),
            "graph": str(demo.lab.root / "langgraph.json"),
            "threads": list(demo.threads),
        }
        echo_json(record)
        return
    from .open import has_terminal, open_screen

    if no_tui or not has_terminal():
        made = "made" if demo.is_new else "is there already"
        click.echo(visible(f"{demo.lab.root} {made}: {len(demo.threads)} threads."))
        click.echo(visible(f"Open it: {desk_command(demo.lab)}"))
        return
    open_screen(replace(given(), db=str(demo.lab.database), settings=str(settings)))
