"""End a thread where it stands."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import click

from ..console.carrying_out import Ending, decide, tell
from ..console.order_options import How, order_options
from ..options import desk_from, given, shared_options


@click.command("abandon")
@click.argument("thread_id", metavar="THREAD")
@click.option("--reason", default="", metavar="TEXT", help="Why; kept in the journal.")
@click.option(
    "--left-at",
    metavar="CHECKPOINT",
    help="Close only the question that was left behind there; the thread is not touched.",
)
@order_options
@shared_options
def command(thread_id: str, reason: str, left_at: str | None, **options: Any) -> None:
    """End THREAD: nothing of it runs any more, its past stays."""
    how = How(**options)
    with closing(desk_from(given())) as desk:
        if left_at is not None:
            place = desk.travelling.find(thread_id, left_at)
            decision = desk.travelling.close(thread_id, place, reason)
            tell(desk, decision, Ending(decision.state, decision.detail), how.as_json)
            return
        decide(desk, thread_id, how, lambda thread: desk.deciding.abandon(thread, reason, again=how.again))
