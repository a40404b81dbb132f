"""Threads by what they are labelled with: the fields of a checkpoint's metadata that its run was given."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from agent_lab_tui.store.checkpoints.labels import Labels, labels
from agent_lab_tui.store.files import Database

from .threads import ThreadLine

CHUNK = 5_000
"""Threads read at a time: a file in rollback mode is not kept from its agents for longer."""

_WORD = re.compile(r"([^\W\d][\w.-]*)[=:](.+)", re.DOTALL)


class Label(NamedTuple):
    """One field that a thread is to be labelled with."""

    name: str
    value: str

    @classmethod
    def parse(cls, word: str) -> Label | None:
        """Read `name=value` or `name:value`; None for any other word."""
        match = _WORD.fullmatch(word)
        return cls(match[1], match[2]) if match else None


def labels_of(database: Database, lines: Sequence[ThreadLine]) -> Iterator[dict[str, Labels]]:
    """Yield the labels of threads by their newest checkpoint's id, some thousands at a time.

    What is gone meanwhile has none.
    """
    for start in range(0, len(lines), CHUNK):
        some = lines[start : start + CHUNK]
        found: dict[str, Labels] = {line.checkpoint_id: {} for line in some}
        with database.reading() as connection:
            found.update(labels(connection, [(line.thread_id, line.checkpoint_id) for line in some]))
        yield found


def labelled(
    database: Database, lines: Sequence[ThreadLine], wanted: Iterable[Label]
) -> tuple[ThreadLine, ...]:
    """Return the threads that carry all of some labels, each exactly."""
    wishes = tuple(wanted)
    fitting = {
        checkpoint_id
        for part in labels_of(database, lines)
        for checkpoint_id, found in part.items()
        if all(found.get(name) == value for name, value in wishes)
    }
    return tuple(line for line in lines if line.checkpoint_id in fitting)
