"""One tool call: a small graph that asks where its grade asks, and then does it once.

Asking, asking again, explaining and acting are nodes of their own: an answer is safe in the call's own
checkpoint before anything is done, so a kill while it is done asks nobody the same question again.
"""

from __future__ import annotations

from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from agent_lab_tui.store.runs import Runs

from ... import gate
from .. import crash
from ..workspace import Workspace
from .act import act, bench_of
from .models import ModelOf, tokens_of
from .run import Spent
from .state import CallResult, CallState
from .toolbox import TOOLS


class CallNodes:
    """The nodes of a call, bound to one lab."""

    def __init__(self, lab: Workspace, models: ModelOf) -> None:
        self._lab = lab
        self._models = models
        self._runs = Runs(lab.database)

    def route(self, state: CallState) -> str:
        """Ask first where the tool's grade asks; a call that cannot run is only answered."""
        tool = TOOLS.get(state["call"]["name"])
        is_sound = tool is not None and tool.problem(state["call"]["args"]) is None
        return "ask" if tool and is_sound and tool.grade.asks else "act"

    def ask(self, state: CallState) -> CallState:
        """Ask a person; everything before the question may be repeated."""
        tool, bench, arguments = (
            TOOLS[state["call"]["name"]],
            bench_of(self._lab, state),
            state["call"]["args"],
        )
        self._runs.change(state["run"]["run_id"], "waiting_confirmation")
        said = [state["reason"], *state.get("explained", [])]
        verdict = gate.ask(
            tool.name,
            arguments,
            reason="\n".join(line for line in said if line) or None,
            impact=tool.impact(bench, arguments) if tool.impact else None,
            risk=tool.grade.risk,
            key=bench.key,
            schema=tool.schema,
            check=tool.problem,
            rest={"grade": tool.grade.value, "step": state["step"]},
        )
        crash.point("ask:answered")
        return {"verdict": _as_stored(verdict)}

    def after_ask(self, state: CallState) -> str:
        """Explain, ask a second time before something is destroyed, or act."""
        kind = state["verdict"]["kind"]
        if kind == "explain":
            return "explain"
        return "confirm" if kind != "reject" and TOOLS[state["call"]["name"]].grade.asks > 1 else "act"

    def explain(self, state: CallState) -> CallState:
        """Let the model say more; nothing is run."""
        run = state["run"]
        model = self._models(run["model"], self._lab, run["run_id"], run["project"])
        reply = model.explain(state["call"], state["reason"], state["verdict"]["text"])
        return {"explained": [str(reply.text)], "spent": Spent(tokens=tokens_of(reply))}

    def confirm(self, state: CallState) -> CallState:
        """Ask a second time, with what would be destroyed as it is now."""
        first, bench = state["verdict"], bench_of(self._lab, state)
        tool, arguments = TOOLS[state["call"]["name"]], first["arguments"]
        again = "It was approved once; because it destroys something, it is asked a second time."
        self._runs.change(state["run"]["run_id"], "waiting_confirmation")
        verdict = gate.ask(
            tool.name,
            arguments,
            reason=f"{again} {state['reason']}".strip(),
            impact=tool.impact(bench, arguments) if tool.impact else None,
            risk="critical",
            key=bench.key,
            allowed=("approve", "reject"),
            rest={"grade": tool.grade.value, "step": state["step"], "asked": "the second time"},
        )
        crash.point("confirm:answered")
        return {"verdict": first if verdict.may_run else _as_stored(verdict)}

    def act(self, state: CallState) -> CallResult:
        """Do it once, or tell the model why not."""
        return act(self._lab, state)


def _as_stored(verdict: gate.Verdict) -> dict[str, Any]:
    return {"kind": verdict.kind, "arguments": dict(verdict.arguments), "text": verdict.text}


def build_call(lab: Workspace, models: ModelOf) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return the graph of one call; its checkpoints belong to the run's thread."""
    nodes = CallNodes(lab, models)
    builder = StateGraph(CallState, output_schema=CallResult)
    builder.add_node("ask", nodes.ask)
    builder.add_node("explain", nodes.explain)
    builder.add_node("confirm", nodes.confirm)
    builder.add_node("act", nodes.act)
    builder.add_conditional_edges(START, nodes.route, ["ask", "act"])
    builder.add_conditional_edges("ask", nodes.after_ask, ["explain", "confirm", "act"])
    builder.add_edge("explain", "ask")
    builder.add_edge("confirm", "act")
    builder.add_edge("act", END)
    return builder.compile(name="call")
