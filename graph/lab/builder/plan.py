"""The plan of a run: a file the next process or the next session reads, ticked off by what is there."""

from __future__ import annotations

import json
from typing import Any

from ..workspace import replace_file
from .depot import PROJECTS
from .folder import Folder

FILE = "plan.json"


def plan_for(project: str) -> list[dict[str, Any]]:
    """Return the plan of a new run; each item is done when its file is there, whatever anybody says."""
    parts = [
        {"item": f"build and install {part}", "done_when": f"deps/{part}.lib"} for part in PROJECTS[project]
    ]
    return [*parts, {"item": f"pack {project}", "done_when": f"dist/{project}.pkg"}]


def write_plan(folder: Folder, plan: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Tick off what is there, write the file, and return the plan as it stands now."""
    now = [{**item, "is_done": folder.digest(item["done_when"]) is not None} for item in plan]
    text = json.dumps(now, indent=1) + "\n"
    path = folder.root / FILE
    if not path.exists() or path.read_text("utf-8") != text:
        replace_file(path, text)
    return now


def read_plan(folder: Folder) -> str:
    """Return the plan in the file, one line an item, as the model and a person read it."""
    path = folder.root / FILE
    if not path.exists():
        return "(there is no plan)"
    items = json.loads(path.read_text("utf-8"))
    return "\n".join(f"[{'x' if item['is_done'] else ' '}] {item['item']}" for item in items)


def open_items(plan: list[dict[str, Any]]) -> tuple[str, ...]:
    """Return what is not done yet."""
    return tuple(item["item"] for item in plan if not item.get("is_done"))
