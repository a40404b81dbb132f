"""The builder's loop: the model speaks, its calls run side by side, and acceptance looks for itself."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage
from langgraph.graph import END, START, StateGraph
from langgraph.pregel import Pregel
from langgraph.types import Send

from agent_lab_tui.store.lab.runs import Runs

from .. import crash
from ..workspace import Workspace
from . import acceptance
from .act import act
from .asking import AskingNodes
from .budget import MAX_STEPS, exceeded, recursion_limit
from .calls import last_reply, open_tasks, results_in_order, signature
from .environment import restore
from .folder import Folder
from .models import ModelOf, model_of, tokens_of
from .plan import open_items, read_plan, write_plan
from .run import Spent
from .state import BuilderState, CallState
from .words import NOT_ACCEPTED, PROMPT

NEARLY_OUT = 2
"""With so few super-steps left the run says in words why it ends, before LangGraph ends it."""


class RoutingLoop(Exception):
    """The loop turned without getting on, up to the limit of super-steps."""


class BuilderNodes:
    """The nodes of the loop, bound to one lab."""

    def __init__(self, lab: Workspace, models: ModelOf) -> None:
        self._lab = lab
        self._models = models
        self._runs = Runs(lab.database)

    def model(self, state: BuilderState) -> BuilderState:
        """Let the model take its next step, once every call of the last one has its result."""
        if open_tasks(state):
            return {}
        results, taken = results_in_order(state)
        run_id, started = state["run"]["run_id"], monotonic()
        if reason := exceeded(state["limits"], state.get("spent", {})):
            self._runs.change(run_id, "budget_exceeded", reason)
            return {**taken, "status": "budget_exceeded", "stopped_by": reason}
        self._runs.change(run_id, "running")
        try:
            plan, reply = self._step(state, results)
        except Exception as error:
            # Whatever stops it, the run's row says why; the error goes on.
            self._runs.change(run_id, "failed", f"{type(error).__name__}: {error}")
            raise
        crash.point("model:replied")
        is_step = bool(reply.tool_calls or reply.text)
        reply.id = f"{run_id}:step-{state.get('spent', {}).get('steps', 0) + 1}"
        if state["status"] != "running":
            taken["status"] = "running"
        return {
            **taken,
            "messages": [*results, *([reply] if is_step else [])],
            "plan": plan,
            "repeats": _repeats(state, reply),
            "spent": Spent(steps=int(is_step), tokens=tokens_of(reply), seconds=monotonic() - started),
        }

    def after_model(self, state: BuilderState) -> str | list[Send]:
        """Ask about the calls and run them, one task each; judge when there are none."""
        if state["status"] == "budget_exceeded":
            return END
        if tasks := open_tasks(state):
            return tasks
        # An empty reply is no step: the model is asked again, up to the limit of super-steps.
        messages = state.get("messages", [])
        return "acceptance" if messages and isinstance(messages[-1], AIMessage) else "model"

    def tools(self, state: CallState) -> BuilderState:
        """Do one call once, or say why not."""
        return act(self._lab, state)

    def acceptance(self, state: BuilderState) -> BuilderState:
        """Look whether the artefact is there; the model's word counts for nothing."""
        run = state["run"]
        folder = Folder.of(self._lab, run["run_id"])
        found = acceptance.judge(folder, run)
        still_open = open_items(state["plan"])
        if found.is_accepted and not still_open:
            artefact = {"file": found.file, "sha256": found.digest or ""}
            self._runs.change(run["run_id"], "completed", result=artefact)
            crash.point("acceptance:recorded")
            return {"status": "completed", "artefact": artefact}
        problems = [*found.problems, *(f"not done: {item}" for item in still_open)]
        number = f"{run['run_id']}:acceptance-{state['spent']['steps']}"
        return {"messages": [HumanMessage(f"{NOT_ACCEPTED}: {'; '.join(problems)}.", id=number)]}

    def after_acceptance(self, state: BuilderState) -> str:
        """End, or let the model go on."""
        return END if state["status"] == "completed" else "model"

    def _step(
        self, state: BuilderState, results: Sequence[AnyMessage]
    ) -> tuple[list[dict[str, Any]], AIMessage]:
        if state["remaining"] <= NEARLY_OUT:
            limit = recursion_limit(state["limits"]["steps"])
            raise RoutingLoop(
                f"The loop was ended at its limit of {limit} super-steps (max_steps x 2 + 10):"
                " it turned without getting on. Look why; go-on gives it as many again."
            )
        run = state["run"]
        restore(self._lab, run, state.get("parts", {}))
        folder = Folder.of(self._lab, run["run_id"])
        plan = write_plan(folder, state["plan"])
        prompt = SystemMessage(PROMPT.format(project=run["project"], plan=read_plan(folder)))
        model = self._models(run["model"], self._lab, run["run_id"], run["project"])
        return plan, model.reply([prompt, *state.get("messages", []), *results])


def _repeats(state: BuilderState, reply: AIMessage) -> int:
    """Count how often in a row the very same calls were made, this time included."""
    if not reply.tool_calls:
        return 0
    last = last_reply(state.get("messages", []))
    is_same = last is not None and signature(last) == signature(reply)
    return state.get("repeats", 0) + 1 if is_same else 1


def build(lab: Workspace, models: ModelOf = model_of) -> Pregel[Any, Any, Any, Any]:
    """Return the graph, compiled without a saver.

    Args:
        models: Where a run gets its model from.
    """
    nodes, asking = BuilderNodes(lab, models), AskingNodes(lab, models)
    builder = StateGraph(BuilderState)
    builder.add_node("model", nodes.model)
    builder.add_node("ask", asking.ask, input_schema=CallState)
    builder.add_node("explain", asking.explain, input_schema=CallState)
    builder.add_node("tools", nodes.tools, input_schema=CallState)
    builder.add_node("acceptance", nodes.acceptance)
    builder.add_edge(START, "model")
    builder.add_conditional_edges(
        "model", nodes.after_model, ["ask", "explain", "tools", "acceptance", "model", END]
    )
    for node in ("ask", "explain", "tools"):
        builder.add_edge(node, "model")
    builder.add_conditional_edges("acceptance", nodes.after_acceptance, ["model", END])
    graph = builder.compile(name="builder")
    return graph.with_config(recursion_limit=recursion_limit(MAX_STEPS))
