"""How a run is configured: what its thread was started with, what the order says, what the settings add."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from langchain_core.runnables import RunnableConfig
from pydantic import BaseModel

from ..questions import Refused
from ..settings.file import RunSettings
from .loading import Graph
from .needs import needs_context, needs_store

STRICT_SINCE = (1, 2, 20)
"""The first LangGraph with strict resume: before it, a stale answer could reach another question."""

_OF_LANGGRAPH = frozenset({"thread_id", "checkpoint_id", "checkpoint_ns", "checkpoint_map", "run_id"})


@dataclasses.dataclass(frozen=True, slots=True)
class RunConfiguration:
    """What one run is given beside its input."""

    thread_id: str
    configurable: Mapping[str, Any]
    context: Mapping[str, Any] | None
    recursion_limit: int | None

    @classmethod
    def of(
        cls,
        thread_id: str,
        started_with: Mapping[str, Any],
        options: Mapping[str, Any],
        settings: RunSettings,
    ) -> RunConfiguration:
        """Put the parts together: the order's own words win, then the thread's, then the settings'."""
        merged = {**settings.configurable, **started_with, **(options.get("configurable") or {})}
        kept = {k: v for k, v in merged.items() if k not in _OF_LANGGRAPH and not k.startswith("__")}
        context = options.get("context", settings.context)
        limit = options.get("recursion_limit") or settings.recursion_limit
        return cls(thread_id, kept, context, limit)

    def config(self, checkpoint_id: str | None = None, *, is_strict: bool = False) -> RunnableConfig:
        """Return LangGraph's form of it; a checkpoint id makes the run a replay."""
        configurable = {**self.configurable, "thread_id": self.thread_id}
        if checkpoint_id is not None:
            configurable |= {"checkpoint_id": checkpoint_id, "checkpoint_ns": ""}
        if is_strict:
            configurable["__pregel_strict_resume"] = True
        config: RunnableConfig = {"configurable": configurable}
        if self.recursion_limit:
            config["recursion_limit"] = self.recursion_limit
        return config


def check_version() -> None:
    """Refuse to decide where LangGraph cannot resume strictly.

    Raises:
        Refused: The installed LangGraph is older than 1.2.20.
    """
    found = langgraph_version()
    if _numbers(found) < STRICT_SINCE:
        needed = ".".join(map(str, STRICT_SINCE))
        raise Refused(
            f"langgraph {found} cannot tell a stale answer from a right one: install langgraph>={needed};"
            " until then the desk only reads."
        )


def langgraph_version() -> str:
    """Return the installed version of LangGraph; "0" where it has none."""
    try:
        return version("langgraph")
    except PackageNotFoundError:
        return "0"


def check_needs(name: str, graph: Graph, configuration: RunConfiguration) -> None:
    """Refuse to run a graph that lacks what its nodes will ask for: they would fail after the approval.

    Raises:
        Refused: It needs a Store, or a context that is missing or does not fit.
    """
    if needs_store(graph):
        raise Refused(
            f"The nodes of {name} use LangGraph's Store and the graph has none: its author must compile it"
            " with one (compile(store=...)), then decide again."
        )
    if not needs_context(graph):
        return
    schema = graph.context_schema
    if configuration.context is None:
        fields = ", ".join(getattr(schema, "__annotations__", {})) or "no fields"
        raise Refused(
            f"{name} expects a context ({fields}) and none is given: write [run] context = {{...}} into"
            " agent-lab.toml or give --context JSON; {} stands for its defaults."
        )
    if isinstance(schema, type) and (issubclass(schema, BaseModel) or dataclasses.is_dataclass(schema)):
        try:
            schema(**configuration.context)
        except (TypeError, ValueError) as error:
            first = str(error).partition("\n")[0]
            raise Refused(f"The context does not fit {schema.__name__} of {name}: {first}.") from error


def _numbers(text: str) -> tuple[int, ...]:
    parts = []
    for part in text.split(".")[:3]:
        digits = part[: len(part) - len(part.lstrip("0123456789"))]
        if not digits:
            break
        parts.append(int(digits))
    return tuple(parts)
