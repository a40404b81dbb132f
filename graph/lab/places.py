"""The places at which a process of an agent can be told to die."""

from __future__ import annotations

from collections.abc import Mapping

from .registry import AGENTS, LabUsage

_EVERYWHERE = ("born", "checkpoint", "stored-writes")
_FILE = "file:before-replace"
_MAIL = ("outbox:pending", "outbox:sent")
_CALL = ("begun", "done", "unkept", "kept")
_PLACES: Mapping[str, tuple[str, ...]] = {
    "analysis": (
        *("read", "extract", "confirm", "confirmed", "report:before-write", _FILE, "report:empty"),
        *("report:after-write", "report:after-log", "report:before-status", "report:after-status"),
    ),
    "report": (
        *(_FILE, "generated", "confirm", "confirmed"),
        *("report:before-commit", "report:after-commit", "report:before-status"),
    ),
    "builder": (_FILE, "model:replied", "ask:answered", *_MAIL, "acceptance:recorded"),
    "outbox": (*("outbox:written", "outbox:confirmed", *_MAIL, "outbox:delivered", "outbox:completed"),),
    "patch": (_FILE, "patch:before-write", "patch:after-write", "patch:recorded"),
}
"""By agent, beside those that every agent passes and those of the builder's calls."""


def places(agent_name: str) -> tuple[str, ...]:
    """Return the places of an agent; at `report:empty` it does not die, but leaves its report empty."""
    return (*_EVERYWHERE, *_PLACES[agent_name], *(_calls() if agent_name == "builder" else ()))


def checked_place(agent_name: str, place: str) -> str:
    """Return a place as `--crash` takes it: a name, or `NAME#3` for the third time that it is passed.

    Raises:
        LabUsage: The agent passes no such place.
    """
    name, mark, visit = place.partition("#")
    if name not in places(agent_name):
        raise LabUsage(f"{agent_name} passes no place {name!r}; it passes {', '.join(places(agent_name))}.")
    if mark and not (visit.isascii() and visit.isdigit() and int(visit)):
        raise LabUsage(f"{place!r} names no visit: {name}#2 is the second time that {name} is passed.")
    return place


def all_places() -> dict[str, tuple[str, ...]]:
    """Return the places of every agent."""
    return {name: places(name) for name in AGENTS}


def _calls() -> tuple[str, ...]:
    from .builder.toolbox import TOOLS

    return tuple(f"{name}:{end}" for name in TOOLS for end in _CALL)
