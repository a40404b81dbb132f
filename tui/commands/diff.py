"""Compare two checkpoints of a thread."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING

import click

from agent_lab_tui.graph.travelling.text_diff import stretches
from agent_lab_tui.graph.travelling.timeline import Timeline

from ..console.printed import echo_json
from ..console.travel_records import difference_record
from ..history_lines import checkpoint_line, difference_line, value_text
from ..options import desk_from, given, shared_options
from ..visible import cut, visible

if TYPE_CHECKING:
    from agent_lab_tui.graph.travelling.comparing import Comparison
    from agent_lab_tui.graph.travelling.diff import Difference
    from agent_lab_tui.graph.travelling.timeline import Checkpoint

LONG = 60
"""Texts of more characters are compared word by word."""


@click.command("diff")
@click.argument("thread_id", metavar="THREAD")
@click.argument("one", metavar="A")
@click.argument("other", metavar="[B]", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, and nothing else.")
@shared_options
def command(thread_id: str, one: str, other: str | None, as_json: bool) -> None:
    """Show what differs in the state of THREAD from checkpoint A to checkpoint B.

    A checkpoint is named by its id or the beginning of it, by its step, or as head or
    question. Without B, A is compared with the checkpoint before it.
    """
    with closing(desk_from(given())) as desk:
        travelling = desk.travelling
        named = [travelling.find(thread_id, word) for word in (one, other) if word is not None]
        comparison = travelling.compare(thread_id, *named)
    if as_json:
        echo_json([difference_record(difference) for difference in comparison.differences])
    else:
        click.echo("\n".join(_lines(comparison)))


def _lines(comparison: Comparison) -> Iterator[str]:
    yield f"from {_name(comparison.one)} to {_name(comparison.other)}"
    if not comparison.differences:
        yield "The states are the same."
    for difference in comparison.differences:
        yield difference_line(difference)
        yield from _words(difference)
    yield from (f"! {visible(warning)}" for warning in comparison.warnings)
    for side, way in ((comparison.one, comparison.way_to_one), (comparison.other, comparison.way_to_other)):
        happened = comparison.happened(way)
        if happened and comparison.met is not None:
            yield ""
            yield f"on the way from {_name(comparison.met)} to {_name(side)}:"
            for step in happened:
                yield f"  {_name(step)}  {_happened(step)}"
                yield from _answered(step, comparison)


def _words(difference: Difference) -> Iterator[str]:
    """Show what differs inside two long texts."""
    before, after = difference.before, difference.after
    if not (isinstance(before, str) and isinstance(after, str)) or max(len(before), len(after)) <= LONG:
        return
    for part in stretches(before, after):
        if part.kind != "same":
            yield f"    {'-' if part.kind == 'removed' else '+'} {cut(visible(part.text[:400]), 90)}"


def _name(checkpoint: Checkpoint) -> str:
    return f"step {checkpoint.step} ({checkpoint.checkpoint_id[:23]})"


def _answered(checkpoint: Checkpoint, comparison: Comparison) -> Iterator[str]:
    for question in checkpoint.questions or ():
        if question.id in comparison.answers:
            answer = cut(value_text(comparison.answers[question.id]), 60)
            yield f"    {visible(question.node)} was answered {answer}"


def _happened(checkpoint: Checkpoint) -> str:
    return cut(checkpoint_line(checkpoint, Timeline("", (checkpoint,))).words, 90)
