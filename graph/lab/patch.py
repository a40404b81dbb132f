"""The smallest agent a desk can approve safely: propose a patch, ask, apply it once.

Three nodes, because the asking one runs again from its top when the answer comes: what stands before the
question happens twice. Here that is a line in a log, to be seen; it must never be the deed.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.pregel import Pregel

from ..gate import Evidence, NotDone, ask, done, not_done, once
from . import crash
from .patch_agent import LOG, TARGET
from .workspace import Workspace, add_line, replace_file


class PatchState(TypedDict, total=False):
    """What the thread remembers."""

    task_id: str
    patch: dict[str, str]
    approved: bool
    applied: str


def _problem(patch: Mapping[str, str], text: str, edited: Mapping[str, Any]) -> str | None:
    """Say what is wrong with an edited patch to a text.

    The file is not the operator's to choose, and whether it was applied must be seen by the file alone.
    """
    if edited.get("file") != patch["file"]:
        return f"the file stays {patch['file']}"
    old, new = edited.get("old"), edited.get("new")
    if not (isinstance(old, str) and isinstance(new, str) and len(edited) == len(patch)):
        return "a patch has file, old and new, all texts"
    if not old or text.count(old) != 1:
        return "old must stand in the file, and once"
    return None if new and new not in text else "new must be a text that the file does not hold yet"


class PatchNodes:
    """The three nodes, bound to one lab."""

    def __init__(self, lab: Workspace) -> None:
        self._lab = lab

    def propose(self, state: PatchState) -> PatchState:
        """Make the patch."""
        file = self._lab.relative(self._lab.output(state["task_id"]) / TARGET)
        return {"patch": {"file": file, "old": "option(PNG_TESTS ON)", "new": "option(PNG_TESTS OFF)"}}

    def approve(self, state: PatchState) -> PatchState:
        """Ask whether it may be applied."""
        add_line(self._lab.output(state["task_id"]) / LOG, "the asking node begins")
        verdict = ask(
            "apply_patch",
            state["patch"],
            reason="The tests of libpng need a display, which the build machine has not.",
            impact="Changes one line of one file; the reverse patch takes it back.",
            risk="medium",
            key=f"{state['task_id']}:apply",
            allowed=("approve", "edit", "reject"),
            check=partial(
                _problem, state["patch"], (self._lab.root / state["patch"]["file"]).read_text("utf-8")
            ),
        )
        return {"patch": dict(verdict.arguments), "approved": verdict.may_run}

    def after_approve(self, state: PatchState) -> str:
        """Apply it, or end."""
        return "apply" if state["approved"] else END

    def apply(self, state: PatchState) -> PatchState:
        """Apply it once."""
        patch = state["patch"]
        target = self._lab.root / patch["file"]

        def change() -> str:
            text = target.read_text("utf-8")
            if text.count(patch["old"]) != 1:
                raise NotDone(f"{patch['file']} has changed since it was asked about: nothing was done")
            crash.point("patch:before-write")
            replace_file(target, text.replace(patch["old"], patch["new"]))
            crash.point("patch:after-write")
            return "applied"

        def look() -> Evidence:
            is_there = patch["new"] in target.read_text("utf-8")
            return done("applied", "the new line is there") if is_there else not_done("the old line is there")

        key = f"{state['task_id']}:apply"
        applied = once(key, "apply_patch", patch, change, look, ledger=self._lab.ledger)
        crash.point("patch:recorded")
        return {"applied": applied}


def build(lab: Workspace) -> Pregel[Any, Any, Any, Any]:
    """Return the graph, compiled without a saver."""
    nodes = PatchNodes(lab)
    builder = StateGraph(PatchState)
    builder.add_node("propose", nodes.propose)
    builder.add_node("approve", nodes.approve)
    builder.add_node("apply", nodes.apply)
    builder.add_edge(START, "propose")
    builder.add_edge("propose", "approve")
    builder.add_conditional_edges("approve", nodes.after_approve, ["apply", END])
    builder.add_edge("apply", END)
    return builder.compile(name="patch")
