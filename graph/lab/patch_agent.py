"""What the lab knows of the patch agent: it keeps no rows, its file and its thread are all there is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from agent_lab_tui.store.checkpoints import threads
from agent_lab_tui.store.files import open_database
from agent_lab_tui.store.tables import make_file

from .builder.memory import remembered
from .registry import (
    Beginning,
    Check,
    Finding,
    LabRefused,
    LabUsage,
    NoSuchTask,
    Start,
    Status,
    refuse_unknown,
)
from .views import effects_of, files_of
from .ways import next_command
from .workspace import TASK_ID, Workspace, replace_file

if TYPE_CHECKING:
    from langgraph.pregel import Pregel

TARGET = "CMakeLists.txt"
"""The file in the task's folder that is to be patched."""
LOG = "approve.log"
"""One line for every time the asking node began."""

_BEFORE = "project(libpng)\noption(PNG_TESTS ON)\n"


class PatchAgent:
    """Proposes a patch, asks, and applies it."""

    name = "patch"
    about = "proposes a patch, asks, and applies it: the smallest example"
    settings: Mapping[str, str] = MappingProxyType({})
    does_resume_approve = False

    def build(self, lab: Workspace) -> Pregel[Any, Any, Any, Any]:
        """Return the graph without a saver."""
        from .patch import build

        return build(lab)

    def begin(self, lab: Workspace, start: Start) -> Beginning:
        """Write the file that is to be patched."""
        refuse_unknown(self, start)
        if start.max_steps is not None:
            raise LabUsage("The agent patch takes no --max-steps: it counts none.")
        if start.thread_id != start.task_id:
            raise LabRefused("A patch has one id: its thread is called as the task is.")
        if (lab.output(start.task_id) / TARGET).exists():
            raise LabRefused(f"The patch {start.task_id} exists already.")
        return self.again(lab, start.task_id)

    def again(self, lab: Workspace, task_id: str) -> Beginning:
        """Return the same input again, with the file as it was."""
        # It keeps no rows, so nothing else has made the file that its thread will stand in.
        make_file(lab.database)
        replace_file(lab.output(task_id) / TARGET, _BEFORE)
        return Beginning({"task_id": task_id})

    def tasks(self, lab: Workspace) -> Sequence[str]:
        """Return the ids of the folders with a file to patch, oldest first."""
        found = (lab.root / "output").glob(f"*/{TARGET}")
        return [path.parent.name for path in sorted(found, key=lambda path: path.parent.stat().st_ctime_ns)]

    def task_on(self, lab: Workspace, thread_id: str) -> str | None:
        """Return the thread's id, where it is a patch: the two are one."""
        is_patch = TASK_ID.fullmatch(thread_id) and (lab.output(thread_id) / TARGET).is_file()
        return thread_id if is_patch else None

    def status(self, lab: Workspace, task_id: str) -> Status:
        """Return the effect and the files, and whether its thread waits."""
        target = self.folder(lab, task_id) / TARGET
        if not target.exists():
            raise NoSuchTask(f"There is no patch {task_id} in {lab.root}.")
        effects = effects_of(lab, task_id)
        is_applied = target.read_text("utf-8") != _BEFORE
        is_recorded = any(effect["state"] == "done" for effect in effects)
        status, error = _unfinished(lab, task_id)
        return Status(
            task_id=task_id,
            thread_id=task_id,
            agent=self.name,
            status="completed" if is_applied and is_recorded else status,
            error=error,
            checks=(
                Check(
                    "file patched",
                    is_applied,
                    f"{lab.relative(target)} is {'changed' if is_applied else 'as it was'}",
                ),
                Check(
                    "effect recorded", is_recorded, "in the ledger" if is_recorded else "the ledger has none"
                ),
            ),
            effects=effects,
            files=files_of(lab, self.folder(lab, task_id)),
            expected=(lab.relative(target),),
        )

    def folder(self, lab: Workspace, task_id: str) -> Path:
        """Return the task's folder."""
        return lab.output(task_id)

    def findings(self, lab: Workspace, task_id: str, situation: str | None) -> Sequence[Finding]:
        """Return what does not agree: a run that has ended on its way, or never began."""
        if situation == "stopped":
            evidence = f"the thread has steps left and nobody runs it; files: {self.folder(lab, task_id)}"
            return (Finding(task_id, task_id, "the run ended", evidence, "run the safe step again"),)
        if situation is None:
            evidence = f"{TARGET} is there, the thread is not"
            return (Finding(task_id, task_id, "it ended before its first checkpoint", evidence, "begin"),)
        return ()

    def record_completion(self, lab: Workspace, task_id: str) -> None:
        """Refuse: there is no row to complete."""
        raise LabRefused(
            f"{task_id} has no row of its own in {lab.root}: its thread and its file are all there is."
        )

    def forget(self, lab: Workspace, task_id: str) -> None:
        """Refuse: there is no row to delete; `lab clean` empties its folder."""
        way_on = next_command(lab, "lab", "clean", task_id)
        raise LabRefused(f"{task_id} has no row of its own: `{way_on}` empties its folder.")

    def before_resume(self, lab: Workspace, task_id: str) -> Sequence[Check]:
        """Check that the file is there."""
        target = self.folder(lab, task_id) / TARGET
        return (Check("file there", target.is_file(), lab.relative(target)),)


def _unfinished(lab: Workspace, task_id: str) -> tuple[str, str | None]:
    """Return how a patch that is not applied stands, and why, by its thread alone."""
    database = open_database(str(lab.database))
    with database.reading() as connection:
        row = threads.one(connection, database, task_id)
    if row is not None and row.pending_tasks:
        return "waiting_confirmation", None
    found = remembered(lab, task_id)
    if found is not None and found.values.get("approved") is False:
        return "failed", "declined by the operator"
    return "pending", None


AGENT = PatchAgent()
