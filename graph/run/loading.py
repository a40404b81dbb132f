"""Take a graph in any form it may be handed over: builder, compiled, factory, context manager."""

from __future__ import annotations

import asyncio
import inspect
import sysconfig
import traceback
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, cast

from langgraph.graph import StateGraph
from langgraph.pregel import Pregel

from ..checking.remedies import NOT_THERE
from .importing import NoSuchAttribute

Graph = Pregel[Any, Any, Any, Any]
_NOT_THEIRS = (str(Path(__file__).parent), sysconfig.get_path("stdlib"), "<frozen importlib")


class LoadError(Exception):
    """A graph cannot be loaded; the message is one sentence.

    Attributes:
        traceback: The traceback of the graph's own code, where that raised.
    """

    def __init__(self, sentence: str, traceback: str | None = None) -> None:
        super().__init__(sentence)
        self.traceback = traceback


class Source:
    """A graph as its author handed it over; a factory is called anew for each run, with its config."""

    def __init__(self, name: str, handed_over: Any) -> None:
        self.name = name
        self._handed_over = handed_over
        self._compiled: Graph | None = None

    @asynccontextmanager
    async def open(self, configurable: Mapping[str, Any]) -> AsyncIterator[Graph]:
        """Give the compiled graph; what a context manager factory opened is closed afterwards.

        Args:
            configurable: What a factory finds as `config["configurable"]`.

        Raises:
            LoadError: The factory failed, or what it gave is no graph.
        """
        if self._compiled is not None:
            yield self._compiled
            return
        async with AsyncExitStack() as stack:
            try:
                graph, is_made = await self._make(dict(configurable), stack)
            except (LoadError, asyncio.CancelledError):
                raise
            except BaseException as error:  # a factory may raise anything, sys.exit too; it is told in words
                raise described(error, "while its factory ran") from error
            if not is_made:
                self._compiled = graph
            yield graph

    async def _make(self, configurable: dict[str, Any], stack: AsyncExitStack) -> tuple[Graph, bool]:
        """Return the compiled graph, and whether it was made for this call alone."""
        given = self._handed_over
        is_made = not isinstance(given, Pregel | StateGraph)
        if is_made:
            given = await self._call(given, configurable, stack)
        if isinstance(given, StateGraph):
            given = given.compile()
        if not isinstance(given, Pregel):
            what = "its factory returned" if is_made else "it is"
            raise LoadError(
                f"{what} {_a(given)}, not a graph: a StateGraph, a compiled graph or an entrypoint"
            )
        return given, is_made

    async def _call(self, factory: Any, configurable: dict[str, Any], stack: AsyncExitStack) -> Any:
        if isinstance(factory, type) or not callable(factory):
            what = f"the class {factory.__name__}" if isinstance(factory, type) else _a(factory)
            raise LoadError(
                f"it is {what}, not a graph: name a StateGraph, a compiled graph, an entrypoint"
                " or a function that returns one"
            )
        arguments = _arguments(factory, configurable)
        if inspect.iscoroutinefunction(factory):
            made = await factory(**arguments)
        else:  # in a thread: a factory may well call asyncio.run itself
            made = await asyncio.to_thread(factory, **arguments)
        if inspect.isawaitable(made):
            made = await made
        if isinstance(made, Pregel | StateGraph):
            return made
        if hasattr(made, "__aenter__"):
            return await stack.enter_async_context(made)
        if hasattr(made, "__enter__"):
            stack.push_async_callback(asyncio.to_thread, made.__exit__, None, None, None)
            return await asyncio.to_thread(made.__enter__)
        return made


def _arguments(factory: Any, configurable: dict[str, Any]) -> dict[str, Any]:
    """What a factory takes: nothing, the run's config, the server's runtime, or both."""
    arguments: dict[str, Any] = {}
    for parameter in inspect.signature(factory).parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if "ServerRuntime" in str(parameter.annotation):
            arguments[parameter.name] = _server_runtime()
        elif parameter.default is parameter.empty or parameter.name == "config":
            arguments[parameter.name] = {"configurable": configurable, "metadata": {}, "tags": []}
    if len(arguments) > 2:
        names = ", ".join(arguments)
        raise LoadError(
            f"its factory needs {names}; a factory may take a config and a ServerRuntime, no more"
        )
    return arguments


def _server_runtime() -> Any:
    try:
        from langgraph_sdk.runtime import _ReadRuntime
    except ImportError:
        raise LoadError("its factory takes a ServerRuntime, which this langgraph-sdk does not know") from None
    return _ReadRuntime(access_context="threads.read", store=cast(Any, None))


def _a(thing: Any) -> str:
    name = type(thing).__name__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def described(error: BaseException, when: str) -> LoadError:
    """Turn what a user's code raised into one sentence, with its own traceback beside it."""
    if isinstance(error, NoSuchAttribute):
        return LoadError(str(error))
    if isinstance(error, SystemExit):
        sentence = f"it ended itself with sys.exit({error.code!r}) {when}"
    elif isinstance(error, EOFError) and "reading a line" in str(error):
        sentence = f"it asks for input {when}, and nobody can type there"
    elif isinstance(error, ModuleNotFoundError) and error.name:
        sentence = f"it needs the module {error.name!r}, {NOT_THERE} {when}"
    elif isinstance(error, SyntaxError):
        sentence = f"line {error.lineno} of {error.filename} is not Python: {error.msg}"
    else:
        first = str(error).strip().partition("\n")[0]
        sentence = f"{type(error).__name__} {when}" + (f": {first}" if first else "")
    return LoadError(sentence, own_traceback(error))


def own_traceback(error: BaseException) -> str:
    """Return the traceback of an error without the frames of this program that led to it."""
    frame = error.__traceback__
    while frame is not None and frame.tb_frame.f_code.co_filename.startswith(_NOT_THEIRS):
        frame = frame.tb_next
    return "".join(traceback.format_exception(type(error), error, frame, chain=False))
