"""The timeline as `get_state_history` says it, from the snapshots that a host sends (pure)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from agent_lab_tui.store.checkpoints.ids import time_of

from .timeline import Asked, Checkpoint

Snapshot = Mapping[str, Any]
"""One snapshot as `graph/run/snapshots.py` shows it."""


def missing_parents(snapshots: Sequence[Snapshot]) -> tuple[str, ...]:
    """Return the parents of a page that are not on it; what ran into a checkpoint is told by its parent."""
    there = {snapshot["checkpoint_id"] for snapshot in snapshots}
    parents = [snapshot["parent_id"] for snapshot in snapshots if snapshot["parent_id"]]
    return tuple(dict.fromkeys(parent for parent in parents if parent not in there))


def recorded(
    snapshots: Sequence[Snapshot],
    parents: Iterable[Snapshot],
    head_id: str | None,
    rewritten: Callable[[str, str | None], Sequence[str]],
    channels: Sequence[str],
) -> tuple[Checkpoint, ...]:
    """Turn a page of snapshots, newest first, into checkpoints equal to those read from the rows.

    Args:
        parents: The snapshots of parents that are not on the page.
        channels: The keys of the graph's state; none for an entrypoint, whose results are values.
        rewritten: Tells from a checkpoint and its parent which state keys got a new version: an edit
            leaves no task in any snapshot that would tell.
    """
    by_id = {snapshot["checkpoint_id"]: snapshot for snapshot in (*parents, *snapshots)}
    return tuple(
        _checkpoint(snapshot, by_id.get(snapshot["parent_id"]), head_id, rewritten, frozenset(channels))
        for snapshot in snapshots
    )


def _checkpoint(
    snapshot: Snapshot,
    parent: Snapshot | None,
    head_id: str | None,
    rewritten: Callable[[str, str | None], Sequence[str]],
    channels: frozenset[str],
) -> Checkpoint:
    source = str(snapshot["source"] or "")
    finished = (
        [task for task in parent["tasks"] if task["is_finished"]] if parent and source == "loop" else []
    )
    given = [task for task in snapshot["tasks"] if task["name"] == "__start__"] if source == "input" else []
    changed = _written(given or finished, channels)
    if not changed and source not in ("fork", "input") and not finished:
        changed = tuple(rewritten(snapshot["checkpoint_id"], snapshot["parent_id"]))
    asked = [task for task in snapshot["tasks"] if task["questions"]]
    return Checkpoint(
        checkpoint_id=snapshot["checkpoint_id"],
        parent_id=snapshot["parent_id"],
        step=snapshot["step"],
        source=source,
        at=time_of(snapshot["checkpoint_id"]),
        is_head=snapshot["checkpoint_id"] == head_id,
        ran=tuple(sorted(task["name"] for task in finished)),
        changed=changed,
        asks=tuple(sorted(task["name"] for task in asked)),
        waits=tuple(sorted(task["name"] for task in asked if not task["is_finished"])),
        errors=tuple(str(task["error"]) for task in snapshot["tasks"] if task["error"] is not None),
        created_at=snapshot["created_at"],
        next=tuple(sorted(snapshot["next"])),
        questions=tuple(
            Asked(question["id"], task["name"], question["value"], task["is_finished"])
            for task in sorted(asked, key=lambda task: (task["name"], task["id"]))
            for question in task["questions"]
        ),
        metadata=snapshot["metadata"] or {},
    )


def _written(tasks: Iterable[Mapping[str, Any]], channels: frozenset[str]) -> tuple[str, ...]:
    """Return the state keys in the results of tasks."""
    results = [task["result"] for task in tasks if isinstance(task["result"], dict)]
    return tuple(sorted({key for result in results for key in result if key in channels}))
