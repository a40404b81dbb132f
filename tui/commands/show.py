"""Show one thread: where it stands, what it asks, its state."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import TYPE_CHECKING, Any

import click

from agent_lab_tui.graph.reading.started import masked
from agent_lab_tui.store.values import to_json

from ..console.printed import echo_json
from ..console.question_record import question_record
from ..console.sending import ledger_words, sends
from ..loaded import load_and_warn
from ..options import desk_from, given, shared_options
from ..visible import visible, visible_block

if TYPE_CHECKING:
    from agent_lab_tui.graph.desk import Desk
    from agent_lab_tui.graph.questions import Question
    from agent_lab_tui.graph.reading.reader import Thread


@click.command("show")
@click.argument("thread_id", metavar="THREAD")
@click.option("--checkpoint", "checkpoint_id", metavar="ID", help="As it stood at an id, a step, question.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, and nothing else.")
@shared_options
def command(thread_id: str, checkpoint_id: str | None, as_json: bool) -> None:
    """Show THREAD as it stands now, or as it stood at a checkpoint."""
    with closing(desk_from(given())) as desk:
        if desk.projects:
            load_and_warn(desk)
        if checkpoint_id is not None:
            checkpoint_id = desk.travelling.find(thread_id, checkpoint_id)
        thread = desk.thread(thread_id, checkpoint_id)
        if as_json:
            echo_json(record(thread))
        else:
            click.echo("\n".join(_lines(desk, thread)))


def record(thread: Thread) -> dict[str, Any]:
    """Give a thread as JSON; values of secrets in its configuration are covered."""
    return {
        "thread_id": thread.thread_id,
        "situation": thread.situation.value,
        "graph": thread.graph,
        "checkpoint_id": thread.checkpoint_id,
        "digest": thread.digest,
        "values": to_json(thread.values),
        "config": to_json(masked(thread.config)),
        "next": list(thread.next),
        "reruns": list(thread.reruns),
        "runs_next": list(thread.runs_next),
        "error": thread.error,
        "questions": [question_record(one) for one in thread.questions],
    }


def _lines(desk: Desk, thread: Thread) -> Iterator[str]:
    """Write a thread for a person."""
    yield from _named("Thread", thread.thread_id)
    yield from _named("Situation", thread.situation.value)
    yield from _named("Evidence", thread.evidence)
    yield from _named("Graph", thread.graph)
    yield from _named("Checkpoint", thread.checkpoint_id)
    yield from _named("Error", thread.error)
    yield from _named("Next", ", ".join(thread.next))
    yield from _named("Runs again", ", ".join(thread.reruns))
    yield from _named("Runs next", ", ".join(thread.runs_next))
    if thread.config:
        yield from _named("Runs with", _text(masked(thread.config)))
    for warning in thread.warnings:
        yield from _named("Warning", warning)
    for note in thread.notes:
        yield from _named("Note", note)
    ledger = ledger_words(thread)
    for place, question in enumerate(thread.questions, 1):
        yield ""
        yield f"Question {place} of {len(thread.questions)}"
        yield from _asked(question, ledger)
        for kind, answer in sends(desk, thread, question):
            yield f"  Sends for {kind}"
            yield from _block(_text(answer))
    yield ""
    yield "State"
    yield from _block(_text(thread.values))
    yield ""
    yield from _named("Digest", thread.digest)


def _asked(question: Question, ledger: Mapping[str, str]) -> Iterator[str]:
    yield from _named("Id", question.id)
    yield from _named("Asked by", " > ".join(question.path))
    yield from _named("Form", question.convention)
    if question.has_stored_answer:
        yield from _named("Stored answer", _text(question.stored_answer))
    for operation in question.operations:
        yield from _named("Operation", operation.name)
        yield from _named("Reason", operation.reason or "no reason was given")
        yield from _named("Impact", operation.impact)
        yield from _named("By a rule", operation.rule_impact)
        yield from _named("Risk", operation.risk.value)
        yield from _named("Allowed", ", ".join(operation.allowed))
        yield from _named("Explain", operation.explain_rejects)
        if operation.key is not None:
            yield from _named("Key", operation.key)
            yield from _named("Ledger", ledger.get(operation.key))
        yield "  Arguments"
        yield from _block(_text(operation.arguments))
    yield "  Value"
    yield from _block(_text(question.value))
    if question.schema is not None:
        yield "  Response schema"
        yield from _block(_text(question.schema))


def _named(name: str, text: str | None) -> Iterator[str]:
    """Write one foreign text behind its name; nothing where there is none."""
    if text:
        yield f"{name:<14}{visible(text)}"


def _block(text: str) -> Iterator[str]:
    yield from (f"    {line}" for line in visible_block(text).split("\n"))


def _text(value: Any) -> str:
    return json.dumps(to_json(value), ensure_ascii=False, indent=2)
