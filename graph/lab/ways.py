"""The commands that lead on in the lab, as somebody in this folder would type them."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from .registry import HUMAN

if TYPE_CHECKING:
    from .registry import Finding
    from .workspace import Workspace


_LOOK = ("history", "shows what it did; bring back what is missing, or replay it")
_BY_HAND = {
    "waiting": ("show", "shows what it asks; then answer it"),
    "stuck": ("ask-again", "drops the stored answer and asks again"),
    "foreign": ("show", "says why; load the graph that wrote it"),
}
"""By situation, the command that a person needs, and what it does."""


def next_command(lab: Workspace, *words: str) -> str:
    """Return a command to type next, with the folder where it is not this one."""
    where = () if lab.root == _here() else ("--dir", _short(lab.root))
    return shlex.join(("agent-lab-tui", *words, *where))


def desk_command(lab: Workspace, *words: str) -> str:
    """Return a command of the desk to type next, with the settings where they are not in this folder."""
    where = () if lab.root == _here() else ("--settings", _short(lab.root / "agent-lab.toml"))
    return shlex.join(("agent-lab-tui", *words, *where))


def way_on(lab: Workspace, finding: Finding, situation: str | None) -> str:
    """Return what to type or to do about a disagreement; one thing.

    Args:
        lab: The folder.
        finding: The disagreement.
        situation: Where its thread stands, None without one.
    """
    if finding.remedy != HUMAN:
        return next_command(lab, "lab", "recover", finding.task_id)
    if situation is None:
        return "bring back the database that holds its thread, from a backup"
    word, does = _BY_HAND.get(situation, _LOOK)
    return f"{desk_command(lab, word, finding.thread_id)} {does}"


def _short(path: Path) -> str:
    here = _here()
    return str(path.relative_to(here) if here is not None and path.is_relative_to(here) else path)


def _here() -> Path | None:
    """Return the folder that this process stands in; None where it was deleted meanwhile."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return None
