"""The world outside the checkpoint: looked at before a run goes on, rebuilt where safe, or refused."""

from __future__ import annotations

from collections.abc import Mapping

from agent_lab_tui.store.lab.runs import CallRow, Runs

from ..workspace import Workspace
from .folder import Folder, ToolFailed
from .run import Run

RECIPE = ("fetch_sources", "build", "install", "package")
"""The tools whose work can be done again at will."""


class EnvironmentGone(Exception):
    """What the checkpoint counts on is not there and cannot be made again; nothing was run."""


def missing(folder: Folder, parts: Mapping[str, str | None]) -> tuple[str, ...]:
    """Return the recorded parts that are not there as they were made."""
    return tuple(name for name, digest in parts.items() if digest and folder.digest(name) != digest)


def restore(lab: Workspace, run: Run, parts: Mapping[str, str | None]) -> tuple[str, ...]:
    """Make sure the work folder and the installed parts are there; return what had to be rebuilt.

    Raises:
        EnvironmentGone: The folder is gone, or a part cannot be made again as it was.
    """
    folder = Folder.of(lab, run["run_id"])
    if not folder.is_there:
        raise EnvironmentGone(
            f"environment: the work folder {lab.relative(folder.root)} is gone; nothing was run."
            " Put it back from a backup, or start a new run."
        )
    if not missing(folder, parts):
        return ()
    with folder.alone("rebuild"):
        lost = missing(folder, parts)
        for name in lost:
            _rebuild(lab, run, name)
        if still := missing(folder, parts):
            raise EnvironmentGone(
                f"environment: {', '.join(still)} is not there as it was made, and cannot be made again so;"
                " nothing was run."
            )
    return lost


def _rebuild(lab: Workspace, run: Run, name: str) -> None:
    """Do the recorded work again that made a part: done twice it is done once."""
    from .tool import Bench
    from .toolbox import TOOLS

    runs = Runs(lab.database)
    for call in recipe(runs.calls(run["run_id"]), name):
        key = f"{call.key}:rebuilt"
        bench = Bench(lab, Folder.of(lab, run["run_id"]), run["variables"], key)
        number = runs.begin_call(run["run_id"], key, call.step, call.tool, call.arguments)
        try:
            outcome = TOOLS[call.tool].do(bench, call.arguments)
        except ToolFailed as failed:
            runs.end_call(number, "failed", {"text": str(failed)})
            return
        runs.end_call(number, "ready", {"text": outcome.text})


def recipe(calls: tuple[CallRow, ...], name: str) -> tuple[CallRow, ...]:
    """Return the calls that made a part, oldest first, each once."""
    stem = name.rpartition("/")[2].partition(".")[0]
    wanted = {
        (call.tool, stem): call
        for call in calls
        if call.tool in RECIPE and call.state == "ready" and stem in call.arguments.values()
    }
    return tuple(sorted(wanted.values(), key=lambda call: RECIPE.index(call.tool)))
