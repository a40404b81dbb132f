"""Look at settings and graphs before somebody depends on them."""

from __future__ import annotations

from pathlib import Path

import click

from ..console.printed import echo_json
from ..options import Exit, given, load_settings, shared_options
from ..visible import visible

_MARKS = {"error": "✖", "warning": "●", "note": "·"}


@click.command("check")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
@shared_options
def command(as_json: bool) -> None:
    """Check agent-lab.toml and the graphs: what they ask and how, what runs again, what to mend.

    The graphs are imported, nothing of them is run. Ends with 1 when something cannot work.
    """
    from agent_lab_tui.graph.checking.findings import check, load_facts
    from agent_lab_tui.graph.settings.naming import named_as_loaded
    from agent_lab_tui.graph.settings.specs import read_specs

    options = given()
    settings = load_settings(options)
    settings = settings.with_run(
        context=options.context, configurable=options.configurable, python=options.python
    )
    base = Path.cwd() if options.graphs or settings.path is None else settings.path.parent
    specs = options.graphs or settings.graphs
    if not specs and (base / "langgraph.json").is_file():
        specs = ("langgraph.json",)
    projects = read_specs(specs, base)
    facts = load_facts(projects, settings)
    findings = check(named_as_loaded(settings, projects, facts), facts)
    if as_json:
        echo_json([finding.to_json() for finding in findings], indent=2)
    else:
        for finding in findings:
            click.echo(f"{_MARKS[finding.weight]} {visible(finding.place)}: {visible(finding.finding)}")
            if finding.remedy:
                click.echo(f"    {visible(finding.remedy)}")
        graphs = f"{len(facts)} graph{'' if len(facts) == 1 else 's'}"
        notes = sum(finding.weight == "note" for finding in findings)
        told = [_counted(len(findings) - notes, "finding"), *([_counted(notes, "note")] if notes else [])]
        click.echo(f"{graphs} looked at, {', '.join(told)}.")
    if any(finding.weight == "error" for finding in findings):
        raise SystemExit(int(Exit.FAILED))


def _counted(number: int, noun: str) -> str:
    return f"{number or 'no'} {noun}{'' if number == 1 else 's'}"
