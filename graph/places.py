"""Find one's way in the past of a thread by words; only ids, parents and marks are read."""

from __future__ import annotations

from collections.abc import Sequence

from agent_lab_tui.store.ids import step_of, time_of

from .past import Past
from .threads import NoSuchCheckpoint, NoSuchThread
from .timeline import Checkpoint, Timeline


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
    """
    found = tree(past, thread_id).find(word)
    if found is None:
        raise NoSuchCheckpoint(
            f"Thread {thread_id!r} has no checkpoint {word!r}: name an id, a step, head or question."
        )
    return found.checkpoint_id


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
    meant = list(lost) if word == "lost" else _meant(past, tree(past, thread_id), word)
    older = [own for own in meant if after is not None and own < after]
    found = next(iter(older or meant), None)
    if found is None:
        raise NoSuchCheckpoint(f"Nothing in the past of {thread_id!r} is called {word!r}.")
    return found


def _meant(past: Past, timeline: Timeline, word: str) -> list[str]:
    """Return the checkpoints that a word means, newest first."""
    if word == "question":
        return [one.checkpoint_id for one in timeline.checkpoints if one.asks]
    if (named := timeline.find(word)) is not None:
        return [named.checkpoint_id]
    writers = past.writers_of(timeline.thread_id, word)
    return [one.checkpoint_id for one in timeline.checkpoints if one.parent_id in writers]
