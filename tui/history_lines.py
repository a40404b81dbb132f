"""A checkpoint in a line, a difference in a line: for the command line and the screen alike."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from agent_lab_tui.graph.deciding.telling import deed, named
from agent_lab_tui.graph.travelling.diff import Difference
from agent_lab_tui.graph.travelling.timeline import Checkpoint, Timeline, counted, unsaved_steps
from agent_lab_tui.store.values import to_json

from .visible import cut, visible

LONGEST = 400
"""Characters of a value that a line begins with."""
FEW = 20
"""Lists and objects with more parts are told by their size."""

_MARKS = {"input": "○", "update": "◆", "fork": "◇"}
_SOURCES = {"input": "input", "update": "edit", "fork": "replay"}
_KINDS = {"added": "+", "removed": "-", "changed": "~"}


@dataclass(frozen=True, slots=True)
class CheckpointLine:
    """What one line says of a checkpoint; all of it visible text."""

    mark: str
    step: str
    name: str
    """What ran into it, or where it came from."""
    words: str
    """What it asked, what was decided, what failed, what it changed: the most important first."""
    note: str
    """Its place in the tree, where that needs a word."""


def checkpoint_line(checkpoint: Checkpoint, timeline: Timeline) -> CheckpointLine:
    """Say what there is to say of a checkpoint in one line."""
    return CheckpointLine(
        mark=mark(checkpoint),
        step="" if checkpoint.step is None else str(checkpoint.step),
        name=visible(name(checkpoint)),
        words=visible("  ".join(_words(checkpoint))),
        note=_note(checkpoint, timeline),
    )


def mark(checkpoint: Checkpoint) -> str:
    """Return the sign of a checkpoint in the drawn tree."""
    if checkpoint.errors:
        return "✖"
    return "◉" if checkpoint.is_head else _MARKS.get(checkpoint.source, "●")


def name(checkpoint: Checkpoint) -> str:
    """Say what ran into a checkpoint, or where it came from; raw foreign text."""
    ran = _counted(node for node in checkpoint.ran if node != "__start__")
    return ran or _SOURCES.get(checkpoint.source, "start" if checkpoint.ran else "?")


def _words(checkpoint: Checkpoint) -> Iterator[str]:
    """Yield the words of a line; raw foreign text."""
    if checkpoint.waits:
        asks = "asks" if checkpoint.is_head else "left unanswered"
        yield f"{asks}: {_counted(checkpoint.waits)}"
    for decision in checkpoint.decisions:
        order = decision.order
        ending = decision.state if decision.state != "applied" else ""
        into = f" into {order.options['into']}" if order.options.get("into") else ""
        yield f"{deed(decision)} by {named(order.by, '')}{into}{f' ({ending})' if ending else ''}"
    if checkpoint.asks and not (checkpoint.waits or checkpoint.decisions):
        yield f"answered: {_counted(checkpoint.asks)}"
    for error in checkpoint.errors:
        yield f"failed: {error.partition(chr(10))[0]}"
    if checkpoint.effects:
        yield _counted(f"{effect.operation} {effect.state}" for effect in checkpoint.effects)
    if checkpoint.changed:
        sign = "" if checkpoint.source == "input" else "+ "
        yield sign + ", ".join(checkpoint.changed)


def _counted(names: Iterable[str]) -> str:
    return ", ".join(name if count == 1 else f"{name} ×{count}" for name, count in counted(names))


def _note(checkpoint: Checkpoint, timeline: Timeline) -> str:
    notes = []
    if checkpoint.is_head:
        notes.append("← head")
    if checkpoint.checkpoint_id in timeline.races:
        notes.append("race: two runs of one step")
    parent = timeline.by_id.get(checkpoint.parent_id or "")
    if missing := unsaved_steps(checkpoint, parent):
        notes.append(f"{missing} steps before it not saved")
    if (
        timeline.head
        and checkpoint.checkpoint_id not in timeline.main
        and not _has_children(checkpoint, timeline)
    ):
        point = timeline.branch_point(checkpoint)
        notes.append(f"branch of {point.step}" if point else "branch")
    return "  ".join(notes)


def _has_children(checkpoint: Checkpoint, timeline: Timeline) -> bool:
    return bool(timeline.children.get(checkpoint.checkpoint_id))


def difference_line(difference: Difference, width: int = 100) -> str:
    """Say in one line what differs at one place of a state."""
    place = visible(difference.place or "(all of it)")
    before, after = value_text(difference.before), value_text(difference.after)
    if difference.kind == "added":
        words = after
    elif difference.kind == "removed":
        words = before
    else:
        half = max((width - 8) // 2, 8)
        words = f"{cut(before, half)} → {cut(after, half)}"
    return f"{_KINDS[difference.kind]} {place}  {cut(words, width)}"


def value_text(value: object) -> str:
    """Write a raw value on one line of visible text; a long list or object by its size."""
    if isinstance(value, str):
        return visible(json.dumps(value[:LONGEST], ensure_ascii=False)) + (
            "…" if len(value) > LONGEST else ""
        )
    if isinstance(value, (list, dict)) and len(value) > FEW:
        return f"{len(value)} {'items' if isinstance(value, list) else 'keys'}"
    text = json.dumps(to_json(value), ensure_ascii=False)
    return visible(text[:LONGEST]) + ("…" if len(text) > LONGEST else "")
