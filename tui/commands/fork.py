"""Fork a thread from one of its checkpoints, with an edited state, here or as a new thread."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import click

from agent_lab_tui.graph.travelling.forking import ForkRequest

from ..console.order_options import How, order_options
from ..console.printed import echo_json
from ..console.travel_records import plan_record
from ..console.travelled import confirmed, ready, travel
from ..options import Exit, desk_from, fail, given, json_object, shared_options
from ..travel_lines import plan_lines
from ..visible import visible


@click.command("fork")
@click.argument("thread_id", metavar="THREAD")
@click.argument("checkpoint", metavar="CHECKPOINT")
@click.option(
    "--set", "replaced", metavar="JSON", help="State keys with values that take the old ones' place."
)
@click.option("--append", "appended", metavar="JSON", help="State keys with values for their reducers.")
@click.option("--as-node", metavar="NODE", help="The node that the edit is taken to come from.")
@click.option("--into", metavar="NEW_THREAD", help="Copy into a new thread; the old one stays as it is.")
@click.option("--run", "is_run", is_flag=True, help="Run on from the fork.")
@click.option("--preview", "is_preview", is_flag=True, help="Only tell what it would do.")
@click.option(
    "--confirm", default="", metavar="WORDS", help="The words that a fork past a question asks for."
)
@order_options
@shared_options
def command(
    thread_id: str,
    checkpoint: str,
    replaced: str | None,
    appended: str | None,
    as_node: str | None,
    into: str | None,
    is_run: bool,
    is_preview: bool,
    confirm: str,
    **options: Any,
) -> None:
    """Fork THREAD from CHECKPOINT: its id or the beginning of it, a step, head or question.

    --set replaces a value, also where a reducer would add to it; --append goes through
    the reducer. Without --run the fork stands before its next nodes until `go-on`.
    """
    how = How(**options)
    with closing(desk_from(given())) as desk:
        thread = ready(desk, thread_id, how, needs_graph=True)
        request = ForkRequest(
            desk.travelling.find(thread_id, checkpoint),
            json_object(replaced, "--set") if replaced is not None else {},
            json_object(appended, "--append") if appended is not None else {},
            as_node,
            into,
            is_run,
        )
        plan = desk.travelling.plan_fork(thread, request)
        if not how.as_json:
            click.echo("\n".join(line.written() for line in plan_lines(plan)))
        if is_preview:
            if how.as_json:
                echo_json(plan_record(plan))
            return
        words = confirmed(plan.confirmation, confirm, how)
        _refuse_wrong(plan.confirmation, confirm)
        travel(desk, desk.travelling.fork(thread, plan, words, again=how.again), how, into or thread_id)


def _refuse_wrong(wanted: str, typed: str) -> None:
    if typed and wanted and typed.strip() != wanted:
        fail(visible(f"The value of --confirm is wrong: the words are `{wanted}`."), Exit.REFUSED)
