"""The example agents: start a task, carry it on, see how it stands, put it right, keep its data."""

from __future__ import annotations

import re
import shlex
import shutil
from datetime import timedelta
from pathlib import Path
from typing import Any

import click

from agent_lab_tui.graph.lab.ways import desk_command

from ..console.lab_folder import desk_in, lab_command, lab_in
from ..console.lab_help import StartCommand
from ..console.lab_lines import (
    overview_lines,
    recovered_lines,
    recovered_record,
    shown,
    status_lines,
    status_record,
)
from ..console.printed import echo_json
from ..options import Exit, fail, shared_options
from ..visible import visible

_AGE = re.compile(r"(\d+)([dh])")
_AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON, and nothing else.")


@click.group("lab")
@shared_options
def command() -> None:
    """Start the example agents, carry their tasks on, and put right what a crash left."""


@command.command("start", cls=StartCommand)
@click.argument("agent_name", metavar="AGENT")
@click.argument("task_id", metavar="ID")
@click.option("--thread-id", metavar="THREAD", help="The LangGraph thread (default: the id of the task).")
@click.option("--max-steps", type=click.IntRange(min=1), metavar="N", help="Steps the task may take.")
@click.option(
    "--set", "settings", multiple=True, metavar="NAME=VALUE", help="A setting of the agent, see below."
)
@click.option("--crash", metavar="WHERE", help="Kill this process at a place, see below.")
@_AS_JSON
@lab_command
@shared_options
def start(folder: str | None, as_json: bool, **options: Any) -> None:
    """Start a new task of AGENT and run it to its first question or its end.

    It needs a lab: a folder that `agent-lab-tui demo` made, this one or the one that --dir names.
    """
    from ..console.lab_running import start_task

    start_task(lab_in(folder), as_json=as_json, **options)


@command.command("resume")
@click.argument("task_id", metavar="ID")
@click.option("--crash", metavar="WHERE", help="Kill what runs it at a place that `lab start --help` names.")
@click.option("--max-steps", type=click.IntRange(min=1), metavar="N", help="Steps it may take from now on.")
@click.option("--look", "is_look", is_flag=True, help="Only show what it waits for; approve and run nothing.")
@_AS_JSON
@lab_command
@shared_options
def resume(
    task_id: str,
    crash: str | None,
    max_steps: int | None,
    folder: str | None,
    is_look: bool,
    as_json: bool,
) -> None:
    """Carry a task on in a new process, or say what it waits for and how to go on.

    For an analysis task that waits, resume is your own yes to its request: the whole request is printed
    first, then approved in your name and journalled. With --look it is only shown. Every other agent
    that waits for an approval is not approved by resume.
    """
    from ..console.lab_running import look_at_task, resume_task

    if is_look:
        look_at_task(lab_in(folder), task_id, as_json=as_json)
    else:
        resume_task(lab_in(folder), task_id, crash=crash, as_json=as_json, max_steps=max_steps)


@command.command("status")
@click.argument("task_id", metavar="[ID]", required=False)
@_AS_JSON
@lab_command
@shared_options
def status(task_id: str | None, folder: str | None, as_json: bool) -> None:
    """Show how a task stands: its row, its steps, its checkpoint, its files; without ID, one line a task."""
    from agent_lab_tui.graph.lab.registry import agent_of, agents
    from agent_lab_tui.graph.lab.standing import standing_of

    lab = lab_in(folder)
    with desk_in(lab) as desk:
        if task_id is not None:
            standings = [standing_of(lab, desk, agent_of(lab, task_id), task_id)]
        else:
            standings = [standing_of(lab, desk, agent, one) for agent in agents() for one in agent.tasks(lab)]
    if as_json:
        records = [status_record(standing) for standing in standings]
        echo_json(records if task_id is None else records[0])
        return
    click.echo("\n".join(overview_lines(standings)) if task_id is None else shown(status_lines(standings[0])))


@command.command("recover")
@click.argument("task_id", metavar="[ID]", required=False)
@click.option("--dry-run", "is_dry", is_flag=True, help="Only tell what does not agree.")
@_AS_JSON
@lab_command
@shared_options
def recover(task_id: str | None, is_dry: bool, folder: str | None, as_json: bool) -> None:
    """Find tasks whose records, thread and files do not agree, and apply the one remedy of each."""
    from agent_lab_tui.graph.lab.finding import failed_tasks, find
    from agent_lab_tui.graph.lab.reconcile import Recovered
    from agent_lab_tui.graph.lab.reconcile import recover as put_right
    from agent_lab_tui.graph.lab.registry import agent_of
    from agent_lab_tui.graph.lab.workspace import need_rights

    lab, failed = lab_in(folder), []
    if task_id is not None:
        agent_of(lab, task_id)
    if not is_dry:
        need_rights(lab)
    with desk_in(lab) as desk:
        if is_dry:
            done = tuple(Recovered(finding, False, "not done") for finding in find(lab, desk, task_id))
        else:
            done = put_right(lab, desk, task_id)
        if not as_json:
            failed = failed_tasks(lab, task_id)
    if as_json:
        echo_json([recovered_record(one) for one in done])
    elif not done:
        click.echo("Everything agrees.")
    for one in () if as_json else done:
        click.echo(shown(recovered_lines(one, is_dry=is_dry)))
    for status in failed:
        way_on = desk_command(lab, "go-on", status.thread_id)
        click.echo(
            visible(
                f"{status.task_id} failed ({status.error or 'no cause is noted'}): mend it, then {way_on}"
            )
        )
    if not is_dry and not all(one.is_done for one in done):
        raise SystemExit(int(Exit.FAILED))


