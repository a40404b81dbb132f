"""A run as `lab status` prints it: its calls, each with a word for where it stands, and its budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agent_lab_tui.store.lab.runs import CallRow

from ..workspace import Workspace
from .budget import left_of
from .folder import Folder
from .memory import Remembered
from .plan import read_plan


def standing(call: CallRow, told: frozenset[str]) -> str:
    """Say where a call stands."""
    if call.state == "started":
        return "begun, no outcome kept"
    if call.key.endswith(":rebuilt"):
        return "rebuilt"
    if call.key in told:
        return "failed" if call.state == "failed" else "done"
    # Results enter the conversation in the order of the calls, so a fast one waits for a slow one before it.
    return "finished, waits for its turn"


def call_views(calls: Sequence[CallRow], found: Remembered | None) -> tuple[Mapping[str, Any], ...]:
    """Return every execution of a call."""
    told = found.told if found else frozenset()
    return tuple(
        {
            "step_no": call.step,
            "tool_name": call.tool,
            "status": standing(call, told),
            "idempotency_key": call.key,
            "arguments": call.arguments,
            "result": call.outcome if call.state == "ready" else None,
            "error": call.outcome["text"] if call.state == "failed" else None,
            "started_at": call.started_at,
            "finished_at": call.finished_at,
        }
        for call in calls
    )


def budget_view(lab: Workspace, run_id: str, found: Remembered | None) -> Mapping[str, Any]:
    """Return what is used of each limit, and the plan."""
    plan = read_plan(Folder.of(lab, run_id)).splitlines()
    if found is None:
        return {"plan": plan}
    used = {name: left_of(name, found.limits, found.spent) for name in ("steps", "tokens", "seconds")}
    repeats = found.values.get("repeats") or 0
    return {"budget": used, "plan": plan, "repeats": repeats, "checkpoint_id": found.checkpoint_id}
