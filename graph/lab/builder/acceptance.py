"""Acceptance: the artefact is looked at, the model's word counts for nothing."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

from .depot import PROJECTS
from .folder import Folder
from .run import Run


@dataclass(frozen=True, slots=True)
class Judgement:
    """What was found."""

    problems: tuple[str, ...]
    file: str
    digest: str | None

    @property
    def is_accepted(self) -> bool:
        """Whether nothing is missing."""
        return not self.problems


def judge(folder: Folder, run: Run) -> Judgement:
    """Look whether the package is there, whole, of the installed parts and for the right target."""
    file = f"dist/{run['project']}.pkg"
    digest = folder.digest(file)
    if digest is None:
        return Judgement((f"{file} is not there",), file, None)
    try:
        package = json.loads(folder.read(file))
        target, listed = package["target"], dict(package["parts"])
    except (ValueError, KeyError, TypeError):
        return Judgement((f"{file} is no package",), file, digest)
    problems = []
    if target != run["variables"].get("BUILD_TARGET"):
        problems.append(f"{file} is for {target}, not for {run['variables'].get('BUILD_TARGET')}")
    for part in PROJECTS[run["project"]]:
        library = f"deps/{part}.lib"
        if folder.digest(library) is None:
            problems.append(f"{library} is not installed")
        elif listed.get(part) != _digest_of(folder, library):
            problems.append(f"{file} does not hold {part} as it is installed")
    return Judgement(tuple(problems), file, digest)


def _digest_of(folder: Folder, name: str) -> str:
    return hashlib.sha256(folder.read(name).encode()).hexdigest()
