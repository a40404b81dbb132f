"""Put right, after a crash, what does not agree and is safe to put right.

Nothing is deleted, no row, no checkpoint, no file: a remedy records what is there, runs a step that is safe
to run again, or leaves it to a person.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..desk import Desk
from ..hosting.events import HostError
from ..questions import Refused
from .carrying_on import go_on, told
from .finding import find, statuses
from .registry import HUMAN, Finding, LabRefused, agent_of
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


def recover(lab: Workspace, desk: Desk, task_id: str | None = None) -> tuple[Recovered, ...]:
    """Apply each finding's remedy, until nothing is left that is safe to do."""
    done: list[Recovered] = []
    for _, status in statuses(lab, task_id):
        desk.deciding.unsettled(status.thread_id)
    for _ in range(ROUNDS):
        tried = {one.finding for one in done}
        todo = [one for one in find(lab, desk, task_id) if one.remedy != HUMAN and one not in tried]
        if not todo:
            break
        done += [_apply(lab, desk, finding) for finding in todo]
    left = [one for one in find(lab, desk, task_id) if one.remedy == HUMAN]
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
