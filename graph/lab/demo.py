"""Make the demo: a folder as a project of its own, with threads at their pending points."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .briefs import BRIEFS
from .carrying_on import approve, desk_of, told
from .filling import filling
from .project import complete_project
from .registry import LabRefused, Start, agent, agents
from .starting import run, start
from .workspace import Workspace, make_folder, replace_file


@dataclass(frozen=True, slots=True)
class Part:
    """One thread of the demo."""

    agent: str
    task_id: str
    options: Mapping[str, str] = field(default_factory=dict)
    loses: str = ""
    """An input that goes missing between start and first step."""
    is_approved: bool = False
    """Whether somebody says yes to its first question."""


PARTS = (
    Part("analysis", "task-000", {"brief": "data/input/archive.txt"}, is_approved=True),
    Part("analysis", "task-007", {"brief": "data/input/lost.txt"}, loses="data/input/lost.txt"),
    Part("patch", "patch-1"),
    Part("outbox", "mail-1"),
    Part("builder", "run-217"),
    Part("report", "report-1", {"user": "ann"}),
    Part("analysis", "task-003", {"brief": "data/input/returns.txt"}),
    Part("analysis", "task-002", {"brief": "data/input/delivery.txt"}),
    Part("analysis", "task-001"),
)
"""In the order in which they start; the last one stands at the top of the list."""


@dataclass(frozen=True, slots=True)
class Demo:
    """A demo that is there."""

    lab: Workspace
    threads: tuple[str, ...]
    is_new: bool


def make_demo(folder: Path, on_step: Callable[[str], None]) -> Demo:
    """Make the demo in a folder, or find the one that is there; a killed making leaves no half of one.

    Raises:
        LabRefused: The folder holds something else, or another process makes the demo in it.
    """
    folder = folder.resolve()
    if not folder.exists():
        make_folder(folder.parent)
        make_whole(folder, Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}.")), on_step)
        return _demo(Workspace(folder), is_new=True)
    if not folder.is_dir():
        raise LabRefused(f"{folder} is no folder: name another place.")
    with filling(folder) as place:
        if (folder / "agents.py").is_file() and Workspace(folder).database.is_file():
            return _demo(Workspace(folder), is_new=False)
        if any(folder.iterdir()):
            raise LabRefused(f"{folder} is there and is no demo: name another folder, or empty this one.")
        place.unfinished.mkdir(mode=0o700)
        make_whole(place.whole, place.unfinished, on_step)
        place.settle()
    return _demo(Workspace(folder), is_new=True)


def make_whole(target: Path, unfinished: Path, on_step: Callable[[str], None]) -> None:
    """Play every part in an unfinished folder, and give it its name when it is whole."""
    try:
        lab = Workspace(unfinished)
        write_project(lab)
        for part in PARTS:
            on_step(f"{part.agent} {part.task_id}")
            _play(lab, part)
        os.replace(unfinished, target)
    except BaseException:  # also Ctrl+C: no half of a demo stays behind
        shutil.rmtree(unfinished)
        raise


def write_project(lab: Workspace) -> None:
    """Write what makes a folder a project with the lab's agents and something for them to do."""
    for name, text in BRIEFS.items():
        replace_file(lab.brief.parent / name, text)
    make_folder(lab.root / "output")
    complete_project(lab)


def _demo(lab: Workspace, *, is_new: bool) -> Demo:
    threads = [one.status(lab, task).thread_id for one in agents() for task in one.tasks(lab)]
    return Demo(lab, tuple(threads), is_new)


def _play(lab: Workspace, part: Part) -> None:
    new = Start(part.task_id, part.task_id, part.options)
    if part.loses:
        _lose(lab, part, new)
        return
    start(lab, agent(part.agent), new, _nothing)
    if part.is_approved:
        _approve(lab, part.task_id)


def _lose(lab: Workspace, part: Part, new: Start) -> None:
    """Start a task whose input disappears; it fails, and can go on when the file is put back."""
    replace_file(lab.root / part.loses, BRIEFS["brief.txt"])
    beginning = agent(part.agent).begin(lab, new)
    (lab.root / part.loses).unlink()
    try:
        run(lab, agent(part.agent), new.thread_id, beginning, _nothing)
    except FileNotFoundError:
        return
    raise AssertionError(f"{part.task_id} was to fail without {part.loses}")


def _approve(lab: Workspace, thread_id: str) -> None:
    """Say yes by the desk's road, so that the journal tells who did."""
    with desk_of(lab, operator="demo") as desk:
        desk.load_graphs()
        told(approve(desk, desk.thread(thread_id)))


def _nothing(_: str) -> None:
    """Tell nobody."""
