"""The desk's side of a host: start it when it is needed, ask it, and go on when it dies."""

from __future__ import annotations

import base64
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any

from agent_lab_tui.store.files import Database

from ..questions import Refused
from ..settings.file import Settings
from ..settings.specs import Project
from ..travelling.forking import NeedsNode
from .events import Event, HostDied, HostError, HostGone, Outcome, Progress
from .facts import GraphFacts
from .interpreter import demand_fit
from .opening import Opening
from .output import HostOutput
from .process import HostProcess
from .under_way import UnderWay

__all__ = ["Host", "HostDied", "HostError", "HostGone", "Outcome", "Progress"]

LOADING_SECONDS = 120.0
"""How long graphs may take to be imported before it is told as an error."""
LOOKING_SECONDS = 60.0
CLOSING_SECONDS = 5.0


class Host:
    """The process that loads one project's graphs and carries decisions out; a dead one is replaced.

    Methods may be called from any thread. `on_event` is called from a thread of the host's own.
    """

    def __init__(
        self, project: Project, db: Database, settings: Settings, on_event: Callable[[Event], None]
    ) -> None:
        self._opening = Opening(project, db, settings)
        self._on_event = on_event
        self._output = HostOutput()
        self._lock = threading.Lock()
        self._process: HostProcess | None = None
        self._under_way = UnderWay(db)

    @property
    def is_alive(self) -> bool:
        """Whether a process is there that can be asked."""
        return self._process is not None and self._process.is_alive

    @property
    def pid(self) -> int | None:
        """The process id of the running host."""
        return self._process.pid if self._process is not None and self._process.is_alive else None

    def start(self) -> None:
        """Start the process if there is none; does not wait for the graphs to be loaded.

        Raises:
            HostError: The interpreter that the settings name cannot run a host.
        """
        self._started()

    def facts(self, timeout: float = LOADING_SECONDS) -> tuple[GraphFacts, ...]:
        """Return what there is to say of every graph; blocks until they are loaded.

        Raises:
            HostError: The host ended or did not answer within `timeout` seconds.
        """
        records = self._answer(self._started().ask("facts"), timeout, "loading the graphs")
        return tuple(GraphFacts.from_json(record) for record in records)

    def carry_out(self, thread_id: str) -> Future[tuple[Outcome, ...]]:
        """Run every recorded decision of a thread; the future fails with `HostGone` when the host dies."""
        outcomes: Future[tuple[Outcome, ...]] = Future()

        def pass_on(reply: Future[Any]) -> None:
            if (error := reply.exception()) is not None:
                outcomes.set_exception(error)
            else:
                outcomes.set_result(tuple(Outcome.from_json(record) for record in reply.result()))

        self._started().ask("carry_out", runs=thread_id, thread_id=thread_id).add_done_callback(pass_on)
        return outcomes

    def state(self, graph: str, thread_id: str, checkpoint_id: str | None = None) -> dict[str, Any]:
        """Return what LangGraph's `get_state` says: live without a checkpoint id, on record with one.

        Raises:
            HostError: The graph or the thread is not there, or the host ended.
        """
        place: dict[str, Any] = {"graph": graph, "thread_id": thread_id, "checkpoint_id": checkpoint_id}
        reply = self._started().ask("state", **place)
        state: dict[str, Any] = self._answer(reply, LOOKING_SECONDS, "looking at the thread")
        return state

    def history(
        self,
        graph: str,
        thread_id: str,
        limit: int | None = None,
        before: str | None = None,
        *,
        has_values: bool = True,
    ) -> list[dict[str, Any]]:
        """Return what `get_state_history` says, newest first; states only where they are wanted.

        Raises:
            HostError: The graph or the thread is not there, or the host ended.
        """
        place: dict[str, Any] = {"graph": graph, "thread_id": thread_id, "limit": limit, "before": before}
        reply = self._started().ask("history", **place, has_values=has_values)
        history: list[dict[str, Any]] = self._answer(reply, LOOKING_SECONDS, "looking at the history")
        return history

    def preview_fork(
        self,
        graph: str,
        thread_id: str,
        checkpoint_id: str,
        values: Mapping[str, bytes],
        as_node: str | None = None,
    ) -> dict[str, Any]:
        """Return the state and the next nodes that an edit would lead to; nothing is written.

        Args:
            graph: The graph of the thread.
            thread_id: The thread.
            checkpoint_id: The checkpoint to fork.
            values: `set` and `append`, each the msgpack of an object of state keys and values.
            as_node: The node that the edit is taken to come from.

        Raises:
            Refused: The edit cannot be made; with the reason.
            HostError: The graph or the thread is not there, or the host ended.
        """
        texts = {name: base64.b64encode(blob).decode("ascii") for name, blob in values.items()}
        place = {"graph": graph, "thread_id": thread_id, "checkpoint_id": checkpoint_id}
        reply = self._started().ask("preview", **place, values=texts, as_node=as_node)
        told: dict[str, Any] = self._answer(reply, LOOKING_SECONDS, "trying the edit")
        if "nodes" in told:
            raise NeedsNode(told["refused"], tuple(told["nodes"]))
        if "refused" in told:
            raise Refused(told["refused"])
        return told

    def stop_after_step(self) -> None:
        """Ask the run to stop after the step in hand."""
        if self._process is not None:
            self._process.send({"op": "stop"})

    def kill(self) -> None:
        """End the process at once, with what it started; what it was doing becomes unknown."""
        if self._process is not None:
            self._process.kill()

    def close(self, seconds: float = CLOSING_SECONDS) -> bool:
        """End the process; a run in hand is asked to stop after its step.

        Returns:
            False when the step takes longer than `seconds`: it then ends by itself, its outcome written down.
        """
        with self._lock:
            process, self._process = self._process, None
        is_ended = process is None or process.close(seconds)
        self._output.close()
        return is_ended

    def output(self, start: int = 0) -> str:
        """Return what the graphs printed from a byte on, at most the last MiB; raw foreign text."""
        return self._output.text(start)

    @property
    def output_size(self) -> int:
        """Bytes printed so far: the start for the next `output`."""
        return self._output.size

    def _started(self) -> HostProcess:
        with self._lock:
            if self._output.is_closed:
                self._output = HostOutput()
            if self._process is None or not self._process.is_alive:
                project, run = self._opening.project, self._opening.settings.run
                env = {**project.env, **run.env}
                if run.python is not None:
                    demand_fit(run.python, env)
                self._process = HostProcess(
                    project.root, env, run.python, self._output.fileno(), self._event, self._ended
                )
                self._process.send({"op": "open", "opening": self._opening.to_text()})
            return self._process

    def _answer(self, reply: Future[Any], timeout: float, what: str) -> Any:
        try:
            return reply.result(timeout)
        except TimeoutError:
            raise HostError(f"The host has been {what} for {timeout:.0f} seconds and is not done.") from None

    def _event(self, frame: dict[str, Any]) -> None:
        kind = Progress if frame["event"] == "progress" else Outcome
        event = kind.from_json(frame["body"])
        self._under_way.hear(event)
        self._on_event(event)

    def _ended(self, process: HostProcess) -> None:
        how = process.how_it_ended().rstrip(".")
        how = f"{how[:1].lower()}{how[1:]}"
        self._under_way.write_down(process.threads_in_hand, how, process.pid)
        if not process.is_closing:
            self._on_event(HostDied(process.how_it_ended(), process.exit_code, process.threads_in_hand))
