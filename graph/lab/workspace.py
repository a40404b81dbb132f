"""The lab's folder: which file is where, and how files are replaced so that none is ever half written."""

from __future__ import annotations

import os
import re
import shlex
import tempfile
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from agent_lab_tui.store.tables import can_write

from . import crash
from .registry import LabUsage

TASK_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


@dataclass(frozen=True, slots=True)
class Workspace:
    """One folder of the lab.

    Rows, states and requests name files relative to it, so that a copy of the folder works.
    """

    root: Path

    @property
    def database(self) -> Path:
        """Checkpoints, tasks and steps, in one file."""
        return self.root / "data" / "agent.db"

    @property
    def ledger(self) -> Path:
        """The effects ledger, in the desk's journal beside the database."""
        return self.root / "data" / "agent.db.desk"

    @property
    def business(self) -> Path:
        """The database that stands for the company's own: topics, published reports."""
        return self.root / "data" / "business.db"

    @property
    def brief(self) -> Path:
        """What the analysis reads."""
        return self.root / "data" / "input" / "brief.txt"

    def output(self, task_id: str) -> Path:
        """Return the folder of what a task made."""
        return self.root / "output" / checked_id(task_id)

    def relative(self, path: Path) -> str:
        """Return a path as rows and requests name it."""
        return path.relative_to(self.root).as_posix()


def open_workspace(root: Path) -> Workspace:
    """Return the lab in a folder.

    Raises:
        LabUsage: There is none; the message says how to make one.
    """
    workspace = Workspace(root.resolve())
    if not (workspace.root / "data").is_dir():
        make = shlex.join(("agent-lab-tui", "demo", str(workspace.root), "--no-tui"))
        raise LabUsage(f"There is no lab in {workspace.root}: `{make}` makes one, --dir names another.")
    if workspace.ledger.exists() and not workspace.database.exists():
        raise LabUsage(
            f"{workspace.database} is gone, though its journal is there: bring it back from a backup."
            " A new one would know nothing of what was done."
        )
    return workspace


def need_rights(lab: Workspace) -> None:
    """See that this account may write to the lab, before anything is asked or begun.

    Raises:
        LabUsage: It may not.
    """
    if lab.database.exists() and not can_write(lab.database):
        raise LabUsage(
            f"{lab.root} is write-protected: it can be looked at and copied. To carry a task on, give this"
            " account the right to write to it."
        )


def checked_id(task_id: str) -> str:
    """Return a task id that may name a folder.

    Raises:
        LabUsage: It holds something else than letters, digits, dots, dashes and underscores.
    """
    if not TASK_ID.fullmatch(task_id):
        raise LabUsage(
            f"{task_id!r} cannot be a task id: use up to 100 letters, digits, dots, dashes and underscores."
        )
    return task_id


def checked_line(name: str, text: str) -> str:
    """Return a setting that must be one line, because it becomes part of one.

    Raises:
        LabUsage: It is empty, or holds line ends or other control characters.
    """
    if not text.strip() or any(unicodedata.category(sign) in ("Cc", "Zl", "Zp") for sign in text):
        raise LabUsage(f"{name} takes one line of text, not {text!r}.")
    return text


def make_folder(path: Path) -> Path:
    """Make a folder, and those above it, for their owner alone."""
    for folder in (*reversed(path.parents), path):
        if not folder.exists():
            folder.mkdir(mode=0o700, exist_ok=True)
    return path


def owner_only(path: str, flags: int) -> int:
    """Open a file for `open(…, opener=owner_only)`: one that is made by it is its owner's alone."""
    return os.open(path, flags, 0o600)


def replace_file(path: Path, text: str) -> None:
    """Write a file so that a reader, or a crash, finds the old one or the new one and never a half."""
    make_folder(path.parent)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        crash.point("file:before-replace")
        os.replace(temporary, path)
    except BaseException:  # also Ctrl+C: the half that was written goes
        os.unlink(temporary)
        raise
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def add_line(path: Path, line: str) -> None:
    """Add one line to a file by replacing it whole."""
    before = path.read_text("utf-8") if path.exists() else ""
    replace_file(path, f"{before}{line}\n")
