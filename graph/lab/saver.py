"""LangGraph's SQLite saver with a place to die at, to see what a kill between two of its writes leaves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.sqlite import SqliteSaver

from . import crash


class LabSaver(SqliteSaver):
    """The saver as it is; `stored-writes` is between a node's stored writes and the next checkpoint."""

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Store the writes of a task."""
        super().put_writes(config, writes, task_id, task_path)
        crash.point("stored-writes")
