"""What the effects ledger beside a database says of the keys that requests name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from agent_lab_tui.store.effects import Effect, Effects
from agent_lab_tui.store.files import Database

from ..deciding.telling import local
from ..questions import Operation

UNDONE = {
    "started": "started, end unknown",
    "unknown": "started, end unknown",
    "failed": "tried and failed, not done",
}
"""How an effect stands that is not done, by its state."""


def known(database: Database, operations: Iterable[Operation]) -> dict[str, Effect]:
    """Return, by key, what was begun or done under the keys of some operations."""
    keys = dict.fromkeys(one.key for one in operations if one.key is not None)
    if not keys:
        return {}
    ledger = Effects(database.journal_path, is_readonly=True)
    found = {key: ledger.find(key) for key in keys}
    return {key: effect for key, effect in found.items() if effect is not None}


def done_already(effects: Mapping[str, Effect]) -> Iterator[str]:
    """Warn of the keys under which something is done; raw foreign names."""
    for key, effect in effects.items():
        if effect.state == "done":
            yield f"{key} was done at {_moment(effect.changed_at)}: approving does not do it again."


def _moment(stamp: str) -> str:
    try:
        return local(datetime.fromisoformat(stamp).timestamp())
    except ValueError:
        return stamp
