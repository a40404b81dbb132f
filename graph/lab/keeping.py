"""Keep the lab's data: copy it while it is in use, and drop what is long finished."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from agent_lab_tui.store.backups import back_up

from ..desk import Desk
from . import crash
from .courier import ADDRESS
from .finding import findings_of, statuses
from .looking import look
from .registry import Agent, LabRefused, Status, agent_of
from .starting import open_saver
from .workspace import Workspace, make_folder


@dataclass(frozen=True, slots=True)
class Pruned:
    """A finished task that is old enough to go, and what goes with it."""

    task_id: str
    thread_id: str
    status: str
    updated_at: str


def back_up_lab(lab: Workspace, target: Path) -> tuple[str, ...]:
    """Copy the whole folder into a new one from which every task can be carried on.

    The checkpoint database is copied first: a decision that is only in the younger journal is found there
    and settled by evidence, a checkpoint without its decision would look as if nobody had decided.

    It appears under its name when it is whole: killed on the way, it leaves no half that looks like a lab.

    Raises:
        LabRefused: The target is there already, or lies in the lab.
        CannotOpen: A database of the lab is damaged.
    """
    target = target.resolve()
    if target.exists():
        raise LabRefused(f"{target} is there already; name a new folder.")
    if target.is_relative_to(lab.root):
        raise LabRefused("The backup must lie outside of the folder that it copies.")
    make_folder(target.parent)
    unfinished = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}.", suffix=".unfinished"))
    try:
        copied = [name for path in _files(lab.root) if (name := _copied(lab.root, path, unfinished))]
        crash.point("backup:copied")
        os.rename(unfinished, target)
    except BaseException:  # also Ctrl+C: no half of a backup stays behind
        shutil.rmtree(unfinished)
        raise
    return tuple(sorted(copied))


def _copied(root: Path, path: Path, target: Path) -> str | None:
    """Copy one file and return its name; None for one that somebody took away meanwhile."""
    name = path.relative_to(root)
    make_folder((target / name).parent)
    os.close(os.open(target / name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    try:
        if _is_database(path):
            back_up(path, target / name)
        else:
            shutil.copyfile(path, target / name)
    except FileNotFoundError:
        (target / name).unlink()
        return None
    crash.point("backup:file")
    return name.as_posix()


def prunable(lab: Workspace, desk: Desk, older_than: timedelta) -> tuple[Pruned, ...]:
    """Return the finished tasks unchanged for so long.

    What waits, has failed, was halted or disagrees is never among them, nor what keeps no row: nobody could
    tell how old it is.
    """
    before = (datetime.now(UTC) - older_than).strftime("%Y-%m-%dT%H:%M:%SZ")
    return tuple(
        Pruned(status.task_id, status.thread_id, status.status, status.updated_at)
        for agent, status in statuses(lab)
        if status.updated_at is not None and status.updated_at < before
        if _is_finished(lab, desk, agent, status)
    )


def prune(lab: Workspace, found: Sequence[Pruned]) -> None:
    """Delete the rows and checkpoints of finished tasks; their files, effects and decisions stay.

    Rows go first: a kill in between leaves a finished thread of no task, and nothing that disagrees.
    """
    with open_saver(lab) as saver:
        for one in found:
            agent_of(lab, one.task_id).forget(lab, one.task_id)
            saver.delete_thread(one.thread_id)


def _is_finished(lab: Workspace, desk: Desk, agent: Agent, status: Status) -> bool:
    is_closed = status.status == "completed" or (status.error or "").startswith("declined")
    if not is_closed:
        return False
    seen = look(desk, status.thread_id)
    return seen.situation in ("done", "quiet") and not findings_of(lab, agent, status, seen)


def _files(root: Path) -> list[Path]:
    """Return what belongs into a backup: databases first, SQLite's side files and leftovers not at all."""
    # The address of a running courier is left out: a copy that used it would send from the original.
    skipped = ("-wal", "-shm", "-journal", ".tmp", ".pyc", ".lock", ADDRESS)
    found = [path for path in sorted(root.rglob("*")) if path.is_file() and not path.name.endswith(skipped)]
    return sorted(found, key=lambda path: (not _is_database(path), path.suffix == ".desk"))


def _is_database(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(16) == b"SQLite format 3\x00"
