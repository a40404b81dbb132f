"""The interpreter of a project's host: ours, or the project's own with what is installed there."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import agent_lab_tui.graph
import agent_lab_tui.store

from .events import HostError

OLDEST_PYTHON = (3, 11)
NEEDS: Mapping[str, tuple[int, ...]] = {
    "langgraph": (1, 2, 20),
    "langgraph-checkpoint-sqlite": (3, 0),
    "jsonschema": (4, 21),
    "ormsgpack": (1, 9),
    "regex": (2023, 12),
    "xxhash": (3, 4),
}
"""What a host imports, with the oldest version that will do."""

PROBE_SECONDS = 30.0

_PROBE = """
import importlib.metadata, json, sys
found = {"": list(sys.version_info[:2])}
for name in sys.argv[1:]:
    try:
        found[name] = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        found[name] = None
print(json.dumps(found))
"""

_START = """
import importlib.util, json, os, runpy, sys, types
folders = json.loads(sys.argv.pop(2))
class Ours:
    def find_spec(self, name, path=None, target=None):
        if name in folders:
            file, inside = os.path.join(folders[name], "__init__.py"), [folders[name]]
            return importlib.util.spec_from_file_location(name, file, submodule_search_locations=inside)
sys.meta_path.insert(0, Ours())
sys.modules["agent_lab_tui"] = types.ModuleType("agent_lab_tui")
sys.modules["agent_lab_tui"].__path__ = []
runpy.run_module("agent_lab_tui.graph.run", run_name="__main__", alter_sys=True)
"""
"""Finds our two packages where they lie, by name alone: no folder of ours comes onto the project's path."""


def host_command(python: str | None, descriptor: int) -> list[str]:
    """Return the command that starts a host; the descriptor is its end of the line to the desk.

    Args:
        python: Another interpreter than ours.
        descriptor: Inherited by the process.
    """
    if python is None:
        return [sys.executable, "-P", "-u", "-m", "agent_lab_tui.graph.run", str(descriptor)]
    folders = {one.__name__: str(Path(one.__path__[0])) for one in (agent_lab_tui.graph, agent_lab_tui.store)}
    return [python, "-P", "-u", "-c", _START, str(descriptor), json.dumps(folders)]


def interpreter_of(text: str, base: Path) -> str:
    """Return the interpreter that was named, absolute; a virtual environment's folder stands for its own.

    Links are not followed: what an environment holds is found by the place of its link.
    """
    path = Path(os.path.normpath(base / Path(text).expanduser()))
    return str(path / "bin" / "python" if path.is_dir() else path)


def demand_fit(python: str, variables: Mapping[str, str]) -> None:
    """Look whether a host can run in an interpreter, before one is started there.

    Raises:
        HostError: It is not there, too old, or lacks something; the sentence says what to type.
    """
    command = [python, "-P", "-c", _PROBE, *NEEDS]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            check=True,
            timeout=PROBE_SECONDS,
            env={**os.environ, **variables, **activated(python)},
        )
        found = json.loads(done.stdout)
    except subprocess.CalledProcessError as error:
        words = error.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise HostError(f"{python} is no Python that can be used: {words or 'it failed'}.") from None
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        reason = getattr(error, "strerror", None) or "it does not answer as a Python does"
        raise HostError(
            f"{python} cannot be started ({reason}): name a Python or a venv with --python."
        ) from None
    version = tuple(found.pop(""))
    if version < OLDEST_PYTHON:
        has, needed = (".".join(map(str, one)) for one in (version, OLDEST_PYTHON))
        raise HostError(f"{python} is Python {has}; the desk runs graphs in Python {needed} or newer.")
    lacking = [_lacks(name, found[name]) for name, oldest in NEEDS.items() if _numbers(found[name]) < oldest]
    if lacking:
        wanted = (f"{name}>={'.'.join(map(str, oldest))}" for name, oldest in NEEDS.items())
        install = shlex.join((python, "-m", "pip", "install", *wanted))
        raise HostError(
            f"A host cannot run in {python}: {', '.join(lacking)}. Install what it needs: {install}"
        )


def activated(python: str | None) -> dict[str, str]:
    """Return the variables that make an interpreter's environment the one that its children use."""
    if python is None:
        return {}
    folder = Path(python).parent
    found = {"PATH": os.pathsep.join((str(folder), os.environ.get("PATH", os.defpath)))}
    if (folder.parent / "pyvenv.cfg").is_file():
        found["VIRTUAL_ENV"] = str(folder.parent)
    return found


def _lacks(name: str, version: str | None) -> str:
    return f"{name} is missing" if version is None else f"{name} {version} is too old"


def _numbers(version: str | None) -> tuple[int, ...]:
    return tuple(int(part) for part in (version or "").split(".")[:3] if part.isdecimal())
