"""What a checkpoint file stands in: its file system, its journal mode, its readers, who else has it open."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from .files import Database

MOUNTS: Final = Path("/proc/mounts")
PROCESSES: Final = Path("/proc")

_REMOTE: Final = re.compile(
    r"nfs\d*|cifs|smb\d*|smbfs|afs|ceph|glusterfs|lustre|gpfs|davfs|fuse\.(sshfs|rclone|s3fs|davfs2?|glusterfs)"
)
_OCTAL: Final = re.compile(r"\\([0-7]{3})")


@dataclass(frozen=True, slots=True)
class Mount:
    """One mounted file system."""

    point: Path
    kind: str
    options: str = ""

    @property
    def is_remote(self) -> bool:
        """Whether the files lie on another machine, where SQLite's locks cannot be trusted."""
        return _REMOTE.fullmatch(self.kind) is not None

    @property
    def is_windows(self) -> bool:
        """Whether it is a Windows drive as WSL shows it: its locks and its shared memory are not SQLite's."""
        return self.kind in ("drvfs", "9p", "v9fs")


@dataclass(frozen=True, slots=True)
class User:
    """Another process that has a file open."""

    pid: int
    command: str
    """Raw foreign text."""
    is_own: bool = False
    """Whether this process started it, or started one that did."""


def mounts(text: str) -> tuple[Mount, ...]:
    """Read the lines of `/proc/mounts`."""
    found = []
    for line in text.splitlines():
        fields = line.split()
        if len(fields) >= 4:
            point = _OCTAL.sub(lambda octal: chr(int(octal[1], 8)), fields[1])
            found.append(Mount(Path(point), fields[2], fields[3]))
    return tuple(found)


def mount_of(path: Path, mounted: Iterable[Mount]) -> Mount | None:
    """Return the file system that a file lies on; of several on one place the one mounted last."""
    above = [one for one in mounted if path.is_relative_to(one.point)]
    return max(reversed(above), key=lambda one: len(one.point.parts), default=None)


def mounted_here() -> tuple[Mount, ...]:
    """Return the file systems of this machine; empty where it does not tell."""
    try:
        return mounts(MOUNTS.read_text("utf-8", errors="replace"))
    except OSError:
        return ()


def journal_mode(db: Database) -> str:
    """Return how SQLite keeps a file whole: `wal` as a saver sets it, or another."""
    with db.reading() as conn:
        return str(conn.execute("PRAGMA journal_mode").fetchone()[0])


def files_of(db: Database) -> tuple[Path, ...]:
    """Return the files of a database and of what the desk keeps beside it, as far as they are there."""
    names = [path.name + tail for path in (db.path, db.journal_path) for tail in ("", "-wal", "-shm")]
    return tuple(path for name in names if (path := db.path.with_name(name)).exists())


def rights(path: Path) -> str | None:
    """Return the rights of a file, as `ls` writes them, where others than its owner have any."""
    mode = path.stat().st_mode
    return stat.filemode(mode) if mode & (stat.S_IRWXG | stat.S_IRWXO) else None


def users(path: Path) -> tuple[User, ...]:
    """Return the other processes that have a file open, as far as this account may look."""
    found = []
    for folder in sorted(PROCESSES.glob("[0-9]*"), key=lambda one: int(one.name)):
        pid = int(folder.name)
        if pid != os.getpid() and _has_open(folder, path):
            found.append(User(pid, _command(folder), _is_below(folder, os.getpid())))
    return tuple(found)


def _has_open(process: Path, path: Path) -> bool:
    with contextlib.suppress(OSError):
        for descriptor in (process / "fd").iterdir():
            with contextlib.suppress(OSError):
                if os.readlink(descriptor) == str(path):
                    return True
    return False


def _is_below(process: Path, ancestor: int) -> bool:
    """Tell whether a process descends from another, which its system may refuse to say."""
    with contextlib.suppress(OSError):
        while process.name not in ("0", "1"):
            # The second field, the name in brackets, may itself hold spaces and brackets.
            parent = (process / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()[1]
            if parent == str(ancestor):
                return True
            process = process.with_name(parent)
    return False


def _command(process: Path) -> str:
    with contextlib.suppress(OSError):
        return (process / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace").strip()
    return ""
