"""What the agents with a row in `tasks` have in common."""

from __future__ import annotations

from collections.abc import Sequence

from agent_lab_tui.store.lab.tasks import Task, TaskExists, Tasks

from .judging import Artefact, judge
from .registry import Check, Finding, LabRefused, NoSuchTask, Start
from .views import effects_of
from .workspace import Workspace, checked_id


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


def tasks_of(lab: Workspace, agent: str) -> Sequence[str]:
    """Return the ids of an agent's tasks, oldest first."""
    return [found.task_id for found in Tasks(lab.database).all() if found.agent == agent]


def task_on(lab: Workspace, agent: str, thread_id: str) -> str | None:
    """Return the id of an agent's task on a thread, None where there is none."""
    found = Tasks(lab.database).on_thread(thread_id)
    return found.task_id if found is not None and found.agent == agent else None


def findings(found: Task, situation: str | None, artefact: Artefact, evidence: str) -> Sequence[Finding]:
    """Return what does not agree about a task."""
    judged = judge(found.status, situation, artefact)
    if judged is None:
        return ()
    sentence, remedy = judged
    seen = f"row: {found.status}; thread: {situation or 'none'}; {evidence}"
    return (Finding(found.task_id, found.thread_id, sentence, seen, remedy),)


def before_resume(lab: Workspace, task_id: str) -> Sequence[Check]:
    """Check the budget, and what an earlier run may have left unknown."""
    found = task(lab, task_id)
    unknown = [effect["key"] for effect in effects_of(lab, task_id) if effect["state"] == "unknown"]
    used = f"{found.current_step} of {found.max_steps} steps used"
    return (
        Check("budget left", found.current_step <= found.max_steps, used),
        Check("no effect of unknown end", not unknown, ", ".join(unknown) or "none"),
    )
