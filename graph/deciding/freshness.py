"""Refuse an answer whose question was made from data that has moved since: the operator saw the old."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from agent_lab_tui.store.freshness import Moved, moved

from ..questions import Value
from ..reading.threads import Thread
from .checks import Stale

MADE_FROM = "made_from"
"""Where a question's value names the versions of its data, as `gate.file_version` gives them."""


def demand_fresh(thread: Thread, question_ids: Iterable[str], folder: Path) -> None:
    """Look at what the questions were made from, now, before their answer is used up.

    Args:
        thread: The thread as it stands.
        question_ids: The questions that are being answered.
        folder: That of the checkpoint database, from which relative paths are meant.

    Raises:
        Stale: Some of it has moved; nothing was sent.
    """
    wanted = set(question_ids)
    found = [
        one
        for question in thread.questions
        if question.id in wanted
        for one in _moved(question.value, folder)
    ]
    if found:
        raise Stale(
            f"What was shown is out of date: {'; '.join(map(str, found))}."
            f" Replay the thread from {thread.checkpoint_id} to be asked anew."
        )


def _moved(value: Value, folder: Path) -> tuple[Moved, ...]:
    versions: Any = value.get(MADE_FROM) if isinstance(value, Mapping) else None
    if not isinstance(versions, list):
        return ()
    return moved([version for version in versions if isinstance(version, Mapping)], folder)
