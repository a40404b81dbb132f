"""How much harm a tool can do, and what follows: who is asked, and what must not be repeated."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal


class Grade(StrEnum):
    """The grade of a tool; the test is what happens when it is done twice, and who sees it."""

    READ = "reads"
    """Looks and changes nothing."""
    REPEATABLE = "repeatable"
    """Done twice is done once: a whole file written, an upsert, a build."""
    REVERSIBLE = "reversible"
    """Inside the work folder and can be taken back, but not by doing it twice: a line appended."""
    OUTSIDE = "outside"
    """Costs something, leaves the folder or cannot be taken back: a mail, a push."""
    DESTRUCTIVE = "destructive"
    """Destroys what nobody can make again."""

    @property
    def asks(self) -> int:
        """How often a person is asked before it is done."""
        return {Grade.OUTSIDE: 1, Grade.DESTRUCTIVE: 2}.get(self, 0)

    @property
    def needs_key(self) -> bool:
        """Whether doing it twice would be noticed, so that it stands in the ledger under a key."""
        return self not in (Grade.READ, Grade.REPEATABLE)

    @property
    def risk(self) -> Literal["low", "medium", "high", "critical"]:
        """The risk shown with its question."""
        if self is Grade.DESTRUCTIVE:
            return "critical"
        return "high" if self is Grade.OUTSIDE else "low"
