"""The builder's loop: the model speaks, its calls run side by side, and acceptance looks for itself."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage
from langgraph.graph import END, START, StateGraph
from langgraph.pregel import Pregel
from langgraph.types import Send

from agent_lab_tui.store.runs import Runs

from .. import crash
from ..workspace import Workspace
from . import acceptance
from .budget import MAX_STEPS, exceeded, recursion_limit
from .call import build_call
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
        """Let the model take its next step, if what it counts on is there and the budget allows it."""
        run_id, started = state["run"]["run_id"], monotonic()
        if reason := exceeded(state["limits"], state.get("spent", {})):
            self._runs.change(run_id, "budget_exceeded", reason)
            return {"status": "budget_exceeded", "stopped_by": reason}
        self._runs.change(run_id, "running")
        try:
            plan, reply = self._step(state)
        except Exception as error:
            self._runs.change(run_id, "failed", f"{type(error).__name__}: {error}")
            raise
        crash.point("model:replied")
        is_step = bool(reply.tool_calls or reply.text)
        reply.id = f"{run_id}:step-{state.get('spent', {}).get('steps', 0) + 1}"
        return {
            "status": "running",
            "messages": [reply] if is_step else [],
            "plan": plan,
            "repeats": _repeats(state.get("messages", []), reply, state.get("repeats", 0)),
            "spent": Spent(steps=int(is_step), tokens=tokens_of(reply), seconds=monotonic() - started),
        }

    def after_model(self, state: BuilderState) -> str | list[Send]:
        """Run the calls, one task each; judge when there are none; ask again after an empty reply."""
        if state["status"] == "budget_exceeded":
            return END
        reply = state["messages"][-1]
        if not isinstance(reply, AIMessage):
            return "model"
        return [Send("tools", call) for call in _calls(state, reply)] or "acceptance"

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

    def _step(self, state: BuilderState) -> tuple[list[dict[str, Any]], AIMessage]:
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
        return plan, model.reply([prompt, *state.get("messages", [])])


def _calls(state: BuilderState, reply: AIMessage) -> list[CallState]:
    return [
        CallState(
            run=state["run"],
            step=state["spent"]["steps"],
            number=number,
            call={"id": call["id"] or f"call-{number}", "name": call["name"], "args": call["args"]},
            reason=str(reply.text),
            repeats=state.get("repeats", 0),
            known=state.get("parts", {}),
        )
        for number, call in enumerate(reply.tool_calls, start=1)
    ]


def _repeats(messages: Sequence[AnyMessage], reply: AIMessage, before: int) -> int:
    """Count how often in a row the very same calls were made, this one included."""
    last = next((message for message in reversed(messages) if isinstance(message, AIMessage)), None)
    if not reply.tool_calls:
        return 0
    is_same = last is not None and _signature(last) == _signature(reply)
    return before + 1 if is_same else 1


def _signature(message: AIMessage) -> list[tuple[str, dict[str, Any]]]:
    return [(call["name"], call["args"]) for call in message.tool_calls]


def build(lab: Workspace, models: ModelOf = model_of) -> Pregel[Any, Any, Any, Any]:
    """Return the graph, compiled without a saver.

    Args:
        models: Where a run gets its model from.
    """
    nodes = BuilderNodes(lab, models)
    builder = StateGraph(BuilderState)
    builder.add_node("model", nodes.model)
    builder.add_node("tools", build_call(lab, models))
    builder.add_node("acceptance", nodes.acceptance)
    builder.add_edge(START, "model")
    builder.add_conditional_edges("model", nodes.after_model, ["tools", "acceptance", "model", END])
    builder.add_edge("tools", "model")
    builder.add_conditional_edges("acceptance", nodes.after_acceptance, ["model", END])
    graph = builder.compile(name="builder")
    return graph.with_config(recursion_limit=recursion_limit(MAX_STEPS))
