"""The calls of a step: which of them are open, what each needs next, and their results in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from langgraph.types import Send

from .run import key_of
from .state import BuilderState, CallState
from .toolbox import TOOLS


def last_reply(messages: Sequence[AnyMessage]) -> AIMessage | None:
    """Return the model's newest reply."""
    return next((message for message in reversed(messages) if isinstance(message, AIMessage)), None)


def calls_of(state: BuilderState) -> Iterator[tuple[str, CallState]]:
    """Yield the calls of the newest reply that the conversation has no results for yet, with their keys."""
    messages = state.get("messages", [])
    reply = last_reply(messages)
    if reply is None or not reply.tool_calls or messages[-1] is not reply:
        return
    step, run_id = state["spent"]["steps"], state["run"]["run_id"]
    for number, call in enumerate(reply.tool_calls, start=1):
        key = key_of(run_id, step, number)
        yield (
            key,
            CallState(
                run=state["run"],
                step=step,
                number=number,
                call={"id": call["id"] or key, "name": call["name"], "args": call["args"]},
                reason=str(reply.text),
                repeats=state.get("repeats", 0),
                known=state.get("parts", {}),
                verdict=state.get("verdicts", {}).get(key),
                explained=state.get("explained", {}).get(key, []),
            ),
        )


def open_tasks(state: BuilderState) -> list[Send]:
    """Return a task for each call that has no result yet: to be asked about, explained, or run."""
    ready = state.get("ready", {})
    return [Send(_needs(call), call) for key, call in calls_of(state) if key not in ready]


def _needs(call: CallState) -> str:
    tool, verdict = TOOLS.get(call["call"]["name"]), call["verdict"]
    if tool is None or tool.problem(call["call"]["args"]) or not tool.grade.asks:
        return "tools"
    if verdict is None:
        return "ask"
    if verdict["kind"] == "explain":
        return "explain"
    is_settled = verdict["kind"] == "reject" or verdict["times"] >= tool.grade.asks
    return "tools" if is_settled else "ask"


def results_in_order(state: BuilderState) -> tuple[list[ToolMessage], BuilderState]:
    """Return the results of the step in the order of the calls, and what the state takes in and drops."""
    messages: list[ToolMessage] = []
    records: list[dict[str, Any]] = []
    for key, call in calls_of(state):
        result = state["ready"][key]
        name, number = call["call"]["name"], call["call"]["id"]
        messages.append(
            ToolMessage(result["text"], tool_call_id=number, name=name, id=key, status=result["status"])
        )
        records.append({"key": key, "tool": name, "grade": result["grade"], "outcome": result["outcome"]})
    taken: BuilderState = {"messages": list(messages)} if messages else {}
    if records:
        taken["calls"] = records
    if state.get("ready"):
        taken["ready"] = dict.fromkeys(state["ready"])
    if state.get("verdicts"):
        taken["verdicts"] = dict.fromkeys(state["verdicts"])
    if state.get("explained"):
        taken["explained"] = dict.fromkeys(state["explained"])
    return messages, taken


def signature(message: AIMessage) -> list[tuple[str, dict[str, Any]]]:
    """Return what makes two replies the same."""
    return [(call["name"], call["args"]) for call in message.tool_calls]
