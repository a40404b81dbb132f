"""Run a thread again from one of its checkpoints."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import click

from agent_lab_tui.graph.questions import Refused

from ..options import desk_from, given, shared_options
from ..order_options import How, order_options
from ..printed import echo_json
from ..travel_lines import preview_lines
from ..travel_records import preview_record
from ..travelled import confirmed, ready, travel

WORD = "replay"
"""Typed to confirm a replay."""


@click.command("replay")
@click.argument("thread_id", metavar="THREAD")
@click.argument("checkpoint", metavar="CHECKPOINT")
@click.option("--preview", "is_preview", is_flag=True, help="Only tell what would run, ask and act again.")
@click.option("--step", "is_one_step", is_flag=True, help="Stop after one step.")
@click.option("--confirm", default="", metavar="WORD", help=f"`{WORD}`, where effects would be done again.")
@order_options
@shared_options
def command(
    thread_id: str, checkpoint: str, is_preview: bool, is_one_step: bool, confirm: str, **options: Any
) -> None:
    """Run THREAD again from CHECKPOINT: its id or the beginning of it, a step, head or question.

    Its nodes act again for real and its questions are asked again. The old branch stays in the history.
    """
    how = How(**options)
    with closing(desk_from(given())) as desk:
        thread = ready(desk, thread_id, how, needs_graph=not is_preview)
        checkpoint_id = desk.travelling.find(thread_id, checkpoint)
        shown = desk.travelling.preview_replay(thread_id, checkpoint_id)
        if not how.as_json:
            click.echo("\n".join(line.written() for line in preview_lines(shown)))
        if is_preview:
            if how.as_json:
                echo_json(preview_record(shown))
            return
        order = desk.travelling.replay(thread, shown, is_one_step=is_one_step, again=how.again)
        words = confirmed(WORD, confirm, how, is_asked=shown.acts_again)
        if shown.acts_again and words != WORD:
            raise Refused(
                f"Effects would be done again, or may be: look at --preview, then add --confirm {WORD}."
            )
        travel(desk, order, how, thread_id)
