"""Hold a task's truths against each other after a crash, and put right what is safe to put right.

Nothing is deleted, no row, no checkpoint, no file: a remedy records what is there, runs a step that is safe
to run again, or leaves it to a person.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..desk import Desk
from ..hosting.events import HostError
from ..questions import Refused
from .carrying_on import go_on, situation_of, told
from .registry import Agent, Finding, LabRefused, Status, agent_of, agents
from .starting import run
from .workspace import Workspace

ROUNDS = 3
"""A recorded completion may leave a thread that has to end, which is the next round's finding."""


@dataclass(frozen=True, slots=True)
class Recovered:
    """A finding and what was done about it."""

    finding: Finding
    is_done: bool
    outcome: str


def find(lab: Workspace, desk: Desk, task_id: str | None = None) -> tuple[Finding, ...]:
    """Return what does not agree, of one task or of all."""
    found: list[Finding] = []
    for agent in agents():
        for one in agent.tasks(lab):
            if task_id in (None, one):
                found += findings_of(lab, desk, agent, one)
    return tuple(found)


def failed_tasks(lab: Workspace, task_id: str | None = None) -> list[Status]:
    """Return the tasks whose own records say that they failed, of one or of all."""
    tasks = [
        agent.status(lab, one) for agent in agents() for one in agent.tasks(lab) if task_id in (None, one)
    ]
    return [status for status in tasks if status.status == "failed"]


def findings_of(lab: Workspace, desk: Desk, agent: Agent, task_id: str) -> tuple[Finding, ...]:
    """Return what does not agree about one task; a decision of unknown end comes before everything else."""
    thread_id = agent.status(lab, task_id).thread_id
    open_ended = [
        Finding(task_id, thread_id, f"a decision is {one.decision.state}", one.evidence, "hand to a human")
        for one in desk.deciding.unsettled(thread_id)
        if one.decision.state in ("recorded", "unknown")
    ]
    return tuple(open_ended or agent.findings(lab, task_id, situation_of(desk, thread_id)))


def recover(lab: Workspace, desk: Desk, task_id: str | None = None) -> tuple[Recovered, ...]:
    """Apply each finding's remedy, until nothing is left that is safe to do."""
    done: list[Recovered] = []
    for _ in range(ROUNDS):
        tried = {one.finding for one in done}
        todo = [
            one for one in find(lab, desk, task_id) if one.remedy != "hand to a human" and one not in tried
        ]
        if not todo:
            break
        done += [_apply(lab, desk, finding) for finding in todo]
    left = [one for one in find(lab, desk, task_id) if one.remedy == "hand to a human"]
    return (*done, *(Recovered(finding, False, "left to you") for finding in left))


def _apply(lab: Workspace, desk: Desk, finding: Finding) -> Recovered:
    try:
        return Recovered(finding, True, _REMEDIES[finding.remedy](lab, desk, finding))
    except (LabRefused, Refused, HostError) as error:
        return Recovered(finding, False, str(error))


def _record(lab: Workspace, _: Desk, finding: Finding) -> str:
    agent_of(lab, finding.task_id).record_completion(lab, finding.task_id)
    return "completion recorded"


def _run_again(lab: Workspace, desk: Desk, finding: Finding) -> str:
    desk.load_graphs()
    agent = agent_of(lab, finding.task_id)
    return told(go_on(desk, desk.thread(finding.thread_id), agent.name))


def _begin(lab: Workspace, _: Desk, finding: Finding) -> str:
    agent = agent_of(lab, finding.task_id)
    stand = run(lab, agent, finding.thread_id, agent.again(lab, finding.task_id), lambda _: None)
    return f"begun; next: {', '.join(stand.next) or 'nothing'}"


_REMEDIES: dict[str, Callable[[Workspace, Desk, Finding], str]] = {
    "record completion": _record,
    "run the safe step again": _run_again,
    "begin": _begin,
}
