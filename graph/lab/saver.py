"""LangGraph's SQLite saver with places to die at, to see what a kill between two of its writes leaves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata
from langgraph.checkpoint.sqlite import SqliteSaver

from . import crash


class LabSaver(SqliteSaver):
    """The saver as it is; `stored-writes` is between a node's stored writes and the next checkpoint.

    `checkpoint` is between a checkpoint and whatever comes next.
    """

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint."""
        stored = super().put(config, checkpoint, metadata, new_versions)
        crash.point("checkpoint")
        return stored

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Store the writes of a task."""
        super().put_writes(config, writes, task_id, task_path)
        crash.point("stored-writes")
