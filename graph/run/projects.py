"""The graphs of a project, loaded each for itself: one that cannot be leaves the others alone."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.serde.encrypted import EncryptedSerializer

from agent_lab_tui.store.cipher import is_encrypted

from ..hosting.facts import GraphFacts
from ..questions import Refused
from ..settings.file import RunSettings
from ..settings.specs import GraphSpec, Project
from .configuration import RunConfiguration, check_needs
from .engine import Engine
from .importing import import_target
from .inspecting import facts_of, modified_at
from .known_types import KnownTypes
from .loading import Graph, LoadError, Source, described
from .savers import Savers, own_serializer
from .walking import unsaved_parts


@dataclass
class Loaded:
    """One graph of the project: where it comes from, or why there is none."""

    spec: GraphSpec
    source: Source | None = None
    error: LoadError | None = None
    facts: GraphFacts | None = None
    fails_with_sync: bool = False
    """LangGraph broke down on an inner graph without checkpoints that could not be seen beforehand."""


class LoadedProject:
    """A project's graphs in this process."""

    def __init__(self, project: Project, savers: Savers, settings: RunSettings) -> None:
        self._savers = savers
        self._settings = settings
        self._graphs = {spec.name: Loaded(spec) for spec in project.specs}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the graphs, loaded or not."""
        return tuple(self._graphs)

    def import_all(self) -> None:
        """Import every graph's module.

        To be called from the main thread before a loop runs in it: modules may call `asyncio.run` or set
        signal handlers while they are imported.
        """
        for loaded in self._graphs.values():
            try:
                loaded.source = Source(loaded.spec.name, import_target(loaded.spec))
            except BaseException as error:  # noqa: BLE001 - a user's module may raise anything; it is told as a fact
                loaded.error = described(error, "while it was imported")

    async def facts(self) -> tuple[GraphFacts, ...]:
        """Return what there is to say of every graph; looked at once, when first asked."""
        return tuple([await self._facts_of(loaded) for loaded in self._graphs.values()])

    async def _facts_of(self, loaded: Loaded) -> GraphFacts:
        if loaded.facts is None:
            try:
                async with self._source(loaded).open(self._settings.configurable) as graph:
                    loaded.facts = facts_of(loaded.spec, graph)
            except LoadError as error:
                loaded.facts = GraphFacts(
                    loaded.spec.name,
                    modified_at=modified_at(loaded.spec),
                    error=str(error),
                    traceback=error.traceback,
                )
        return loaded.facts

    @property
    def files(self) -> Savers:
        """The connections to the database that the graphs run on."""
        return self._savers

    @asynccontextmanager
    async def reading(self, name: str, configuration: RunConfiguration) -> AsyncIterator[Engine]:
        """Give an engine that can look but not run.

        Raises:
            LoadError: The graph could not be loaded.
        """
        loaded = self._loaded(name)
        async with self._source(loaded).open(configuration.configurable) as graph:
            saver = await self._savers.reading(self._serde(graph, configuration.thread_id))
            yield Engine(graph, saver, configuration)

    @asynccontextmanager
    async def running(
        self, name: str, configuration: RunConfiguration, origin: str | None = None
    ) -> AsyncIterator[Engine]:
        """Give an engine for a run.

        Args:
            name: Of the graph.
            configuration: Of the run.
            origin: The thread that this one is made from, if it is yet to be made.

        Raises:
            Refused: The graph could not be loaded, or lacks what its nodes need.
            CannotWrite: The file cannot be written now.
        """
        loaded = self._loaded(name)
        async with AsyncExitStack() as stack:
            try:
                opened = self._source(loaded).open(configuration.configurable)
                graph = await stack.enter_async_context(opened)
            except LoadError as error:
                raise Refused(f"{name} cannot run: {error}.") from error
            check_needs(name, graph, configuration)
            saver = await self._savers.writing(self._serde(graph, origin or configuration.thread_id))
            has_unsaved = loaded.fails_with_sync or bool(unsaved_parts(graph))
            yield Engine(graph, saver, configuration, has_unsaved_parts=has_unsaved)

    def _loaded(self, name: str) -> Loaded:
        if name not in self._graphs:
            raise LoadError(f"there is no graph {name!r} here; loaded: {', '.join(self._graphs)}")
        return self._graphs[name]

    def note_sync_failure(self, name: str) -> None:
        """Run a graph with durability "async" from now on."""
        self._loaded(name).fails_with_sync = True

    def _source(self, loaded: Loaded) -> Source:
        if loaded.error is not None:
            raise loaded.error
        if loaded.source is None:
            raise LoadError("it has not been imported yet")
        return loaded.source

    def _serde(self, graph: Graph, thread_id: str) -> SerializerProtocol:
        """Return the graph's own special serializer; else ours, encrypting where the thread is encrypted."""
        files = [loaded.spec.file for loaded in self._graphs.values() if loaded.spec.file]
        stems = {str(file) for file in files}
        modules: list[Any] = [m for m in list(sys.modules.values()) if getattr(m, "__file__", None) in stems]
        own = own_serializer(graph.checkpointer)
        if own is not None:
            return own
        known = KnownTypes(modules)
        is_secret = is_encrypted(self._savers.database.path, thread_id)
        try:
            return EncryptedSerializer.from_pycryptodome_aes(known) if is_secret else known
        except (ImportError, ValueError) as error:
            raise Refused(f"The thread is encrypted and cannot be run here: {error}") from error
