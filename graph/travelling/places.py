"""Find one's way in the past of a thread by words; only ids, parents and marks are read."""

from __future__ import annotations

from collections.abc import Sequence

from agent_lab_tui.store.checkpoints.ids import step_of, time_of

from ..deciding.telling import local
from ..reading.threads import NoSuchCheckpoint, NoSuchThread, SeveralCheckpoints
from .past import Past
from .timeline import Checkpoint, Timeline

CHUNK = 200
"""Checkpoints looked at together in a search for a key."""
CANDIDATES = 12
"""Checkpoints that are listed where a word fits several."""


def tree(past: Past, thread_id: str) -> Timeline:
    """Return every checkpoint of a thread as nothing but a place, a step and a time.

    Raises:
        NoSuchThread: There is no such thread.
    """
    head = past.head(thread_id)
    if head is None:
        raise NoSuchThread(f"There is no thread {thread_id!r}.")
    checkpoints = [
        Checkpoint(
            stem.checkpoint_id,
            stem.parent_id,
            step_of(stem.checkpoint_id),
            "",
            time_of(stem.checkpoint_id),
            is_head=stem.checkpoint_id == head,
            asks=("?",) if stem.has_asked else (),
        )
        for stem in past.stems(thread_id)
    ]
    return Timeline(thread_id, tuple(checkpoints))


def find(past: Past, thread_id: str, word: str) -> str:
    """Return the id of the checkpoint that a word names: an id or its beginning, a step, head, question.

    Raises:
        NotFound: No checkpoint is meant by it.
        SeveralCheckpoints: More than one is; they are listed.
    """
    named = tree(past, thread_id).named(word)
    if not named:
        raise NoSuchCheckpoint(
            f"Thread {thread_id!r} has no checkpoint {word!r}: name an id, a step, head or question."
        )
    if len(named) > 1:
        raise SeveralCheckpoints(*_several(past, thread_id, word, [one.checkpoint_id for one in named]))
    return named[0].checkpoint_id


def _several(past: Past, thread_id: str, word: str, ids: Sequence[str]) -> list[str]:
    """List the checkpoints that a word fits, with time and what ran into them."""
    lines = [f"{word!r} fits {len(ids)} checkpoints of {thread_id!r}; name one by its id:"]
    for one in past.some(thread_id, ids[:CANDIDATES]):
        at = "" if one.at is None else local(one.at)
        ran = ", ".join(node for node in one.ran if node != "__start__")
        asks = f", asks: {', '.join(one.asks)}" if one.asks else ""
        here = ", the head" if one.is_head else ""
        what = f"{ran or one.source or 'start'}{asks}{here}"
        lines.append(f"  {one.checkpoint_id}  {at}  step {one.step}, {what}")
    if len(ids) > CANDIDATES:
        lines.append(f"  and {len(ids) - CANDIDATES} older ones: see history.")
    return lines


def is_behind_answer(past: Past, timeline: Timeline, checkpoint_id: str) -> bool:
    """Tell whether a question was asked before a checkpoint, after the last input: its answer stands."""
    way: list[str] = []
    for one in timeline.path(checkpoint_id):
        if one.asks and one.checkpoint_id != checkpoint_id:
            return all(between.source != "input" for between in past.some(timeline.thread_id, way))
        way.append(one.checkpoint_id)
    return False


def seek(past: Past, thread_id: str, word: str, after: str | None, lost: Sequence[str] = ()) -> str:
    """Return the checkpoint that a word means, or the next older one that it means too.

    Args:
        past: The past of the database.
        thread_id: The thread.
        word: What `find` takes, or `lost`, or the beginning of a state key that was written.
        after: The checkpoint from which on to look; after the oldest come the newest again.
        lost: What `lost` means, newest first.

    Raises:
        NotFound: No checkpoint is meant.
    """
    whole = tree(past, thread_id)
    meant = list(lost) if word == "lost" else _meant(whole, word)
    if meant is None:
        found = _writer(past, whole, word, after)
    else:
        older = [own for own in meant if after is not None and own < after]
        found = next(iter(older or meant), None)
    if found is None:
        raise NoSuchCheckpoint(f"Nothing in the past of {thread_id!r} is called {word!r}.")
    return found


def _meant(timeline: Timeline, word: str) -> list[str] | None:
    """Return the checkpoints that a word means by their place, newest first; None when it is a key."""
    if word == "question":
        return [one.checkpoint_id for one in timeline.checkpoints if one.asks]
    named = timeline.find(word)
    return None if named is None else [named.checkpoint_id]


def _writer(past: Past, timeline: Timeline, key: str, after: str | None) -> str | None:
    """Return the next older checkpoint that wrote a state key of this beginning."""
    ids = [one.checkpoint_id for one in timeline.checkpoints]
    start = ids.index(after) + 1 if after in ids else 0
    ids = ids[start:] + ids[:start]
    for at in range(0, len(ids), CHUNK):
        for checkpoint in past.some(timeline.thread_id, ids[at : at + CHUNK]):
            if any(name.startswith(key) for name in checkpoint.changed):
                return checkpoint.checkpoint_id
    return None
