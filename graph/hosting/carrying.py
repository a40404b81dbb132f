"""Carry decisions out: which host runs which thread, and when."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress

from agent_lab_tui.store.files import Database
from agent_lab_tui.store.journal.book import Decision

from ..deciding.telling import sealed_words
from ..questions import Refused
from ..settings.file import Settings
from ..settings.specs import GraphFacts, Project
from .events import Event, HostError, Outcome
from .host import Host


class Carrying:
    """The hosts of the desk's projects, started when they are first needed."""

    def __init__(
        self,
        projects: Sequence[Project],
        database: Database,
        settings: Settings,
        on_event: Callable[[Event], None],
    ) -> None:
        self._projects = tuple(projects)
        self._hosts = [Host(project, database, settings, on_event) for project in projects]
        self._by_graph = {
            spec.name: host
            for project, host in zip(projects, self._hosts, strict=True)
            for spec in project.specs
        }
        self._lock = threading.Lock()
        self._waiting: dict[threading.Timer, Future[tuple[Outcome, ...]]] = {}
        self._running: list[str] = []

    @property
    def running(self) -> tuple[str, ...]:
        """The threads that wait for their time or run now."""
        with self._lock:
            return tuple(dict.fromkeys(self._running))

    def facts(self) -> tuple[GraphFacts, ...]:
        """Start every host and return what it says of its graphs; one that cannot load spoils no other."""
        for host in self._hosts:
            with suppress(HostError):
                host.start()
        return tuple(
            facts
            for project, host in zip(self._projects, self._hosts, strict=True)
            for facts in _facts_of(project, host)
        )

    def host_for(self, graph: str | None) -> Host:
        """Return the host that loads a graph.

        Raises:
            Refused: No graph is loaded, or none of that name.
        """
        if not self._hosts:
            raise Refused(
                "No graph is loaded, so nothing can run: give --graph file.py:attr or a langgraph.json."
            )
        if graph is not None and graph in self._by_graph:
            return self._by_graph[graph]
        if graph is None and len(self._by_graph) == 1:
            return self._hosts[0]
        if graph is not None:
            raise Refused(f"It cannot run: graph {graph} is not loaded; give it with --graph.")
        raise Refused(
            "It cannot run: several graphs are loaded, and not exactly one of them fits this thread."
            " Say which with --graph langgraph.json --graph NAME; `show` names those that fit."
        )

    def carry_out(self, thread_id: str, decisions: Sequence[Decision]) -> Future[tuple[Outcome, ...]]:
        """Run the recorded decisions of a thread once the last of them may start.

        Returns:
            A future that ends with their outcomes, or fails with `Refused` or the death of the host.
        """
        done: Future[tuple[Outcome, ...]] = Future()
        recorded = [decision for decision in decisions if decision.state == "recorded"]
        graph = next((decision.order.graph for decision in recorded if decision.order.graph), None)
        try:
            _refuse_sealed(recorded)
            host = self.host_for(graph)
        except Refused as refused:
            done.set_exception(refused)
            return done
        with self._lock:
            self._running.append(thread_id)
        done.add_done_callback(lambda _: self._ended(thread_id))
        wait = max((decision.order.not_before - time.time() for decision in recorded), default=0.0)
        if wait > 0:
            self._later(wait, host, thread_id, done)
        else:
            self._now(host, thread_id, done)
        return done

    def output(self) -> str:
        """Return what the graphs of all hosts printed."""
        return "".join(host.output() for host in self._hosts)

    def stop_after_step(self) -> None:
        """Let no waiting decision start, and ask every run to stop after the step in hand."""
        self._drop_waiting()
        for host in self._hosts:
            host.stop_after_step()

    def kill(self) -> None:
        """End every host at once."""
        self._drop_waiting()
        for host in self._hosts:
            host.kill()

    def close(self) -> None:
        """End every host in order."""
        self._drop_waiting()
        for host in self._hosts:
            host.close()

    def _later(self, seconds: float, host: Host, thread_id: str, done: Future[tuple[Outcome, ...]]) -> None:
        def start() -> None:
            with self._lock:
                self._waiting.pop(timer, None)
            self._now(host, thread_id, done)

        timer = threading.Timer(seconds, start)
        timer.daemon = True
        with self._lock:
            self._waiting[timer] = done
        timer.start()

    def _now(self, host: Host, thread_id: str, done: Future[tuple[Outcome, ...]]) -> None:
        def pass_on(ran: Future[tuple[Outcome, ...]]) -> None:
            if (error := ran.exception()) is not None:
                done.set_exception(error)
            else:
                done.set_result(ran.result())

        try:
            running = host.carry_out(thread_id)
        except HostError as error:
            done.set_exception(error)
        else:
            running.add_done_callback(pass_on)

    def _drop_waiting(self) -> None:
        with self._lock:
            waiting, self._waiting = self._waiting, {}
        for timer, done in waiting.items():
            timer.cancel()
            done.set_result(())

    def _ended(self, thread_id: str) -> None:
        with self._lock:
            self._running.remove(thread_id)


def _refuse_sealed(decisions: Sequence[Decision]) -> None:
    sealed = sealed_words([one for one in decisions if one.is_sealed])
    if sealed is not None:
        raise Refused(f"It cannot run: {sealed}")


def _facts_of(project: Project, host: Host) -> tuple[GraphFacts, ...]:
    try:
        return host.facts()
    except HostError as error:
        return tuple(GraphFacts(spec.name, error=str(error)) for spec in project.specs)
