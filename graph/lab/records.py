"""What the agents with a row in `tasks` have in common."""

from __future__ import annotations

from collections.abc import Sequence

from agent_lab_tui.store.lab.tasks import Task, TaskExists, Tasks

from .judging import Artefact, judge
from .registry import Check, Finding, LabRefused, LabUsage, NoSuchTask, Start
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
