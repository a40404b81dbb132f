"""List the threads of a database and where each one stands."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from contextlib import closing
from datetime import UTC, datetime
from functools import lru_cache
from threading import Event
from time import localtime, strftime
from typing import TYPE_CHECKING, Any

import click

from agent_lab_tui.graph.reading.labels import Label, labelled
from agent_lab_tui.graph.reading.situation import Situation

from ..console.printed import echo_json, table
from ..console.sealed import tell_sealed
from ..loaded import warn_of_settings
from ..options import desk_from, given, shared_options

if TYPE_CHECKING:
    from agent_lab_tui.graph.desk import Desk
    from agent_lab_tui.graph.reading.reader import ThreadLine

_POLL_SECONDS = 0.25
NEWEST = 100
"""Threads that are listed where not all are asked for."""
_BY_STATE = frozenset({Situation.DONE, Situation.STOPPED, Situation.FOREIGN})
"""Situations that only a thread's decoded state tells apart."""


@click.command("list")
@click.option(
    "--situation",
    "situations",
    multiple=True,
    type=click.Choice([situation.value for situation in Situation]),
    help="Only threads that stand there; repeatable.",
)
@click.option(
    "--where", "labels", multiple=True, metavar="NAME=VALUE", help="Only threads labelled so, as user_id=ann."
)
@click.option("--all", "is_all", is_flag=True, help="Every thread, not the newest 100 alone.")
@click.option("--wait", "is_waiting", is_flag=True, help="Block until a question waits, then list those.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, and nothing else.")
@shared_options
def command(
    situations: tuple[str, ...], labels: tuple[str, ...], is_all: bool, is_waiting: bool, as_json: bool
) -> None:
    """List threads, newest first, and where each one stands.

    --where asks for a plain field of the metadata that a run was given, in its configuration for one.
    """
    wanted = frozenset(Situation(one) for one in situations)
    wishes = [_label(one) for one in labels]
    with closing(desk_from(given())) as desk:
        warn_of_settings(desk)
        if is_waiting:
            lines = wait_for(desk, wanted or frozenset({Situation.WAITING}), wishes)
        else:
            lines = chosen(desk, wanted, wishes, is_all=is_all)
        tell_sealed(desk.journal.sealed())
    if as_json:
        echo_json([record(line) for line in lines])
    elif lines:
        click.echo("\n".join(table([_HEADING, *map(_row, lines)])))
    else:
        click.echo("No such threads." if wishes else "No threads stand there." if wanted else "No threads.")


def chosen(
    desk: Desk, wanted: Collection[Situation], wishes: Collection[Label] = (), *, is_all: bool
) -> list[ThreadLine]:
    """Choose the lines to print.

    A thread that waits or has failed is found however old it is; whether a quiet one is done or stopped is
    looked up for the newest, or for every thread when all are asked for.
    """
    if wishes:
        return _labelled(desk, wanted, wishes, is_all=is_all)
    if not wanted:
        return list(desk.all_lines() if is_all else desk.lines())
    is_by_state = bool(_BY_STATE & set(wanted))
    if is_by_state and not is_all:
        return [line for line in desk.lines() if line.situation in wanted]
    looked_at = {*wanted, Situation.QUIET} if is_by_state else set(wanted)
    ids = [line.thread_id for line in desk.all_lines() if line.situation in looked_at]
    if wanted == {Situation.QUIET}:
        return [line for line in desk.all_lines() if line.situation is Situation.QUIET]
    found = [line for line in desk.lines_of(ids) if line.situation in wanted]
    return sorted(found, key=lambda line: line.checkpoint_id, reverse=True)


def _labelled(
    desk: Desk, wanted: Collection[Situation], wishes: Collection[Label], *, is_all: bool
) -> list[ThreadLine]:
    """Choose among all threads by their labels, however old; exact ones alone tell some situations apart."""
    found = labelled(desk.database, desk.all_lines(), wishes)
    if not wanted and not is_all:
        found = found[:NEWEST]
    lines: Iterable[ThreadLine] = desk.lines_of([line.thread_id for line in found])
    chosen_lines = [line for line in lines if not wanted or line.situation in wanted]
    return sorted(chosen_lines, key=lambda line: line.checkpoint_id, reverse=True)


def _label(text: str) -> Label:
    label = Label.parse(text)
    if label is None:
        raise click.BadParameter("it takes NAME=VALUE, such as user_id=ann", param_hint="--where")
    return label


def wait_for(desk: Desk, wanted: Collection[Situation], wishes: Collection[Label] = ()) -> list[ThreadLine]:
    """Block until a thread stands in one of the situations, looking at the file's counters meanwhile."""
    lines = chosen(desk, wanted, wishes, is_all=True)
    pause = Event()
    while not lines:
        pause.wait(_POLL_SECONDS)
        changes = desk.poll()
        if changes.is_reload:
            lines = chosen(desk, wanted, wishes, is_all=True)
        elif changes.thread_ids:
            found: Iterable[ThreadLine] = desk.lines_of(sorted(changes.thread_ids))
            lines = [line for line in found if line.situation in wanted]
            lines = list(labelled(desk.database, lines, wishes)) if wishes else lines
    return lines


def record(line: ThreadLine) -> dict[str, Any]:
    """Give a line as JSON."""
    return {
        "thread_id": line.thread_id,
        "situation": line.situation,
        "questions": line.questions,
        "graph": line.graph,
        "step": line.step,
        "checkpoint_id": line.checkpoint_id,
        "updated_at": None if line.updated_at is None else _utc(line.updated_at).isoformat(),
    }


_HEADING = ("SITUATION", "ASKS", "QUESTIONS", "STEP", "UPDATED", "THREAD")


def _row(line: ThreadLine) -> tuple[str, ...]:
    return (
        line.situation,
        line.asks,
        str(line.questions or ""),
        "" if line.step is None else str(line.step),
        "" if line.updated_at is None else _local(int(line.updated_at)),
        line.thread_id,
    )


def _utc(at: float) -> datetime:
    return datetime.fromtimestamp(at, UTC)


def _local(at: int) -> str:
    """Write a time in the zone of this system, with the zone's name."""
    hour, minute, zone = _quarter(at // 900)
    return f"{hour}:{minute + at % 900 // 60:02d}:{at % 60:02d} {zone}"


@lru_cache
def _quarter(number: int) -> tuple[str, int, str]:
    """Give date with hour, minute and zone where a quarter of an hour begins: no zone cuts one in two."""
    begins = localtime(number * 900)
    return strftime("%Y-%m-%d %H", begins), begins.tm_min, strftime("%Z", begins)
