"""What does not agree in the lab: a task's row and steps, its thread, its effects and its files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from agent_lab_tui.store.files import CannotOpen

from ..checking.ailments import command
from ..checking.doctor_threads import offered
from ..deciding.settling import Settlement
from ..desk import Desk
from .judging import IN_HAND
from .looking import Look, look
from .registry import HUMAN, Agent, Finding, Status, agents
from .ways import next_command, way_on
from .workspace import Workspace


def find(lab: Workspace, desk: Desk, task_id: str | None = None) -> tuple[Finding, ...]:
    """Return what does not agree, of one task or of all; nothing is changed."""
    return tuple(_found(lab, desk, task_id))


def failed_tasks(lab: Workspace, task_id: str | None = None) -> list[Status]:
    """Return the tasks whose own records say that they failed, of one or of all."""
    return [status for _, status in statuses(lab, task_id) if status.status == "failed"]


def statuses(lab: Workspace, task_id: str | None = None) -> Iterator[tuple[Agent, Status]]:
    """Yield how tasks stand by their own records, one or all; those that cannot be read are left out."""
    for agent, _, status in _read(lab, task_id):
        if isinstance(status, Status):
            yield agent, status


def _found(lab: Workspace, desk: Desk, task_id: str | None) -> Iterator[Finding]:
    for agent, one, status in _read(lab, task_id):
        if isinstance(status, Status):
            yield from findings_of(lab, agent, status, look(desk, status.thread_id))
        else:
            damage, _, way = str(status).rstrip(".").rpartition(": ")
            yield Finding(one, one, "its records cannot be read", damage, HUMAN, way)


def _read(lab: Workspace, task_id: str | None) -> Iterator[tuple[Agent, str, Status | CannotOpen]]:
    """Yield how tasks stand by their own records, one or all; a damaged row hides nothing of the others."""
    for agent in agents():
        for one in agent.tasks(lab):
            if task_id in (None, one):
                try:
                    yield agent, one, agent.status(lab, one)
                except CannotOpen as error:
                    yield agent, one, error


def findings_of(lab: Workspace, agent: Agent, status: Status, seen: Look) -> tuple[Finding, ...]:
    """Return what does not agree about one task; a decision of unknown end comes before everything else."""
    task_id, thread_id = status.task_id, status.thread_id
    if seen.open_ended:
        return tuple(
            Finding(
                task_id, thread_id, f"a decision is {one.becomes}", one.evidence, HUMAN, _first_offer(one)
            )
            for one in seen.open_ended
        )
    found = agent.findings(lab, task_id, seen.situation) or _missing(lab, status, seen)
    return tuple(replace(one, way=one.way or way_on(lab, one, seen.situation)) for one in found)


def _first_offer(settlement: Settlement) -> str:
    return offered(settlement, settlement.offers[0]) if settlement.offers else command("journal", "show")


def _missing(lab: Workspace, status: Status, seen: Look) -> tuple[Finding, ...]:
    """Return that files are gone which the task's records name, unless it is being run."""
    gone = [name for name in status.expected if not (lab.root / name).is_file()]
    if not gone or seen.situation in IN_HAND:
        return ()
    way = next_command(lab, "lab", "resume", status.task_id)
    sentence = f"{len(gone)} file{'s' if len(gone) > 1 else ''} that it counts on missing"
    return (Finding(status.task_id, status.thread_id, sentence, ", ".join(gone), HUMAN, way),)
