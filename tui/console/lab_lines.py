"""What the lab's commands print."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from agent_lab_tui.store.values import to_json

from ..visible import visible
from .printed import table

if TYPE_CHECKING:
    from agent_lab_tui.graph.lab.reconcile import Recovered
    from agent_lab_tui.graph.lab.registry import Finding, Status
    from agent_lab_tui.graph.lab.standing import Standing
    from agent_lab_tui.graph.reading.threads import Thread


def status_record(standing: Standing) -> dict[str, Any]:
    """Return how a task stands as `--json` prints it."""
    status = standing.status
    return {
        "task_id": status.task_id,
        "thread_id": status.thread_id,
        "agent": status.agent,
        "status": status.status,
        "is_accepted": standing.is_accepted,
        "situation": standing.situation,
        "checks": [asdict(check) for check in standing.checks],
        "steps": list(status.steps),
        "effects": list(status.effects),
        "not_done": [{"key": key, "operation": operation} for key, operation in standing.not_done],
        "files": list(status.files),
        "missing_files": [file.name for file in standing.files if file.size is None],
        "head": None if standing.head is None else asdict(standing.head),
        "findings": [finding_record(finding) for finding in standing.findings],
        "result": status.result,
        "error": status.error,
        "created_at": status.created_at,
        "updated_at": status.updated_at,
        **status.more,
    }


def finding_record(finding: Finding) -> dict[str, Any]:
    """Return a disagreement as `--json` prints it."""
    return asdict(finding)


def recovered_record(one: Recovered) -> dict[str, Any]:
    """Return what was done about a disagreement."""
    return {**finding_record(one.finding), "is_done": one.is_done, "outcome": one.outcome}


def overview_lines(standings: Sequence[Standing]) -> Iterator[str]:
    """Yield one line a task as the terminal takes it: row, thread, what it waits for or what is wrong."""
    if not standings:
        yield "There is no task yet: `agent-lab-tui lab start --help` tells how to start one."
        return
    yield from table([_OVERVIEW, *map(_row, standings)])
    if any(standing.findings for standing in standings):
        yield "! does not agree: `agent-lab-tui lab recover --dry-run` tells what, and how it is put right."


_OVERVIEW = ("TASK", "AGENT", "STATUS", "THREAD", "STEP", "WAITS FOR, OR WHAT IS WRONG")


def _row(standing: Standing) -> tuple[str, ...]:
    status, head = standing.status, standing.head
    step = "" if head is None or head.step is None else str(head.step)
    wrong = "; ".join(f"! {finding.finding}" for finding in standing.findings)
    asks = ", ".join(head.asks) if head is not None else ""
    told = wrong or asks or status.error or ""
    return status.task_id, status.agent, status.status, standing.situation or "none", step, told


def completed_lines(status: Status) -> Iterator[str]:
    """Yield that a task is completed, and its result, one line a field."""
    yield f"{status.task_id} is completed already, and nothing was run."
    result = to_json(status.result)
    for name, value in (result if isinstance(result, dict) else {"result": result}).items():
        if value is not None:
            yield f"  {name}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"


def status_lines(standing: Standing) -> Iterator[str]:
    """Yield how a task stands, for people: four truths apart, then the verdict."""
    status = standing.status
    yield f"{status.task_id}  {status.agent}, thread {status.thread_id}"
    yield f"  row     {status.status}{f': {status.error}' if status.error else ''}"
    yield f"  thread  {standing.situation or 'none'}{_place(standing)}"
    for step in status.steps:
        yield f"  step {step['step_no']}  {step['tool_name']}: {step['status']}"
    for effect in status.effects:
        doubt = f" ({effect['note']})" if effect["state"] == "unknown" else ""
        yield f"  effect  {effect['key']} {effect['operation']}: {effect['state']}{doubt}"
    for key, operation in standing.not_done:
        yield f"  effect  {key} {operation}: not done yet"
    for file in standing.files:
        yield f"  file    {file.name}{'' if file.size is not None else ': MISSING'}"
    for left in status.more.get("budget", {}).values():
        yield f"  budget  {left}"
    for item in status.more.get("plan", ()):
        yield f"  plan    {item}"
    for check in standing.checks:
        yield f"  {_sign(check.is_ok, standing)} {check.name}: {check.evidence}"
    for finding in standing.findings:
        yield f"  ! {finding.finding} ({finding.evidence}): {finding.remedy}"
        yield f"    way on  {finding.way}"
    if standing.is_waiting and not standing.is_accepted:
        yield "  not done yet: it waits for an answer"
    else:
        yield f"  {'accepted' if standing.is_accepted else 'not accepted'}"


def _place(standing: Standing) -> str:
    """Say at which step the newest checkpoint stands, and before what."""
    head = standing.head
    if head is None:
        return ""
    before = f" before {', '.join(head.next)}" if head.next else ""
    return f", step {head.step}{before}"


def _sign(is_ok: bool, standing: Standing) -> str:
    """Return the sign of a proof; what a waiting task has not done yet is no fault."""
    if is_ok:
        return "✓"
    return "·" if standing.is_waiting else "✖"


def recovered_lines(one: Recovered, *, is_dry: bool) -> Iterator[str]:
    """Yield what does not agree, by what it is seen, and what was done, or what to type where nothing was."""
    yield f"{one.finding.task_id}: {one.finding.finding}"
    yield f"  seen    {one.finding.evidence}"
    yield f"  remedy  {one.finding.remedy}{'' if is_dry else f': {one.outcome}'}"
    if is_dry:
        yield f"  way on  {one.finding.way}"


def waiting_lines(thread: Thread) -> Iterator[str]:
    """Yield what a thread waits for: operation, reason, impact."""
    for question in thread.questions:
        for operation in question.operations:
            yield f"{thread.thread_id} waits at {question.node}: {operation.name}"
            yield f"  reason  {operation.reason or 'no reason was given'}"
            yield f"  impact  {operation.impact or 'nobody says'}"


def request_lines(thread: Thread) -> Iterator[str]:
    """Yield the whole of what a thread asks, as a yes to it needs it: arguments and digest too."""
    for question in thread.questions:
        for operation in question.operations:
            yield f"{thread.thread_id} waits at {question.node}: {operation.name}"
            arguments = to_json(operation.arguments)
            fields = arguments if isinstance(arguments, dict) else {"value": arguments}
            for name, value in fields.items():
                yield f"  argument {name}: {json.dumps(value, ensure_ascii=False)}"
            yield f"  reason  {operation.reason or 'no reason was given'}"
            yield f"  impact  {operation.impact or 'nobody says'}"
            yield f"  risk    {operation.risk}"
    yield f"  digest  {thread.digest}"


def shown(lines: Iterator[str]) -> str:
    """Return lines as they may reach a terminal."""
    return "\n".join(visible(line) for line in lines)
