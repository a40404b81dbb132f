"""Ask a person about a call, and let the model explain it; neither does anything to the world."""

from __future__ import annotations

from typing import Any

from agent_lab_tui.store.lab.runs import Runs

from ... import gate
from .. import crash
from ..workspace import Workspace
from .act import bench_of
from .models import ModelOf, tokens_of
from .run import Spent
from .state import BuilderState, CallState
from .toolbox import TOOLS

_AGAIN = "It was approved once; because it destroys something, it is asked a second time."


class AskingNodes:
    """The nodes that ask and explain, bound to one lab.

    Asking and doing are nodes of their own: an answer is safe in the thread before anything is done, so a
    kill while it is done asks nobody the same question again.
    """

    def __init__(self, lab: Workspace, models: ModelOf) -> None:
        self._lab = lab
        self._models = models

    def ask(self, state: CallState) -> BuilderState:
        """Ask, the first or the second time; everything before the question may be repeated."""
        tool, bench, before = TOOLS[state["call"]["name"]], bench_of(self._lab, state), state["verdict"]
        Runs(self._lab.database).change(state["run"]["run_id"], "waiting_confirmation")
        arguments = before["arguments"] if before else state["call"]["args"]
        said = [_AGAIN if before else "", state["reason"], *state["explained"]]
        verdict = gate.ask(
            tool.name,
            arguments,
            reason="\n".join(line for line in said if line) or None,
            impact=tool.impact(bench, arguments) if tool.impact else None,
            risk=tool.grade.risk,
            key=bench.key,
            allowed=("approve", "reject") if before else gate.EVERY_CHOICE,
            schema=tool.schema,
            check=tool.problem,
            rest={"grade": tool.grade.value, "step": state["step"]},
        )
        crash.point("ask:answered")
        return {"verdicts": {bench.key: _after(before, verdict)}}

    def explain(self, state: CallState) -> BuilderState:
        """Let the model say more about a call; it is asked about again, and nothing is run."""
        run, verdict = state["run"], state["verdict"] or {}
        key = bench_of(self._lab, state).key
        model = self._models(run["model"], self._lab, run["run_id"], run["project"])
        reply = model.explain(state["call"], state["reason"], verdict.get("text", ""))
        return {
            "explained": {key: [*state["explained"], str(reply.text)]},
            "verdicts": {key: None},
            "spent": Spent(tokens=tokens_of(reply)),
        }


def _after(before: dict[str, Any] | None, verdict: gate.Verdict) -> dict[str, Any]:
    """Return what is kept of an answer; a second yes leaves the first one's edit as it is."""
    if before and verdict.may_run:
        return {**before, "times": before["times"] + 1}
    kept = {"kind": verdict.kind, "arguments": dict(verdict.arguments), "text": verdict.text}
    return {**kept, "times": 1}
