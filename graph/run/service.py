"""What a host does for its desk: say what the graphs are, run decisions, look into threads, end."""

from __future__ import annotations

import asyncio
import base64
import traceback
from collections.abc import Awaitable, Callable
from typing import Any

from langgraph.runtime import RunControl

from agent_lab_tui.store.journal.book import Journal

from ..hosting.events import Outcome, Progress
from ..hosting.opening import Opening
from ..questions import Refused
from ..reading.reader import NotFound, Reader
from ..travelling.forking import NeedsNode
from .channel import Channel
from .configuration import RunConfiguration
from .executor import Executor
from .last_words import LastWords
from .loading import LoadError
from .projects import LoadedProject
from .savers import Savers
from .travel import Edit, preview

Frame = dict[str, Any]


class Service:
    """Answers the frames of one desk, on one event loop; one run at a time."""

    def __init__(self, opening: Opening, channel: Channel, loop: asyncio.AbstractEventLoop) -> None:
        self._opening = opening
        self._channel = channel
        self._loop = loop
        self._savers = Savers(opening.database)
        self._journal = Journal(opening.database.path)
        self._control = RunControl()
        self._turn = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._stops = 0
        self._last_words = LastWords(self._journal, opening.database, opening.settings.run.grace)
        self.project = LoadedProject(opening.project, self._savers, opening.settings.run)
        self._operations: dict[str, Callable[[Frame], Awaitable[Any]]] = {
            "facts": self._facts,
            "carry_out": self._carry_out,
            "state": self._state,
            "history": self._history,
            "preview": self._preview,
        }

    # Called from the thread that listens to the desk

    def receive(self, frame: Frame) -> None:
        """Take a frame; a wish to stop is heard at once, even while a node blocks the loop."""
        if frame["op"] == "stop":
            self._stops += 1
            self._control.request_drain("the operator asked to stop after the step in hand")
        else:
            self._loop.call_soon_threadsafe(self._start, {**frame, "stops": self._stops})

    def end(self) -> None:
        """Stop after the step in hand, write down what became of it, and stop the loop.

        A step that does not end in time is left: what became of it is written down as unknown.
        """
        self._stops += 1
        self._last_words.count_down()
        self._control.request_drain("the desk is gone")
        self._loop.call_soon_threadsafe(lambda: self._keep(self._loop.create_task(self._end())))

    # On the loop

    def _start(self, frame: Frame) -> None:
        self._keep(self._loop.create_task(self._answer(frame)))

    def _keep(self, task: asyncio.Task[None]) -> None:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _answer(self, frame: Frame) -> None:
        try:
            reply = await self._operations[frame["op"]](frame)
        except (NotFound, LoadError) as error:
            self._channel.send({"id": frame["id"], "error": str(error)})
        except BaseException as error:  # noqa: BLE001 - the one boundary: whatever a graph raises becomes a reply
            traceback.print_exception(error)
            self._channel.send({"id": frame["id"], "error": f"{type(error).__name__}: {error}"})
        else:
            self._channel.send({"id": frame["id"], "reply": reply})

    async def _end(self) -> None:
        others = self._tasks - {asyncio.current_task()}
        await asyncio.gather(*others, return_exceptions=True)
        await self._savers.close()
        self._loop.stop()

    async def _facts(self, _: Frame) -> list[Any]:
        return [facts.to_json() for facts in await self.project.facts()]

    async def _carry_out(self, frame: Frame) -> list[Any]:
        async with self._turn:
            self._control = RunControl()
            if frame["stops"] != self._stops:  # it was asked for before the wish to stop
                return []
            executor = Executor(self._opening, self.project, self._journal, await self._reader(), self._tell)
            with self._last_words.holding(frame["thread_id"]):
                outcomes = await executor.carry_out(frame["thread_id"], self._control)
            return [outcome.to_json() for outcome in outcomes]

    async def _state(self, frame: Frame) -> Any:
        async with self.project.reading(frame["graph"], await self._configuration(frame)) as engine:
            return await engine.state(frame["checkpoint_id"])

    async def _history(self, frame: Frame) -> Any:
        async with self.project.reading(frame["graph"], await self._configuration(frame)) as engine:
            return await engine.history(frame["limit"], frame["before"], has_values=frame["has_values"])

    async def _preview(self, frame: Frame) -> Any:
        """Tell what a fork's edit leads to, or why it cannot be made."""
        blobs = {name: base64.b64decode(text) for name, text in frame["values"].items()}
        async with self.project.reading(frame["graph"], await self._configuration(frame)) as engine:
            try:
                edit = Edit.of(engine, blobs, frame["as_node"])
                return await preview(engine, self._opening.database, frame["checkpoint_id"], edit)
            except NeedsNode as needs:
                return {"refused": str(needs), "nodes": list(needs.nodes)}
            except Refused as refused:
                return {"refused": str(refused)}

    async def _configuration(self, frame: Frame) -> RunConfiguration:
        thread = (await self._reader()).thread(frame["thread_id"])
        return RunConfiguration.of(thread.thread_id, thread.config, {}, self._opening.settings.run)

    async def _reader(self) -> Reader:
        facts = await self.project.facts()
        return Reader(self._savers.database, self._opening.settings, self._journal, facts)

    def _tell(self, event: Progress | Outcome) -> None:
        self._last_words.hear(event)
        kind = "progress" if isinstance(event, Progress) else "outcome"
        self._channel.send({"event": kind, "body": event.to_json()})
