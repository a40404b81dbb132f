"""Step over a node at a breakpoint."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

import click

from ..console.carrying_out import decide
from ..console.caution import demand_digest
from ..console.order_options import How, order_options
from ..options import desk_from, given, shared_options

if TYPE_CHECKING:
    from agent_lab_tui.graph.reading.reader import Thread
    from agent_lab_tui.store.journal.book import Order


@click.command("skip")
@click.argument("thread_id", metavar="THREAD")
@click.option("--node", metavar="NAME", help="The node that is meant, as a check: it must be the next.")
@order_options
@shared_options
def command(thread_id: str, node: str | None, **options: Any) -> None:
    """Step over the node before which THREAD stopped; what follows it runs as if it had run.

    A check that this node makes is not made, so it counts as an approval. One of several nodes
    of a step cannot be stepped over: the others would be lost.
    """
    how = How(**options)
    with closing(desk_from(given())) as desk:

        def order_for(thread: Thread) -> Order:
            order = desk.deciding.skip(thread, node, again=how.again)
            if how.seen is None:
                demand_digest(thread, "Stepping over a node lets what follows run without it")
            return order

        decide(desk, thread_id, how, order_for)
