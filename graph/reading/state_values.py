"""A thread's state as its graph would name it, from the channels of a raw checkpoint."""

from __future__ import annotations

from dataclasses import dataclass

from agent_lab_tui.store.checkpoints.deltas import Rebuilt
from agent_lab_tui.store.checkpoints.due import section, target, unnamed
from agent_lab_tui.store.values.raw import Unreadable, Value

from .matching import Shape

_ROOT, _END, _PREVIOUS = "__root__", "__end__", "__previous__"


@dataclass(frozen=True, slots=True)
class StateValues:
    """The values of a checkpoint, and what must be known of them."""

    values: Value
    """A dict of the state's keys, or the one value of a graph whose state has no keys."""
    warnings: tuple[str, ...] = ()
    """Why they are not there."""
    notes: tuple[str, ...] = ()
    """How those were found that the checkpoint does not hold."""


def state_values(body: Value, rebuilt: dict[str, Rebuilt] | None = None) -> StateValues:
    """Give the state of a checkpoint, without the channels that LangGraph steers with.

    Args:
        body: the decoded checkpoint.
        rebuilt: the values that the file keeps only as changes, by key.
    """
    if isinstance(body, Unreadable):
        return StateValues({}, (f"The state cannot be read: {body.reason}.",))
    channels = section(body, "channel_values")
    if _ROOT in channels:
        return StateValues(channels[_ROOT])
    if {_END, _PREVIOUS} & section(body, "channel_versions").keys():
        return StateValues(channels.get(_END))
    passed = set(unnamed(body))
    values = {key: value for key, value in channels.items() if is_state(key) and key not in passed}
    notes = []
    for key, found in (rebuilt or {}).items():
        values[key] = found.value
        if found.writes:
            notes.append(
                f"`{key}` is kept as changes: shown are its last snapshot and {found.writes} writes since,"
                " put together without the graph's own reducer."
            )
    return StateValues(values, notes=tuple(notes))


def shape_of(body: Value) -> Shape:
    """Give the names in a checkpoint that a graph must know to have written it."""
    versions = section(body, "channel_versions")
    passed = set(unnamed(body))
    seen = {name for name in section(body, "versions_seen") if not name.startswith("__")}
    triggered = {node for channel in versions if (node := target(channel)) is not None}
    return Shape(
        channels=frozenset(key for key in versions if is_state(key) and key not in passed | seen),
        nodes=frozenset(seen | triggered),
    )


def is_state(channel: Value) -> bool:
    """Whether a channel belongs to the state, not to LangGraph's steering."""
    return isinstance(channel, str) and not channel.startswith("__") and target(channel) is None
