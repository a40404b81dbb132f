"""Run a thread again from one of its checkpoints."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

import click

from ..console.order_options import How, order_options
from ..console.printed import echo_json
from ..console.travel_records import preview_record
from ..console.travelled import confirmed, ready, travel
from ..options import desk_from, fail, given, shared_options
from ..travel_lines import preview_lines
from ..visible import visible

if TYPE_CHECKING:
    from agent_lab_tui.graph.travelling.preview import ReplayPreview

WORD = "replay"
"""Typed to confirm a replay."""


@click.command("replay")
@click.argument("thread_id", metavar="THREAD")
@click.argument("checkpoint", metavar="CHECKPOINT")
@click.option("--preview", "is_preview", is_flag=True, help="Only tell what would run, ask and act again.")
@click.option("--step", "is_one_step", is_flag=True, help="Stop after one step.")
@click.option("--confirm", default="", metavar="WORD", help=f"`{WORD}`, where it acts unasked.")
@order_options
@shared_options
def command(
    thread_id: str, checkpoint: str, is_preview: bool, is_one_step: bool, confirm: str, **options: Any
) -> None:
    """Run THREAD again from CHECKPOINT: its id or the beginning of it, a step, head or question.

    Its nodes act again for real and its questions are asked again. The old branch stays in the history.
    Where nodes behind an answered question run again unasked, or recorded effects may be done again,
    it takes --confirm replay.
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
        words = confirmed(WORD, confirm, how, is_asked=shown.needs_word)
        if shown.needs_word and words != WORD:
            fail(visible(_why(shown, confirm)))
        travel(desk, order, how, thread_id)


def _why(shown: ReplayPreview, typed: str) -> str:
    """Say why a replay takes the word, and that what was given is another."""
    causes = []
    if shown.unasked:
        names = ", ".join(shown.unasked)
        causes.append(f"what stands behind an answered question would run again unasked ({names})")
    if shown.acts_again:
        causes.append("recorded effects would be done again, or may be")
    sentence = " and ".join(causes)
    wrong = f" The value of --confirm is wrong: {typed}." if typed else ""
    return f"{sentence[:1].upper()}{sentence[1:]}.{wrong} Look at --preview, then add --confirm {WORD}."
