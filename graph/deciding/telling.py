"""Decisions in words: who decided what, when, and where it stands."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from agent_lab_tui.store.cipher import REMEDY
from agent_lab_tui.store.journal.book import Decision

_SEALED_SHOWN = 5

_DONE = {
    "approve": "approved",
    "reject": "rejected",
    "edit": "edited",
    "respond": "answered",
    "explain": "asked for an explanation",
}
_KINDS = {
    "answer": "answered",
    "go-on": "let go on",
    "ask-again": "had asked again",
    "skip": "stepped over a breakpoint",
    "abandon": "abandoned",
    "fork": "forked",
    "replay": "replayed",
}
_OF = (_DONE["explain"], _KINDS["skip"])
"""Deeds that are said to be done of something."""
_STATES = {
    "recorded": "it has not started",
    "running": "it is running",
    "applied": "it is done",
    "failed": "it failed",
    "unknown": "what became of it is not known",
    "stale": "it came too late",
    "refused": "it was refused",
    "withdrawn": "it was withdrawn",
}

REPLACED = "the database file was replaced while it ran"
"""How the detail of a run begins that the file under its path knows nothing of."""

STATES_OF_EFFECTS = {
    "started": "begun and not ended",
    "done": "done",
    "unknown": "its end is not known",
    "failed": "known not to have been done",
}


def told(decision: Decision) -> str:
    """Say who decided what and when, and where it stands: "ann approved this on …; it is running"."""
    return f"{who_did(decision)} on {local(decision.at)}; {_STATES[decision.state]}"


def who_did(decision: Decision) -> str:
    """Say who decided what: "ann approved this"."""
    return f"{named(decision.order.by, decision.order.os_user)} {deed_on(decision, 'this')}"


def sealed_words(sealed: Sequence[Decision]) -> str | None:
    """Say which decisions cannot be read, in one sentence; raw thread ids in it. None where all can."""
    if not sealed:
        return None
    shown = ", ".join(f"{one.decision_id[:8]} about {one.order.thread_id}" for one in sealed[:_SEALED_SHOWN])
    more = f" and {len(sealed) - _SEALED_SHOWN} more" if len(sealed) > _SEALED_SHOWN else ""
    what = "1 decision is" if len(sealed) == 1 else f"{len(sealed)} decisions are"
    return f"{what} sealed with a key that is not here ({shown}{more}): {REMEDY}."


def deed(decision: Decision) -> str:
    """Say in a word or two what was decided: "approved", "approved and rejected", "let go on"."""
    if decision.is_sealed:
        return "decided"
    kinds = [kind for choices in decision.order.choices.values() for kind in _choice_kinds(choices)]
    words = list(dict.fromkeys(_DONE.get(kind, "answered") for kind in kinds))
    return " and ".join(words) or _KINDS[decision.order.kind]


def deed_on(decision: Decision, what: str) -> str:
    """Say what was decided about something: "approved this", "stepped over a breakpoint of this"."""
    words = deed(decision)
    return f"{words} of {what}" if words.endswith(_OF) else f"{words} {what}"


def named(operator: str, os_user: str) -> str:
    """Name a person: the operator's name, with the account where it is another one."""
    if operator and os_user and operator != os_user:
        return f"{operator} ({os_user})"
    return operator or os_user or "somebody"


def local(at: float) -> str:
    """Write unix seconds in the zone of this system, with the zone's name."""
    return time.strftime("%Y-%m-%d %H:%M %Z", time.localtime(at)).strip()


def ago(seconds: float) -> str:
    """Write an age in one unit: "12 s", "5 min", "3 h", "2 d"."""
    for unit, length in (("d", 86400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= length:
            return f"{seconds / length:.0f} {unit}"
    return f"{max(seconds, 0):.0f} s"


def _choice_kinds(choices: Any) -> Sequence[str]:
    if isinstance(choices, Mapping):
        return ["value"]
    return [kind for choice in choices for kind in choice]
