"""One thing that the doctor has found."""

from __future__ import annotations

import shlex
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Ailment:
    """What is not as it should be, by which evidence, and the command that shows or mends it."""

    finding: str
    evidence: str
    """One sentence without a full stop; raw foreign text in it."""
    remedy: str
    """What to type or to do; raw foreign text in it."""
    thread_id: str | None = None
    """None for what is not about one thread."""
    settles: tuple[str, str] | None = None
    """The decision whose outcome a repair writes down, and that outcome; None for what needs a person."""

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON-able types, the thread first, as it is told to a person."""
        record = asdict(self)
        del record["settles"]
        return {"thread_id": record.pop("thread_id"), **record}


def command(*words: str) -> str:
    """Return a command of this program to type."""
    return shlex.join(("agent-lab-tui", *words))
