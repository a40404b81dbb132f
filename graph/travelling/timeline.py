"""The tree of a thread's checkpoints: branches, races, questions that were left behind (pure)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from agent_lab_tui.store.journal.decisions import Decision

from ..questions import Value


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as a checkpoint recorded it: the last one that its task asked there."""

    id: str
    node: str
    value: Value
    is_answered: bool
    """Its task finished; by an answer, or because an edit spoke in its node's name."""


@dataclass(frozen=True, slots=True)
class Done:
    """An effect of a node that ran into a checkpoint, from the effects ledger."""

    key: str
    operation: str
    state: str


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """One checkpoint of a timeline."""

    checkpoint_id: str
    parent_id: str | None
    step: int | None
    source: str
    """input, loop, update or fork; empty when the metadata has none."""
    at: float | None
    """Unix time from its id, seconds."""
    is_head: bool = False
    ran: tuple[str, ...] = ()
    """The nodes whose writes made it, sorted; one entry for each task."""
    changed: tuple[str, ...] = ()
    """The state keys written by those nodes, or by the edit, or given as input; sorted."""
    asks: tuple[str, ...] = ()
    """The nodes that asked a question here, sorted; answered or not."""
    waits: tuple[str, ...] = ()
    """Those of them whose question has no answer."""
    errors: tuple[str, ...] = ()
    """What the nodes that ran on it raised, as LangGraph keeps it."""
    decisions: tuple[Decision, ...] = ()
    """What operators decided while it was the head, or about it, oldest first."""
    effects: tuple[Done, ...] = ()
    created_at: str | None = None
    """Its own time stamp, ISO 8601; None until its body is read."""
    next: tuple[str, ...] | None = None
    """The nodes of its step, sorted, also those that finished; None until its body is read."""
    questions: tuple[Asked, ...] | None = None
    """The questions asked on it; None until their values are read."""
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Timeline:
    """A page of a thread's checkpoints, newest first, as a tree."""

    thread_id: str
    checkpoints: tuple[Checkpoint, ...]
    namespace: str = ""
    """Empty for the root graph; else the subgraph's checkpoint namespace."""
    is_complete: bool = True
    """No older checkpoint is left out."""

    @cached_property
    def by_id(self) -> Mapping[str, Checkpoint]:
        """The checkpoints by id."""
        return {checkpoint.checkpoint_id: checkpoint for checkpoint in self.checkpoints}

    @cached_property
    def children(self) -> Mapping[str | None, tuple[Checkpoint, ...]]:
        """By parent id, the checkpoints made from it, newest first."""
        children: dict[str | None, list[Checkpoint]] = {}
        for checkpoint in self.checkpoints:
            children.setdefault(checkpoint.parent_id, []).append(checkpoint)
        return {parent: tuple(found) for parent, found in children.items()}

    @property
    def head(self) -> Checkpoint | None:
        """The newest checkpoint, when the page has it."""
        return next((checkpoint for checkpoint in self.checkpoints if checkpoint.is_head), None)

    def path(self, checkpoint_id: str | None) -> Iterator[Checkpoint]:
        """Yield a checkpoint and its ancestors, as far as the page reaches."""
        seen = set()
        while checkpoint_id is not None and checkpoint_id in self.by_id and checkpoint_id not in seen:
            seen.add(checkpoint_id)
            checkpoint = self.by_id[checkpoint_id]
            yield checkpoint
            checkpoint_id = checkpoint.parent_id

    @cached_property
    def main(self) -> frozenset[str]:
        """The ids of the branch that leads to the head."""
        head = self.head
        return frozenset(c.checkpoint_id for c in self.path(head.checkpoint_id if head else None))

    @cached_property
    def races(self) -> frozenset[str]:
        """The ids of checkpoints made by two runs of one step: LangGraph has no lock.

        One run leaves one `loop` checkpoint below its parent; two mean that two
        processes ran the same step, and its nodes acted twice.
        """
        return frozenset(
            child.checkpoint_id
            for made in self.children.values()
            for loops in ([child for child in made if child.source == "loop"],)
            if len(loops) > 1
            for child in loops
        )

    def branch_point(self, checkpoint: Checkpoint) -> Checkpoint | None:
        """Return the checkpoint at which the branch leaves the one of the head; None on that one."""
        return next((c for c in self.path(checkpoint.checkpoint_id) if c.checkpoint_id in self.main), None)

    def lost(self) -> tuple[Checkpoint, ...]:
        """Return the checkpoints with a question that no answer reaches: it waits, but not on the head."""
        return tuple(c for c in self.checkpoints if c.waits and not c.is_head)

    def below(self, checkpoint_id: str) -> tuple[Checkpoint, ...]:
        """Return the way from a checkpoint down to the newest of its descendants, oldest first.

        This is what a replay from it repeats.
        """
        newest = self._newest_below(checkpoint_id)
        way = []
        for checkpoint in self.path(newest):
            if checkpoint.checkpoint_id == checkpoint_id:
                break
            way.append(checkpoint)
        return tuple(reversed(way))

    def _newest_below(self, checkpoint_id: str) -> str:
        found, open_ids = {checkpoint_id}, [checkpoint_id]
        while open_ids:
            made = {child.checkpoint_id for child in self.children.get(open_ids.pop(), ())} - found
            found |= made
            open_ids.extend(made)
        return max(found)

    def find(self, wanted: str) -> Checkpoint | None:
        """Return the checkpoint that a word names.

        Args:
            wanted: `head`, `question` (the newest that was asked), a step, or the beginning of an id.
        """
        if wanted == "head":
            return self.head
        if wanted == "question":
            return next((c for c in self.checkpoints if c.asks), None)
        if wanted.lstrip("-").isdigit() and len(wanted) < 8:
            steps = [c for c in self.checkpoints if c.step == int(wanted)]
            return next((c for c in steps if c.checkpoint_id in self.main), steps[0] if steps else None)
        return next((c for c in self.checkpoints if c.checkpoint_id.startswith(wanted)), None)

    def named(self, wanted: str) -> tuple[Checkpoint, ...]:
        """Return every checkpoint that a word fits, newest first; a whole id fits one.

        Args:
            wanted: What `find` takes.
        """
        if wanted in ("head", "question"):
            found = self.find(wanted)
            return (found,) if found else ()
        if wanted in self.by_id:
            return (self.by_id[wanted],)
        if wanted.lstrip("-").isdigit() and len(wanted) < 8:
            return tuple(c for c in self.checkpoints if c.step == int(wanted))
        return tuple(c for c in self.checkpoints if c.checkpoint_id.startswith(wanted))

    def wrote(self, key: str) -> tuple[Checkpoint, ...]:
        """Return the checkpoints that wrote a state key, or one that begins with `key`."""
        return tuple(c for c in self.checkpoints if any(name.startswith(key) for name in c.changed))

    def and_older(self, page: Timeline) -> Timeline:
        """Return this page together with the next older one."""
        return replace(
            self,
            checkpoints=self.checkpoints + page.checkpoints,
            is_complete=page.is_complete,
        )


def unsaved_steps(checkpoint: Checkpoint, parent: Checkpoint | None) -> int:
    """Count the steps between a checkpoint and its parent that were not saved (durability "exit")."""
    if parent is None or checkpoint.step is None or parent.step is None or checkpoint.source != "loop":
        return 0
    return max(checkpoint.step - parent.step - 1, 0)


def meeting_point(timeline: Timeline, one: str, other: str) -> Checkpoint | None:
    """Return the newest checkpoint that two have in common, as far as the page reaches."""
    of_one = {c.checkpoint_id for c in timeline.path(one)}
    return next((c for c in timeline.path(other) if c.checkpoint_id in of_one), None)


def counted(names: Iterable[str]) -> tuple[tuple[str, int], ...]:
    """Count equal names, in the order in which they first come."""
    counts: dict[str, int] = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    return tuple(counts.items())
