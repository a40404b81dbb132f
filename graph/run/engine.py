"""Run one thread of one graph: answer, go on, replay, edit; and say what LangGraph says of it."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

import aiosqlite
from langgraph.channels import BinaryOperatorAggregate
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.errors import GraphDrained
from langgraph.graph import END
from langgraph.runtime import RunControl
from langgraph.types import Command, Durability, Overwrite, StateUpdate

from agent_lab_tui.store.checkpoints.rows import CONTROL, INTERRUPT

from ..questions import Refused
from .calling import still_calls
from .configuration import RunConfiguration
from .loading import Graph
from .snapshots import Shown
from .streaming import Telling

MOST_STEPS_TO_END = 50
"""Super-steps that abandoning clears before it gives up."""


@dataclass(frozen=True, slots=True)
class Ran:
    """How a run ended, as far as the run itself can say."""

    error: BaseException | None = None
    """What a node, or LangGraph, raised."""
    is_drained: bool = False
    """It stopped at the end of a step because it was asked to."""


class Engine:
    """One graph with our saver, ready to run one thread; the user's own object stays as it is."""

    def __init__(
        self,
        graph: Graph,
        saver: AsyncSqliteSaver,
        configuration: RunConfiguration,
        *,
        has_unsaved_parts: bool = False,
    ) -> None:
        self._graph = copy.copy(graph)
        self._graph.checkpointer = self._saver = saver
        self._configuration = configuration
        # LangGraph fails with "sync" on an inner graph without checkpoints, after that graph's first step
        self._durability: Durability = "async" if has_unsaved_parts else "sync"
        self._serde = saver.with_allowlist(getattr(graph, "_serde_allowlist", None) or ()).serde
        self.shown = Shown(self._serde)

    def load(self, blob: bytes) -> Any:
        """Return the object that a stored answer stands for."""
        return self._serde.loads_typed(("msgpack", blob))

    def on(self, connection: aiosqlite.Connection) -> Engine:
        """Return the same graph on another file, such as a copy to try something out on."""
        saver = AsyncSqliteSaver(connection, serde=self._saver.serde)
        return Engine(self._graph, saver, self._configuration)

    @property
    def thread_id(self) -> str:
        """The thread that it runs."""
        return self._configuration.thread_id

    @property
    def nodes(self) -> tuple[str, ...]:
        """The nodes that an edit can be taken to come from."""
        return tuple(self._graph.nodes)

    @property
    def reducers(self) -> Mapping[str, bool]:
        """The keys of the state, each with whether a reducer stands between a write and its value."""
        asis = self._graph.stream_channels_asis
        names = [asis] if isinstance(asis, str) else list(asis)
        return {name: _has_reducer(self._graph.channels[name]) for name in names}

    # Running

    async def answer(self, answers: Mapping[str, Any], control: RunControl, telling: Telling) -> Ran:
        """Give answers by question id, all in one map; strict, so that a stale one reaches nothing."""
        return await self._run(Command(resume=dict(answers)), control, telling)

    async def answer_plainly(self, answer: Any, control: RunControl, telling: Telling) -> Ran:
        """Give the only answer without an id: the one way into an inner graph without checkpoints.

        Raises:
            Refused: LangGraph would take this value for something else than an answer.
        """
        is_map = isinstance(answer, dict) and all(_looks_like_an_id(key) for key in answer)
        if answer is None or is_map:
            raise Refused(
                "This question lies in a graph without checkpoints, where LangGraph takes an empty answer or"
                " a map of ids for no answer: send text, a number or an object with other keys."
            )
        return await self._run(Command(resume=answer), control, telling)

    async def go_on(self, control: RunControl, telling: Telling) -> Ran:
        """Continue or retry: finished tasks and stored answers are kept."""
        return await self._run(None, control, telling)

    async def replay(
        self, checkpoint_id: str, control: RunControl, telling: Telling, *, is_one_step: bool = False
    ) -> Ran:
        """Run the tasks of a checkpoint's step again, as a new branch; its questions are asked anew."""
        return await self._run(None, control, telling, checkpoint_id, "*" if is_one_step else None)

    async def _run(
        self,
        given: Command[Any] | None,
        control: RunControl,
        telling: Telling,
        checkpoint_id: str | None = None,
        interrupt_after: Any = None,
    ) -> Ran:
        stream: Any = self._graph.astream(
            given,
            self._configuration.config(checkpoint_id, is_strict=True),
            context=self._configuration.context,
            stream_mode=["tasks", "custom"],
            version="v2",
            subgraphs=True,
            interrupt_after=interrupt_after,
            durability=self._durability,
            control=control,
        )
        try:
            async with aclosing(stream) as parts:
                async for part in parts:
                    telling.part(part, self.shown)
        except GraphDrained:
            return Ran(is_drained=True)
        except BaseException as error:  # noqa: BLE001 - a node may raise anything, sys.exit too; it becomes the outcome
            return Ran(error)
        return Ran()

    # Editing

    async def update(
        self,
        updates: Mapping[str, Any],
        checkpoint_id: str | None = None,
        *,
        as_node: str | None = None,
        overwrite: Mapping[str, Any] | None = None,
    ) -> str:
        """Write an edited state as a new checkpoint and return its id.

        Args:
            updates: What a node would return: values that go through their channel's reducer.
            checkpoint_id: The checkpoint to fork; None for the thread's head.
            as_node: The node that is taken to have written it; its successors run next.
            overwrite: Values that replace what the channel holds, past its reducer.
        """
        values = {**updates, **{name: self._replacing(name, v) for name, v in (overwrite or {}).items()}}
        config = self._configuration.config(checkpoint_id)
        new = await self._graph.aupdate_state(config, values or None, as_node=as_node)
        return str(new["configurable"]["checkpoint_id"])

    async def step_over(self, nodes: Sequence[str]) -> None:
        """Take nodes as run without running them; what follows them is next.

        Raises:
            Refused: One of them would run all the same; nothing is written.
        """
        stored = await self._saver.aget_tuple(self._configuration.config())
        for node in nodes:
            if stored is not None and still_calls(self._graph, stored.checkpoint, node):
                raise Refused(
                    f"{node} cannot be stepped over: several branches meet there, and LangGraph would run it"
                    " all the same. Nothing was written: let the thread go on, or abandon it."
                )
        updates = [StateUpdate(None, node) for node in nodes]
        await self._graph.abulk_update_state(self._configuration.config(), [updates])

    async def is_held(self, skipped: Sequence[str]) -> bool:
        """Return whether a breakpoint holds the thread once nodes were stepped over.

        LangGraph asks no breakpoint when a run begins, so the next one would be passed together with this.
        """
        snapshot = await self._graph.aget_state(self._configuration.config())
        return _holds(self._graph.interrupt_before_nodes, snapshot.next) or (
            bool(snapshot.next) and _holds(self._graph.interrupt_after_nodes, skipped)
        )

    async def abandon(self, metadata: Mapping[str, str]) -> bool:
        """Clear the thread's next steps until nothing follows; False when something still does.

        Args:
            metadata: Who ended it, and why; kept with the checkpoints that this writes.
        """
        config = self._configuration.config()
        config["metadata"] = dict(metadata)
        for _ in range(MOST_STEPS_TO_END):
            snapshot = await self._graph.aget_state(self._configuration.config())
            if not snapshot.next:
                return True
            await self._graph.aupdate_state(config, None, as_node=END)
        return False

    def _replacing(self, channel: str, value: Any) -> Any:
        return Overwrite(value) if _has_reducer(self._graph.channels.get(channel)) else value

    # Saying

    async def pending(self) -> frozenset[str]:
        """Return the ids of the questions that wait on the thread's head.

        A snapshot forgets those of error handlers, which the stored writes have and a strict resume takes.
        """
        config = self._configuration.config()
        snapshot = await self._graph.aget_state(config)
        stored = await self._saver.aget_tuple(config)
        return frozenset(question.id for question in snapshot.interrupts) | _unfinished(
            (stored.pending_writes or ()) if stored is not None else ()
        )

    async def state(self, checkpoint_id: str | None = None) -> dict[str, Any]:
        """Return what `get_state` says: live without a checkpoint id, on record with one."""
        return self.shown.snapshot(await self._graph.aget_state(self._configuration.config(checkpoint_id)))

    async def history(
        self, limit: int | None, before: str | None, *, has_values: bool = True
    ) -> list[dict[str, Any]]:
        """Return what `get_state_history` says, newest first; the page after the checkpoint `before`."""
        start = self._configuration.config(before) if before else None
        found = self._graph.aget_state_history(self._configuration.config(), before=start, limit=limit)
        return [self.shown.snapshot(snapshot, has_values=has_values) async for snapshot in found]


def _unfinished(writes: Sequence[tuple[str, str, Any]]) -> frozenset[str]:
    """Return the ids of the questions of tasks that have stored no result.

    Before LangGraph 0.4 a question was stored by itself, under an id that is not found again.
    """
    finished = {task_id for task_id, channel, _ in writes if channel not in CONTROL}
    return frozenset(
        question.id
        for task_id, channel, asked in writes
        if channel == INTERRUPT and task_id not in finished and isinstance(asked, list | tuple)
        for question in asked
    )


def _holds(breakpoints: Any, nodes: Sequence[str]) -> bool:
    return bool(nodes) and (breakpoints == "*" or bool(set(breakpoints or ()) & set(nodes)))


def _has_reducer(channel: object) -> bool:
    return isinstance(channel, BinaryOperatorAggregate) or type(channel).__name__ == "DeltaChannel"


def _looks_like_an_id(key: object) -> bool:
    return isinstance(key, str) and len(key) == 32 and not key.strip("0123456789abcdef")
