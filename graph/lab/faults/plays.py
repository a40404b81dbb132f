"""What is played for the fault table, and at which places each play is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from .. import crash
from ..briefs import BRIEFS
from ..workspace import Workspace, replace_file

TASK = "task-1"


@dataclass(frozen=True, slots=True)
class Play:
    """One agent with its settings."""

    name: str
    agent: str
    settings: tuple[str, ...] = ()
    says: Literal["approve", "reject"] = "approve"
    """What a person says to everything that it asks."""

    @property
    def ends(self) -> str:
        """How its task and its thread end."""
        return "completed, done" if self.says == "approve" else "failed, done"

    @property
    def given(self) -> dict[str, str]:
        """The settings by name."""
        return dict(setting.split("=", 1) for setting in self.settings)


PLAYS = (
    Play("analysis", "analysis"),
    Play("analysis refused", "analysis", says="reject"),
    Play("report", "report"),
    Play("report, two inserts", "report", ("summary=yes",)),
    Play("report refused", "report", says="reject"),
    Play("patch", "patch"),
    Play("patch refused", "patch", says="reject"),
    Play("outbox keyed", "outbox", ("kind=keyed",)),
    Play("outbox askable", "outbox", ("kind=askable",)),
    Play("outbox plain", "outbox", ("kind=plain",)),
    Play("outbox refused", "outbox", says="reject"),
    Play("builder", "builder", ("project=zlib", "model=scripted:handover")),
)
"""Every agent, with a yes and with a no; each kind of service; the builder with every grade of tool."""


class PlayFailed(Exception):
    """A play that was not to be killed did not come to its end, or one that was, did."""


def new_lab(root: Path) -> Workspace:
    """Make an empty lab with the brief that the analysis reads."""
    lab = Workspace(root)
    lab.database.parent.mkdir(parents=True, mode=0o700)
    for name, text in BRIEFS.items():
        replace_file(lab.brief.parent / name, text)
    return lab


def places_of(play: Play, lab: Workspace) -> tuple[str, ...]:
    """Play to the end in an empty lab and return every place that was passed, each visit on its own.

    Raises:
        PlayFailed: It did not come to its end.
    """
    trace = lab.root / "places.txt"
    done = _run(play, lab, {crash.TRACE: str(trace)})
    if done.returncode:
        raise PlayFailed(f"{play.name} did not come to its end: {done.stderr[-500:]}")
    visits: Counter[str] = Counter()
    places = []
    for name in trace.read_text("utf-8").splitlines():
        visits[name] += 1
        places.append(f"{name}#{visits[name]}")
    return tuple(places)


def kill_at(play: Play, lab: Workspace, place: str) -> None:
    """Play in an empty lab until the process is killed at a place.

    Raises:
        PlayFailed: It was not.
    """
    done = _run(play, lab, {crash.VARIABLE: place})
    if done.returncode != -signal.SIGKILL:
        raise PlayFailed(f"{play.name} was not killed at {place}: {done.stderr[-500:]}")


_WINDOWS = {
    "before the deed": ("begun", "pending", "before-write", "before-commit", "before-replace"),
    "between deed and record": ("done", "sent", "after-write", "after-log", "after-commit"),
    "between record and checkpoint": (
        *("unkept", "kept", "delivered", "before-status", "after-status", "completed", "recorded"),
    ),
    "between two steps": ("checkpoint",),
    "between stored writes and checkpoint": ("stored-writes",),
    "before the first checkpoint": ("born",),
}


def window_of(place: str) -> str:
    """Say in which window of a deed a place lies."""
    last = place.partition("#")[0].rpartition(":")[2]
    return next((window for window, ends in _WINDOWS.items() if last in ends), "inside a node without a deed")


def _run(play: Play, lab: Workspace, more: dict[str, str]) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name not in (crash.VARIABLE, crash.TRACE)}
    words: Sequence[str] = (str(lab.root), play.agent, TASK, play.says, *play.settings)
    command = [sys.executable, "-P", "-m", "agent_lab_tui.graph.lab.faults.play", *words]
    return subprocess.run(command, env={**kept, **more}, capture_output=True, text=True, check=False)
