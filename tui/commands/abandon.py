"""End a thread where it stands."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import click

from ..carrying_out import decide
from ..options import desk_from, given, shared_options
from ..order_options import How, order_options


@click.command("abandon")
@click.argument("thread_id", metavar="THREAD")
@click.option("--reason", default="", metavar="TEXT", help="Why; kept in the journal.")
@order_options
@shared_options
def command(thread_id: str, reason: str, **options: Any) -> None:
    """End THREAD: nothing of it runs any more, its past stays."""
    how = How(**options)
    with closing(desk_from(given())) as desk:
        decide(desk, thread_id, how, lambda thread: desk.deciding.abandon(thread, reason, again=how.again))
