"""A node that fails says so in its task's rows: one that claims to run would mislead whoever looks."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

from langgraph.errors import GraphBubbleUp

Node = TypeVar("Node", bound=Callable[..., Any])


def fails_step(step_no: int) -> Callable[[Node], Node]:
    """Write down why a node failed, as the error of its step and its task; the error goes on.

    The node is a method of an object with `tasks`, and its state has a `task_id`.
    """

    def around(node: Node) -> Node:
        @functools.wraps(node)
        def told(self: Any, state: Any) -> Any:
            try:
                return node(self, state)
            except GraphBubbleUp:
                raise
            except Exception as error:  # whatever stops it, the task's rows say why; the error goes on
                self.tasks.fail_step(state["task_id"], step_no, str(error) or type(error).__name__)
                raise

        return cast(Node, told)

    return around
