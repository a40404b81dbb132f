"""Let a stopped or failed thread go on."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import click

from ..console.carrying_out import decide, finish, make_ready
from ..console.order_options import How, order_options
from ..options import desk_from, given, shared_options


@click.command("go-on")
@click.argument("thread_id", metavar="THREAD")
@order_options
@shared_options
def command(thread_id: str, **options: Any) -> None:
    """Continue THREAD, or try again with the answer that is stored for it.

    What was decided about it and has not started yet is carried out.
    """
    how = How(**options)
    with closing(desk_from(given())) as desk:
        recorded = [one for one in desk.journal.open(thread_id) if one.state == "recorded"]
        if recorded and not how.is_record_only:
            make_ready(desk, how)
            finish(desk, recorded[0], how)
            return
        decide(desk, thread_id, how, lambda thread: desk.deciding.go_on(thread, again=how.again))
