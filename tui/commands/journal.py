"""Look at the record of decisions, check it, copy it out, move old parts away."""

from __future__ import annotations

import re
import time
from contextlib import closing
from pathlib import Path

import click

from agent_lab_tui.graph.deciding.telling import deed_on, local, named

from ..console.journal_lines import decision_record, event_record, write_new
from ..console.printed import echo_json, json_text
from ..console.sealed import tell_sealed
from ..options import Exit, desk_from, fail, given, shared_options
from ..visible import visible

_AGE = re.compile(r"(\d+)([dh])")


@click.group("journal")
@shared_options
def command() -> None:
    """Show, verify, export or archive the record of decisions."""


@command.command("show")
@click.option("--thread", "thread_id", metavar="THREAD", help="Only what was decided about this thread.")
@click.option("--open", "is_open", is_flag=True, help="Only what has no end yet.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, and nothing else.")
@shared_options
def show(thread_id: str | None, is_open: bool, as_json: bool) -> None:
    """List decisions, oldest first: who, what, about which thread, and what became of it."""
    with closing(desk_from(given())) as desk:
        journal = desk.journal
        decisions = journal.decisions() if thread_id is None else journal.of_thread(thread_id)
    tell_sealed(one for one in decisions if one.is_sealed)
    decisions = tuple(one for one in decisions if one.is_open or not is_open)
    if as_json:
        echo_json([decision_record(one) for one in decisions])
        return
    for one in decisions:
        order = one.order
        words = (
            f"{one.decision_id[:8]}  {local(one.at)}  {named(order.by, order.os_user)}"
            f" {deed_on(one, order.thread_id)}: {one.state}"
        )
        click.echo(visible(f"{words}, {one.detail}" if one.detail else words))
        if order.note:
            click.echo(f"          {visible(order.note)}")


@command.command("verify")
@click.option("--head", metavar="DIGEST", help="A digest printed earlier: finds an end that was cut off.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, and nothing else.")
@shared_options
def verify(head: str | None, as_json: bool) -> None:
    """Check the chain of events, name the first broken link, print the digest of the last event."""
    with closing(desk_from(given())) as desk:
        verdict = desk.journal.verify(head)
    if as_json:
        record = {
            "is_whole": verdict.is_whole,
            "events": verdict.events,
            "head": verdict.head,
            "broken_at": verdict.broken_at,
            "reason": verdict.reason,
        }
        echo_json(record)
    elif verdict.is_whole:
        click.echo(f"whole: {verdict.events} events, head {verdict.head or 'none yet'}")
    if not verdict.is_whole:
        where = "" if verdict.broken_at is None else f" at event {verdict.broken_at}"
        fail(f"The journal is broken{where}: {verdict.reason}.", Exit.FAILED)


@command.command("export")
@click.argument("file", required=False, type=click.Path(dir_okay=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="One JSON array instead of one event a line.")
@shared_options
def export(file: Path | None, as_json: bool) -> None:
    """Write every event with its digests, one JSON object a line."""
    with closing(desk_from(given())) as desk:
        records = [event_record(event) for event in desk.journal.events()]
    lines = [json_text(records)] if as_json else [json_text(record) for record in records]
    text = "".join(f"{line}\n" for line in lines)
    if file is None:
        click.echo(text, nl=False)
    else:
        write_new(file, text)


@command.command("archive")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--older-than", default="90d", show_default=True, metavar="AGE", help="Such as 30d or 12h.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, and nothing else.")
@shared_options
def archive(file: Path, older_than: str, as_json: bool) -> None:
    """Move old, ended decisions into FILE; the journal names it, and both still verify."""
    match = _AGE.fullmatch(older_than)
    if match is None:
        fail("--older-than takes days or hours, such as 30d or 12h.")
    age = int(match[1]) * (86400 if match[2] == "d" else 3600)
    with closing(desk_from(given())) as desk:
        archived = desk.journal.archive(file, time.time() - age, desk.operator)
    if as_json:
        record = {"file": str(file), "events": archived.events if archived else 0}
        echo_json({**record, "head": archived.head if archived else None})
    elif archived is None:
        click.echo("Nothing is old enough and ended: nothing was moved.")
    else:
        click.echo(f"moved {archived.events} events to {visible(str(file))}, head {archived.head}")
