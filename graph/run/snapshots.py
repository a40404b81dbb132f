"""What LangGraph says of a thread, as JSON: the same shapes that the rows are read into."""

from __future__ import annotations

from typing import Any

from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.types import Interrupt, PregelTask, StateSnapshot

from agent_lab_tui.store.values import decode, to_json

Json = Any


class Shown:
    """Turns LangGraph's records into JSON-able ones by way of their stored form."""

    def __init__(self, serde: SerializerProtocol) -> None:
        self._serde = serde

    def value(self, value: Any) -> Json:
        """Return a value as `store.values.to_json` shows it; what cannot be stored is shown by its repr."""
        try:
            return to_json(decode(*self._serde.dumps_typed(value)))
        except Exception as error:  # noqa: BLE001 - a user's object decides what it raises; it is shown, not lost
            return f"{value!r} ({type(error).__name__})"[:2000]

    def snapshot(self, snapshot: StateSnapshot, *, has_values: bool = True) -> dict[str, Json]:
        """Return a snapshot: its place in the tree, values, next nodes, tasks and questions.

        Args:
            snapshot: What LangGraph says.
            has_values: Without, states are left out, and of the tasks' results all but the keys.
        """
        configurable = snapshot.config.get("configurable", {})
        metadata = dict(snapshot.metadata or {})
        parent = (snapshot.parent_config or {}).get("configurable", {})
        return {
            "thread_id": configurable.get("thread_id"),
            "checkpoint_id": configurable.get("checkpoint_id"),
            "checkpoint_ns": configurable.get("checkpoint_ns", ""),
            "parent_id": parent.get("checkpoint_id"),
            "step": metadata.get("step"),
            "source": metadata.get("source"),
            "created_at": snapshot.created_at,
            "metadata": self.value(metadata),
            "values": self.value(snapshot.values) if has_values else None,
            "next": list(snapshot.next),
            "tasks": [self._task(task, has_values=has_values) for task in snapshot.tasks],
            "questions": [self._question(question) for question in snapshot.interrupts],
        }

    def _task(self, task: PregelTask, *, has_values: bool) -> dict[str, Json]:
        return {
            "id": task.id,
            "name": task.name,
            "error": None if task.error is None else _error_text(task.error),
            "questions": [self._question(question) for question in task.interrupts],
            "result": self.value(task.result) if has_values else _keys(task.result),
            "is_finished": task.result is not None,
        }

    def _question(self, question: Interrupt) -> dict[str, Json]:
        schema = getattr(question, "response_schema", None)
        return {"id": question.id, "value": self.value(question.value), "schema": self.value(schema)}


def _keys(result: Any) -> Json:
    return dict.fromkeys(result) if isinstance(result, dict) else None


def _error_text(error: Any) -> str:
    return error if isinstance(error, str) else repr(error)
