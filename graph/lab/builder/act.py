"""Do one call, or say why not; whatever happens, the model gets a result for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Literal

from langgraph.errors import GraphBubbleUp

from agent_lab_tui.store.lab.runs import Runs

from ... import gate
from ..workspace import Workspace
from .environment import restore
from .folder import Folder, ToolFailed
from .perform import perform
from .run import Spent, key_of
from .state import BuilderState, CallState
from .tool import Arguments, Bench
from .toolbox import TOOLS
from .words import REJECTED

MOST_REPEATS = 3
"""The very same calls, made this often in a row, are not run again."""

_PARTS = ("deps/", "dist/")
"""Where the files lie that later steps count on."""


@dataclass(frozen=True, slots=True)
class Told:
    """What became of a call, and what the model is told."""

    outcome: Literal["done", "edited", "rejected", "failed"]
    text: str
    files: dict[str, str | None] = field(default_factory=dict)


def bench_of(lab: Workspace, state: CallState) -> Bench:
    """Return where a call works."""
    run = state["run"]
    key = key_of(run["run_id"], state["step"], state["number"])
    return Bench(lab, Folder.of(lab, run["run_id"]), run["variables"], key)


def act(lab: Workspace, state: CallState) -> BuilderState:
    """Run a call that may run, once; a run that cannot go on is marked as failed."""
    started = monotonic()
    run_id = state["run"]["run_id"]
    try:
        told = _told(lab, state)
    except GraphBubbleUp:
        raise
    except Exception as error:
        # Whatever stops it, the run's row says why; the error goes on.
        Runs(lab.database).change(run_id, "failed", f"{type(error).__name__}: {error}")
        raise
    tool = TOOLS.get(state["call"]["name"])
    result = {
        "text": told.text,
        "status": "error" if told.outcome in ("rejected", "failed") else "success",
        "grade": tool.grade.value if tool else None,
        "outcome": told.outcome,
    }
    return {
        "ready": {key_of(run_id, state["step"], state["number"]): result},
        "parts": _parts(lab, state, told),
        "spent": Spent(seconds=monotonic() - started),
    }


def _told(lab: Workspace, state: CallState) -> Told:
    restore(lab, state["run"], state["known"])
    call, verdict = state["call"], state["verdict"]
    if verdict and verdict["kind"] == "reject":
        return Told("rejected", f"{REJECTED}: {verdict['text'] or 'no reason was given'}. Find another way.")
    if state["repeats"] >= MOST_REPEATS:
        return Told("failed", f"Not run: the same calls {state['repeats']} times in a row.")
    if call["name"] not in TOOLS:
        return Told("failed", f"Not run: there is no tool {call['name']}, only {', '.join(TOOLS)}.")
    is_edited = bool(verdict and verdict["kind"] == "edit")
    try:
        kept = _perform(lab, state, verdict["arguments"] if verdict else call["args"])
    except (ToolFailed, gate.Stopped) as failed:
        return Told("failed", f"Not done: {failed}.")
    if is_edited:
        note = f"A person changed the arguments to {verdict and verdict['arguments']}. "
        return Told("edited", note + kept["text"], kept["files"])
    return Told("done", kept["text"], kept["files"])


def _perform(lab: Workspace, state: CallState, arguments: Arguments) -> dict[str, Any]:
    tool = TOOLS[state["call"]["name"]]
    run_id = state["run"]["run_id"]
    return perform(tool, bench_of(lab, state), run_id, state["step"], tool.checked(arguments))


def _parts(lab: Workspace, state: CallState, told: Told) -> dict[str, str | None]:
    """Return the parts this call made, and those it took away on purpose."""
    made: dict[str, str | None] = {
        name: digest for name, digest in told.files.items() if name.startswith(_PARTS)
    }
    if state["call"]["name"] == "remove_folder" and told.outcome in ("done", "edited"):
        folder = Folder.of(lab, state["run"]["run_id"])
        made |= {name: None for name in state["known"] if folder.digest(name) is None}
    return made
