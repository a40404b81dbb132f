"""Show the past of a thread: the tree of its checkpoints."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from agent_lab_tui.graph.travelling.lanes import draw

from ..ages import age
from ..console.printed import echo_json
from ..console.travel_records import checkpoint_record
from ..history_lines import checkpoint_line
from ..options import desk_from, given, shared_options
from ..visible import cut, fit, visible, width

if TYPE_CHECKING:
    from agent_lab_tui.graph.desk import Desk
    from agent_lab_tui.graph.travelling.timeline import Checkpoint, Timeline


@click.command("history")
@click.argument("thread_id", metavar="THREAD")
@click.option("--limit", type=click.IntRange(min=1), default=50, show_default=True, metavar="N")
@click.option("--before", metavar="ID", help="The page after this checkpoint: older ones.")
@click.option(
    "--key", metavar="KEY", help="Only checkpoints of the page that wrote a state key of this beginning."
)
@click.option("--lost", "is_lost", is_flag=True, help="Only questions that were left behind unanswered.")
@click.option(
    "--inside", default="", metavar="NODE", help="Of the subgraph in a node: `outer > inner` goes deeper."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, and nothing else.")
@shared_options
def command(
    thread_id: str,
    limit: int,
    before: str | None,
    key: str | None,
    is_lost: bool,
    inside: str,
    as_json: bool,
) -> None:
    """Show the checkpoints of THREAD, newest first, as a tree."""
    with closing(desk_from(given())) as desk:
        timeline = _read(desk, thread_id, limit, before, inside, is_lost=is_lost)
    shown = timeline.wrote(key) if key else timeline.checkpoints
    if as_json:
        echo_json([checkpoint_record(checkpoint, timeline) for checkpoint in shown])
        return
    if not shown:
        click.echo("Nothing was left behind." if is_lost else "No checkpoint of this page is like that.")
    for line in _lines(shown, timeline, is_tree=not (key or is_lost)):
        click.echo(line)
    if not timeline.is_complete and not is_lost:
        click.echo(f"older ones: --before {timeline.checkpoints[-1].checkpoint_id}")


def _read(
    desk: Desk, thread_id: str, limit: int, before: str | None, inside: str, *, is_lost: bool
) -> Timeline:
    past = desk.travelling.past
    if inside:
        return past.page(thread_id, limit, before, past.inside(thread_id, inside), is_exact=True)
    if before is not None:
        before = desk.travelling.find(thread_id, before)
    if is_lost:
        return replace(desk.travelling.tree(thread_id), checkpoints=desk.travelling.lost(thread_id))
    if desk.projects:
        desk.load_graphs()
    return desk.travelling.timeline(thread_id, limit, before)


def _lines(shown: Iterable[Checkpoint], timeline: Timeline, *, is_tree: bool) -> Iterator[str]:
    """Draw checkpoints as `git log --graph` does, with columns that line up."""
    by_id = {checkpoint.checkpoint_id: checkpoint for checkpoint in shown}
    lines = {own: checkpoint_line(one, timeline) for own, one in by_id.items()}
    rails = list(draw((own, one.parent_id if is_tree else None) for own, one in by_id.items()))
    rail = max((width(one.text()) for one in rails), default=0)
    names = min(max((width(line.name) for line in lines.values()), default=0), 24)
    now = time.time()
    for one in rails:
        if one.checkpoint_id is None:
            yield one.text()
            continue
        line, at = lines[one.checkpoint_id], by_id[one.checkpoint_id].at
        yield "  ".join(
            (
                fit(one.text(line.mark), rail),
                f"{line.step:>3}",
                fit(line.name, names),
                f"{age(at, now):>4}",
                one.checkpoint_id[:23] if one.checkpoint_id[14:15] == "6" else visible(one.checkpoint_id),
                cut(line.words, 90),
                line.note,
            )
        ).rstrip()