@command.command("backup")
@click.argument("target", metavar="DIR", type=click.Path(path_type=Path))
@_AS_JSON
@lab_command
@shared_options
def backup(target: Path, folder: str | None, as_json: bool) -> None:
    """Copy the lab, also while it is in use, into a new folder DIR that can be carried on from."""
    from agent_lab_tui.graph.lab.keeping import back_up_lab

    files = back_up_lab(lab_in(folder), target)
    made = target.resolve()
    words = f"{len(files)} files are in {made}; every lab command takes --dir {shlex.quote(str(made))}."
    if as_json:
        echo_json({"folder": str(made), "files": files})
    else:
        click.echo(visible(words))


@command.command("prune")
@click.option("--older-than", metavar="AGE", required=True, help="Such as 30d or 12h.")
@click.option("--dry-run", "is_dry", is_flag=True, help="Only tell what would go; so it is without --yes.")
@click.option("--yes", "is_sure", is_flag=True, help="Delete rows and checkpoints of what is listed.")
@_AS_JSON
@lab_command
@shared_options
def prune(older_than: str, is_dry: bool, is_sure: bool, folder: str | None, as_json: bool) -> None:
    """Drop finished tasks that are older than AGE; what waits or was halted is never dropped."""
    from dataclasses import asdict

    from agent_lab_tui.graph.lab import keeping

    lab, age = lab_in(folder), _age(older_than)
    is_done = is_sure and not is_dry
    with desk_in(lab) as desk:
        found = keeping.prunable(lab, desk, age)
    if is_done:
        keeping.prune(lab, found)
    if as_json:
        record = {"is_done": is_done, "tasks": [asdict(one) for one in found]}
        echo_json(record)
        return
    for one in found:
        click.echo(visible(f"{one.task_id}  {one.status} since {one.updated_at}"))
    left = "dropped; files, effects and decisions stay" if is_done else "would go; --yes drops them"
    click.echo(f"{len(found)} tasks {left}.")


@command.command("clean")
@click.argument("task_id", metavar="ID")
@click.option("--yes", "is_sure", is_flag=True, help="Do not ask.")
@lab_command
@shared_options
def clean(task_id: str, is_sure: bool, folder: str | None) -> None:
    """Delete the folder of a task after asking; nothing else ever deletes it, a crash least of all."""
    from agent_lab_tui.graph.lab.registry import agent_of
    from agent_lab_tui.graph.lab.views import files_of

    lab = lab_in(folder)
    agent = agent_of(lab, task_id)
    path = agent.folder(lab, task_id)
    files = files_of(lab, path)
    if not path.is_dir():
        click.echo(visible(f"{lab.relative(path)} is not there."))
        return
    for file in files:
        click.echo(visible(f"  {file}"))
    stands = agent.status(lab, task_id).status
    question = f"{task_id} is {stands}. Delete {lab.relative(path)} with {len(files)} files?"
    if not is_sure and not click.confirm(visible(question)):
        fail("Nothing was deleted.", Exit.REFUSED)
    shutil.rmtree(path)
    click.echo(visible(f"{lab.relative(path)} is deleted."))


@command.command("examples", context_settings={"ignore_unknown_options": True})
@click.argument("name", metavar="[NAME]", required=False)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@shared_options
def examples(name: str | None, arguments: tuple[str, ...]) -> None:
    """Run one small example, or list them."""
    from agent_lab_tui.graph.lab import examples as all_examples

    if name is None:
        for one, about in all_examples.EXAMPLES.items():
            click.echo(f"{one:14} {about}")
        return
    if name not in all_examples.EXAMPLES:
        fail(visible(f"There is no example {name}; there are {', '.join(all_examples.EXAMPLES)}."))
    code = all_examples.run(name, arguments)
    if code:
        raise SystemExit(code)


@command.command("faults")
@click.option("--agent", "names", multiple=True, metavar="NAME", help="Only these agents.")
@click.option("--place", "places", multiple=True, metavar="WORD", help="Only places with one of these words.")
@shared_options
def faults(names: tuple[str, ...], places: tuple[str, ...]) -> None:
    """Kill every agent at every place it passes, carry it on, and print what came of it."""
    from agent_lab_tui.graph.lab.faults import plays, table

    from ..console.fault_lines import progress_line, table_lines, verdict_line

    chosen = [play for play in plays.PLAYS if not names or play.agent in names]
    if not chosen:
        fail(f"There is no such agent; there are {', '.join(sorted({play.agent for play in plays.PLAYS}))}.")
    made = []
    for row in table.rows(chosen, lambda place: not places or any(word in place for word in places)):
        click.echo(progress_line(row), err=True)
        made.append(row)
    for line in table_lines(table.lines(made)):
        click.echo(line)
    click.echo(f"\n{verdict_line(made)}")
    if not all(row.is_sound for row in made):
        raise SystemExit(int(Exit.FAILED))


def _age(text: str) -> timedelta:
    match = _AGE.fullmatch(text)
    if match is None:
        raise click.BadParameter("it takes a number and d or h, such as 30d", param_hint="--older-than")
    number = int(match[1])
    return timedelta(days=number) if match[2] == "d" else timedelta(hours=number)
