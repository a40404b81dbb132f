"""The work folder of a run: the only files its tools can reach."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..locks import alone_at
from ..workspace import Workspace, checked_id, make_folder, replace_file

OWN = frozenset({"plan.json"})
"""What no tool writes: the plan is what a run is held to."""


class ToolFailed(Exception):
    """A tool could not do it, and nothing was changed; the message goes back to the model."""


class Folder:
    """A folder that its tools cannot leave."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @classmethod
    def of(cls, lab: Workspace, run_id: str) -> Folder:
        """Return the work folder of a run, which need not be there."""
        return cls(lab.root / "work" / checked_id(run_id))

    def make(self) -> None:
        """Make the folder."""
        make_folder(self.root)

    @property
    def is_there(self) -> bool:
        """Whether the folder stands."""
        return self.root.is_dir()

    def path(self, name: str) -> Path:
        """Return the path of a name inside.

        Raises:
            ToolFailed: It would lead outside, or to what no tool may touch.
        """
        path = (self.root / name).resolve()
        root = self.root.resolve()
        if not path.is_relative_to(root):
            raise ToolFailed(f"{name} lies outside the work folder")
        if path.relative_to(root).as_posix() in OWN:
            raise ToolFailed(f"{name} is kept by the run itself")
        return path

    def read(self, name: str) -> str:
        """Return the text of a file.

        Raises:
            ToolFailed: It is not there, or no text.
        """
        try:
            return self.path(name).read_text("utf-8")
        except FileNotFoundError:
            raise ToolFailed(f"there is no file {name}") from None
        except (IsADirectoryError, UnicodeDecodeError):
            raise ToolFailed(f"{name} is no text file") from None

    def write(self, name: str, text: str) -> None:
        """Replace a file whole."""
        path = self.path(name)
        if path.is_dir():
            raise ToolFailed(f"{name} is a folder")
        replace_file(path, text)

    def names(self, under: str = ".", *, with_hidden: bool = False) -> tuple[str, ...]:
        """Return the names of all files below a folder; of hidden ones only when asked for."""
        start = self.path(under)
        if not start.is_dir():
            raise ToolFailed(f"there is no folder {under}")
        found = (path for path in start.rglob("*") if path.is_file())
        files = sorted(path for path in found if with_hidden or not path.name.startswith("."))
        return tuple(path.relative_to(self.root.resolve()).as_posix() for path in files)

    def digest(self, name: str) -> str | None:
        """Return the SHA-256 of a file, None where there is none."""
        path = self.root / name
        return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None

    @contextmanager
    def alone(self, purpose: str = "edit") -> Iterator[None]:
        """Let one call at a time read a file and write it again; calls of one step run side by side."""
        with alone_at(self.root.parent / f".{self.root.name}.{purpose}.lock"):
            yield
