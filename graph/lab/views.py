"""A task's own records as plain values, as `lab status` prints them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agent_lab_tui.store.effects import Effect, Effects
from agent_lab_tui.store.lab.tasks import Step, Task

from .registry import Check
from .workspace import Workspace


def step_view(step: Step) -> Mapping[str, Any]:
    """Return a step."""
    return {
        "step_no": step.step_no,
        "tool_name": step.tool_name,
        "status": step.status,
        "idempotency_key": step.key,
        "arguments": step.arguments,
        "result": step.result,
        "error": step.error,
        "started_at": step.started_at,
        "finished_at": step.finished_at,
    }


def effect_view(effect: Effect) -> Mapping[str, Any]:
    """Return an effect."""
    return {
        "key": effect.key,
        "operation": effect.operation,
        "state": effect.state,
        "attempt": effect.attempt,
        "result": effect.result,
        "note": effect.note,
        "started_at": effect.started_at,
        "changed_at": effect.changed_at,
    }


def effects_of(lab: Workspace, task_id: str) -> tuple[Mapping[str, Any], ...]:
    """Return the effects of a task; its keys start with its id and a colon."""
    return tuple(effect_view(effect) for effect in Effects(lab.ledger).all(f"{task_id}:"))


def files_of(lab: Workspace, folder: Path) -> tuple[str, ...]:
    """Return the files in a folder, those left over from a killed write apart."""
    if not folder.is_dir():
        return ()
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    return tuple(lab.relative(path) for path in found if path.suffix != ".tmp")


def row_check(task: Task) -> Check:
    """Return the proof that the business row is completed."""
    error = f", {task.error}" if task.error else ""
    return Check("task row completed", task.status == "completed", f"status is {task.status}{error}")


def file_check(lab: Workspace, file: str) -> Check:
    """Return the proof that an artefact is there and not empty."""
    path = lab.root / file
    if not path.is_file():
        return Check("report there and not empty", False, f"{file} is not there")
    size = path.stat().st_size
    return Check("report there and not empty", size > 0, f"{file}, {size} bytes")
