"""Drop a stored answer."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import click

from ..console.carrying_out import decide
from ..console.order_options import How, order_options
from ..options import desk_from, given, shared_options


@click.command("ask-again")
@click.argument("thread_id", metavar="THREAD")
@order_options
@shared_options
def command(thread_id: str, **options: Any) -> None:
    """Drop the answer that makes THREAD fail: its step runs again from the start and asks anew."""
    how = How(**options)
    with closing(desk_from(given())) as desk:
        decide(desk, thread_id, how, lambda thread: desk.deciding.ask_again(thread, again=how.again))
