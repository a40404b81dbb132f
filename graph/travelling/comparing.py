"""Two checkpoints side by side: what differs in their states, and what happened on the way to each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from agent_lab_tui.store.checkpoints.history import Stem
from agent_lab_tui.store.effects import Effect

from ..questions import Value
from ..reading.threads import NoSuchCheckpoint
from .diff import Difference, differences
from .past import Opened, Past
from .placing import placed
from .timeline import Checkpoint


@dataclass(frozen=True)
class Comparison:
    """What differs from one checkpoint to another."""

    one: Checkpoint
    other: Checkpoint
    differences: tuple[Difference, ...]
    met: Checkpoint | None
    """The newest checkpoint both grew from; None when they have none in common."""
    way_to_one: tuple[Checkpoint, ...]
    """From where they parted to `one`, oldest first: what was asked, decided and done on that side.

    It begins with `met` itself where the run went on from there; an edit or a replay begins with its own.
    """
    way_to_other: tuple[Checkpoint, ...]
    answers: Mapping[str, Value]
    """By question id, the raw answers that the thread keeps on both ways."""
    warnings: tuple[str, ...] = ()
    """What is odd about the values of either side."""

    def happened(self, way: tuple[Checkpoint, ...]) -> tuple[Checkpoint, ...]:
        """Return the steps of a way on which something was decided, answered or done, or went wrong."""
        return tuple(
            step
            for step in way
            if step.decisions
            or step.effects
            or step.errors
            or any(question.id in self.answers for question in step.questions or ())
        )


def compare(past: Past, thread_id: str, one: str, other: str | None = None, ns: str = "") -> Comparison:
    """Compare two checkpoints of a thread.

    Args:
        one: The earlier side; with `other` left out, the later one.
        other: The later side; by default `one` is compared with its parent.

    Raises:
        NoSuchCheckpoint: One of them is not there, or the only one has no parent.
    """
    if other is None:
        theirs = past.opened(thread_id, one, ns)
        mine = past.opened(thread_id, _parent(theirs.checkpoint), ns)
        one, other = mine.checkpoint.checkpoint_id, one
        parents: dict[str, str | None] = {one: None, other: one}
    else:
        mine, theirs = past.opened(thread_id, one, ns), past.opened(thread_id, other, ns)
        parents = _parents(past.stems(thread_id, ns))
    ways = _way(parents, one), _way(parents, other)
    common = next((own for own in ways[1] if own in set(ways[0])), None)
    sides = [_side(past, thread_id, _after(way, common), common, ns) for way in ways]
    asked = [one.checkpoint_id for side in sides for one in side if one.asks] if not ns else []
    return Comparison(
        mine.checkpoint,
        theirs.checkpoint,
        tuple(_differences(mine, theirs)),
        next(iter(past.some(thread_id, [common], ns)), None) if common else None,
        sides[0],
        sides[1],
        past.answers(thread_id, asked),
        tuple(dict.fromkeys((*mine.warnings, *theirs.warnings))),
    )


def _differences(mine: Opened, theirs: Opened) -> Iterator[Difference]:
    """Compare two states, but not the keys whose version is the same on both sides."""
    if not (isinstance(mine.values, dict) and isinstance(theirs.values, dict)):
        return differences(mine.values, theirs.values)
    same = {
        key
        for key, version in mine.versions.items()
        if isinstance(version, str) and "." in version and theirs.versions.get(key) == version
    }
    return differences(
        {key: value for key, value in mine.values.items() if key not in same},
        {key: value for key, value in theirs.values.items() if key not in same},
    )


def _side(past: Past, thread_id: str, ids: Sequence[str], met: str | None, ns: str) -> tuple[Checkpoint, ...]:
    """Return what happened on one side, with the questions where something was asked."""
    way = past.some(thread_id, ids, ns)
    if way and met and way[0].source == "loop":
        way = (*past.some(thread_id, [met], ns), *way)
    asking = [one.checkpoint_id for one in way if one.asks] if not ns else []
    whole = {one.checkpoint_id: one for one in past.asked(thread_id, asking)}
    return tuple(whole.get(one.checkpoint_id, one) for one in way)


def _parent(checkpoint: Checkpoint) -> str:
    if checkpoint.parent_id is None:
        raise NoSuchCheckpoint(
            f"Checkpoint {checkpoint.checkpoint_id} is the first one: it has no parent to compare with."
        )
    return checkpoint.parent_id


def _parents(stems: Sequence[Stem]) -> dict[str, str | None]:
    return {stem.checkpoint_id: stem.parent_id for stem in stems}


def _way(parents: dict[str, str | None], checkpoint_id: str) -> list[str]:
    """Return a checkpoint and its ancestors, nearest first."""
    way: dict[str, None] = {}
    following: str | None = checkpoint_id
    while following is not None and following in parents and following not in way:
        way[following] = None
        following = parents[following]
    return list(way)


def _after(way: Sequence[str], common: str | None) -> list[str]:
    """Return the part of a way that lies after the common checkpoint, oldest first."""
    own = way[: way.index(common)] if common in way else way
    return list(reversed(own))


def with_effects(comparison: Comparison, effects: Iterable[Effect]) -> Comparison:
    """Return a comparison with the effects of its thread put on the ways to both sides."""
    ways = (comparison.way_to_one, comparison.way_to_other)
    steps = {step.checkpoint_id: step for way in ways for step in way}
    newest_first = [steps[own] for own in sorted(steps, reverse=True)]
    found = {step.checkpoint_id: step for step in placed(newest_first, effects)}
    one, other = (tuple(found[step.checkpoint_id] for step in way) for way in ways)
    return replace(comparison, way_to_one=one, way_to_other=other)
