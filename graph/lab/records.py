"""What the agents with a row in `tasks` have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from agent_lab_tui.store.lab.tasks import Task, TaskExists, Tasks

from .judging import Artefact, judge
from .registry import Check, Finding, LabRefused, LabUsage, NoSuchTask, Start, Status
from .views import effects_of, files_of, row_check, step_view
from .workspace import Workspace, checked_id


class AgentWithRows(ABC):
    """What the lab knows alike of every agent that has a row in `tasks` for each of its tasks."""

    name: str

    def tasks(self, lab: Workspace) -> Sequence[str]:
        """Return the ids of its tasks, oldest first."""
        return Tasks(lab.database).ids(self.name)

    def task_on(self, lab: Workspace, thread_id: str) -> str | None:
        """Return the id of its task on a thread, None where there is none."""
        found = Tasks(lab.database).on_thread(thread_id)
        return found.task_id if found is not None and found.agent == self.name else None

    def status(self, lab: Workspace, task_id: str) -> Status:
        """Return a task's row, steps, effects and files, and what only this agent has."""
        found = task(lab, task_id)
        return Status(
            task_id=task_id,
            thread_id=found.thread_id,
            agent=self.name,
            status=found.status,
            checks=(*self.proofs(lab, task_id), row_check(found)),
            steps=tuple(step_view(step) for step in Tasks(lab.database).steps(task_id)),
            effects=effects_of(lab, task_id),
            files=files_of(lab, self.folder(lab, task_id)),
            result=found.result,
            error=found.error,
            created_at=found.created_at,
            updated_at=found.updated_at,
            expected=self.expected(lab, found),
            more={
                **self.more(lab, task_id),
                "current_step": found.current_step,
                "max_steps": found.max_steps,
            },
        )

    @abstractmethod
    def proofs(self, lab: Workspace, task_id: str) -> tuple[Check, ...]:
        """Return the proofs of completion beside the row."""

    def expected(self, lab: Workspace, found: Task) -> tuple[str, ...]:  # noqa: ARG002 - for agents that write files
        """Return the files that must be there by what the records say."""
        return ()

    def more(self, lab: Workspace, task_id: str) -> Mapping[str, Any]:  # noqa: ARG002 - for agents that have more
        """Return what only this agent has."""
        return {}

    def folder(self, lab: Workspace, task_id: str) -> Path:
        """Return the folder of what it wrote, made or not."""
        return lab.output(task_id)

    def forget(self, lab: Workspace, task_id: str) -> None:
        """Delete the rows of a task."""
        Tasks(lab.database).forget(task_id)


def create(lab: Workspace, agent: str, start: Start, task_input: str, max_steps: int) -> None:
    """Add the row of a new task.

    Raises:
        LabRefused: The task or its thread is there already; nothing was changed.
    """
    try:
        Tasks(lab.database).create(
            checked_id(start.task_id), agent, start.thread_id, task_input, start.max_steps or max_steps
        )
    except TaskExists as error:
        if str(error) == "thread_id" and Tasks(lab.database).find(start.task_id) is None:
            raise LabRefused(f"The thread {start.thread_id} belongs to another task.") from error
        way_on = f"`agent-lab-tui lab resume {start.task_id}` carries it on"
        raise LabRefused(f"The task {start.task_id} exists already: {way_on}.") from error


def task(lab: Workspace, task_id: str) -> Task:
    """Return a task that must be there.

    Raises:
        NoSuchTask: There is none of that id.
    """
    found = Tasks(lab.database).find(task_id)
    if found is None:
        raise NoSuchTask(f"There is no task {task_id} in {lab.root}.")
    return found


def findings(found: Task, situation: str | None, artefact: Artefact, evidence: str) -> Sequence[Finding]:
    """Return what does not agree about a task."""
    judged = judge(found.status, situation, artefact)
    if judged is None:
        return ()
    sentence, remedy = judged
    seen = f"row: {found.status}; thread: {situation or 'none'}; {evidence}"
    return (Finding(found.task_id, found.thread_id, sentence, seen, remedy),)


def before_resume(lab: Workspace, task_id: str, needed: int) -> Sequence[Check]:
    """Check the budget before an answer is used up on it, and tell what an earlier run left unknown.

    Args:
        needed: How many steps the task takes in all.
    """
    found = task(lab, task_id)
    seen = f"{found.current_step} of {found.max_steps} steps used, {needed} needed"
    is_enough = needed <= found.max_steps
    way_on = f"; `agent-lab-tui lab resume {task_id} --max-steps {needed}` allows them"
    unknown = [
        f"{effect['key']} {effect['operation']}: it is looked up, else a person is asked"
        for effect in effects_of(lab, task_id)
        if effect["state"] in ("started", "unknown")
    ]
    return (
        Check("budget", is_enough, seen if is_enough else seen + way_on),
        Check("pending effects", True, "; ".join(unknown) or "none"),
    )


def allow_steps(lab: Workspace, agent: str, task_id: str, max_steps: int) -> None:
    """Raise the number of steps that a task may take.

    Raises:
        LabUsage: It may take as many already, or its agent keeps its limits elsewhere.
    """
    if Tasks(lab.database).find(task_id) is None:
        raise LabUsage(
            f"The limits of {agent} are part of its checkpoint: start a new task with higher ones."
        )
    if not Tasks(lab.database).allow(task_id, max_steps):
        raise LabUsage(f"{task_id} may take {task(lab, task_id).max_steps} steps already; name more.")
