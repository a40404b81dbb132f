"""Which process is which: a process id means something only with the machine and its start time."""

from __future__ import annotations

import os
import socket
import subprocess
from dataclasses import dataclass
from functools import cache
from os import getpid  # bound before a node may put something else in its place
from pathlib import Path

_PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class ProcessMark:
    """One process, so that no later one of the same number is taken for it."""

    host: str
    pid: int
    born: str
    """When it started, in the system's own words; empty where that could not be read."""

    @property
    def is_here(self) -> bool:
        """Whether it ran where we can see its process."""
        return self.host == this_host()

    @property
    def is_this(self) -> bool:
        """Whether it is the process that asks."""
        return self == this_process()

    @property
    def is_alive(self) -> bool:
        """Whether it is here and still there; of another machine's process we know nothing."""
        return self.is_here and is_alive(self.pid, self.born)

    @property
    def host_name(self) -> str:
        """The machine's name, for people."""
        return self.host.partition(" ")[0]


def this_process() -> ProcessMark:
    """Return the mark of the process that asks."""
    return ProcessMark(this_host(), getpid(), born(getpid()) or "")


@cache
def this_host() -> str:
    """Name this machine so that no other machine, boot or container is taken for it.

    Two containers may bear one host name while each sees its own processes only.
    """
    return " ".join((socket.gethostname(), _boot_id(), _process_namespace())).strip()


def born(pid: int) -> str | None:
    """Return when a process started, in the system's own words; None when it has ended.

    A process that has ended but was not waited for yet has ended. One that exists and may not be looked
    at gives an empty string.
    """
    if pid <= 0:
        return None
    try:
        # The second field, the name in brackets, may itself hold spaces and brackets.
        fields = (_PROC / str(pid) / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        return None if fields[0] in "ZX" else fields[19]
    except OSError:
        return _born_by_ps(pid) if _exists(pid) else None


def is_alive(pid: int, since: str) -> bool:
    """Tell whether the process of this id that started then is still there."""
    started = born(pid)
    return started is not None and (not started or not since or started == since)


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _born_by_ps(pid: int) -> str | None:
    """Ask `ps`, where there is no /proc (macOS)."""
    if (_PROC / "self" / "stat").exists():
        return ""
    shown = subprocess.run(
        ["ps", "-o", "stat=,lstart=", "-p", str(pid)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "LC_ALL": "C"},
    ).stdout.split(maxsplit=1)
    if len(shown) < 2:
        return "" if _exists(pid) else None
    return None if shown[0].startswith("Z") else " ".join(shown[1].split())


def _boot_id() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except OSError:
        return ""


def _process_namespace() -> str:
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:
        return ""
