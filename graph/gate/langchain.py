"""For authors of LangChain agents: run every tool call once, or ask.

List it after the approval middleware, so that it sees the arguments as they were edited::

    create_agent(model, tools, middleware=[
        HumanInTheLoopMiddleware(interrupt_on={"send_mail": True}),
        EffectsMiddleware(ledger="effects.db", tools={"send_mail"}),
    ])

LangChain is needed by whoever imports this module, and by nobody else.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import ToolMessage, messages_from_dict
from langchain_core.messages.base import message_to_dict
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command

from agent_lab_tui.store.effects import Effects, fingerprint

from .effects import Evidence, aonce, once

Said = ToolMessage | Command[Any]
Verify = Callable[[Mapping[str, Any]], Evidence]


class UnstorableResult(Exception):
    """A recorded tool gave a `Command`, which the ledger cannot give back later."""


class EffectsMiddleware(AgentMiddleware[Any, Any, Any]):
    """Records tool calls in the effects ledger: done once, given back afterwards, asked about when unknown.

    The key is `thread:call:arguments`: the same for every retry and replay of a call, another for one that
    an operator approved with other arguments, or that the model makes again.
    """

    def __init__(
        self,
        ledger: Effects | Path | str,
        tools: Collection[str] | None = None,
        verify: Mapping[str, Verify] | None = None,
    ) -> None:
        """Take what the ledger needs.

        Args:
            ledger: The SQLite file of the ledger.
            tools: The names of the tools with effects; None records every tool.
            verify: By tool, what looks up whether a call with these arguments was done.
        """
        super().__init__()
        self._ledger = ledger
        self._names = None if tools is None else frozenset(tools)
        self._verify = dict(verify or {})

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Said]) -> Said:
        """Run a call once, or give back what it said."""
        name, arguments = request.tool_call["name"], request.tool_call["args"]
        if not self._is_recorded(name):
            return handler(request)
        verify = self._verify.get(name)
        stored = once(
            self._key(request),
            name,
            arguments,
            lambda: _stored(handler(request)),
            None if verify is None else lambda: verify(arguments),
            ledger=self._ledger,
        )
        return _given_back(stored, request)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Said]]
    ) -> Said:
        """Run a call once, or give back what it said."""
        name, arguments = request.tool_call["name"], request.tool_call["args"]
        if not self._is_recorded(name):
            return await handler(request)
        verify = self._verify.get(name)

        async def run() -> Any:
            return _stored(await handler(request))

        async def look() -> Evidence:
            assert verify is not None
            return verify(arguments)

        stored = await aonce(
            self._key(request),
            name,
            arguments,
            run,
            None if verify is None else look,
            ledger=self._ledger,
        )
        return _given_back(stored, request)

    def _is_recorded(self, name: str) -> bool:
        return self._names is None or name in self._names

    def _key(self, request: ToolCallRequest) -> str:
        execution = request.runtime.execution_info
        thread = execution.thread_id if execution is not None else None
        call = request.tool_call
        digest = fingerprint({"name": call["name"], "args": call["args"]})[:12]
        return f"{thread}:{call['id']}:{digest}"


def _stored(said: Said) -> Any:
    if not isinstance(said, ToolMessage):
        raise UnstorableResult("A tool whose calls are recorded must return a message, not a Command.")
    return json.loads(json.dumps(message_to_dict(said), default=repr))


def _given_back(stored: Any, request: ToolCallRequest) -> ToolMessage:
    """Return the message of a call; words that an operator took for its result become one."""
    if isinstance(stored, Mapping) and "type" in stored and "data" in stored:
        (message,) = messages_from_dict([dict(stored)])
        if isinstance(message, ToolMessage):
            return message
    text = stored if isinstance(stored, str) else json.dumps(stored, ensure_ascii=False)
    return ToolMessage(text, tool_call_id=request.tool_call["id"], name=request.tool_call["name"])
