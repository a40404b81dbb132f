"""Carry decisions out: which host runs which thread, and when."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from agent_lab_tui.store.files import Database
from agent_lab_tui.store.journal.book import Decision

from ..deciding.telling import sealed_words
from ..questions import Refused
from ..settings.file import Settings
from ..settings.specs import Project
from .events import Event, HostError, Outcome
from .facts import GraphFacts
from .host import Host
from .pool import Pool


@dataclass(frozen=True, slots=True)
class _Waiting:
    """Decisions of one thread that may still be withdrawn."""

    thread_id: str
    decision_ids: frozenset[str]
    done: Future[tuple[Outcome, ...]]


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
        self._pools = [
            Pool(partial(Host, project, database, settings, on_event), settings.run.hosts)
            for project in projects
        ]
        self._by_graph = {
            spec.name: pool
            for project, pool in zip(projects, self._pools, strict=True)
            for spec in project.specs
        }
        self._lock = threading.Lock()
        self._waiting: dict[threading.Timer, _Waiting] = {}
        self._running: list[str] = []

    @property
    def running(self) -> tuple[str, ...]:
        """The threads that wait for their time or run now."""
        with self._lock:
            return tuple(dict.fromkeys(self._running))

    def facts(self) -> tuple[GraphFacts, ...]:
        """Start every first host and return what it says of its graphs; one that cannot spoils no other."""
        firsts = [pool.hosts[0] for pool in self._pools]
        for host in firsts:
            with suppress(HostError):
                host.start()
        return tuple(
            facts
            for project, host in zip(self._projects, firsts, strict=True)
            for facts in _facts_of(project, host)
        )

    def host_for(self, graph: str | None) -> Host:
        """Return a host that loads a graph, to look at threads with.

        Raises:
            Refused: No graph is loaded, or none of that name.
        """
        return self._pool_for(graph).idle

    def _pool_for(self, graph: str | None) -> Pool:
        if not self._pools:
            raise Refused(
                "No graph is loaded, so nothing can run: give --graph file.py:attr or a langgraph.json."
            )
        if graph is not None and graph in self._by_graph:
            return self._by_graph[graph]
        if graph is None and len(self._by_graph) == 1:
            return self._pools[0]
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
            pool = self._pool_for(graph)
        except Refused as refused:
            done.set_exception(refused)
            return done
        with self._lock:
            self._running.append(thread_id)
        done.add_done_callback(lambda _: self._ended(thread_id))
        wait = max((decision.order.not_before - time.time() for decision in recorded), default=0.0)
        if wait > 0:
            waiting = _Waiting(thread_id, frozenset(one.decision_id for one in recorded), done)
            self._later(wait, pool, waiting)
        else:
            self._now(pool, thread_id, done)
        return done

    def let_go(self, thread_id: str, recorded: Collection[str]) -> None:
        """Wait no longer for decisions of a thread that are not recorded any more.

        Args:
            thread_id: The thread.
            recorded: The ids of those that still are.
        """
        with self._lock:
            over = [
                timer
                for timer, one in self._waiting.items()
                if one.thread_id == thread_id and not one.decision_ids & set(recorded)
            ]
            waiting = [(timer, self._waiting.pop(timer)) for timer in over]
        for timer, one in waiting:
            timer.cancel()
            one.done.set_result(())

    def output(self) -> str:
        """Return what the graphs of all hosts printed."""
        return "".join(host.output() for host in self._hosts())

    def stop_after_step(self) -> None:
        """Let no waiting decision start, and ask every run to stop after the step in hand."""
        self._drop_waiting()
        for host in self._hosts():
            host.stop_after_step()

    def kill(self) -> None:
        """End every host at once."""
        self._drop_waiting()
        for host in self._hosts():
            host.kill()

    def close(self) -> None:
        """End every host in order."""
        self._drop_waiting()
        for host in self._hosts():
            host.close()

    def _hosts(self) -> Iterator[Host]:
        for pool in self._pools:
            yield from pool.hosts

    def _later(self, seconds: float, pool: Pool, waiting: _Waiting) -> None:
        def start() -> None:
            with self._lock:
                is_wanted = self._waiting.pop(timer, None) is not None
            if is_wanted:
                self._now(pool, waiting.thread_id, waiting.done)

        timer = threading.Timer(seconds, start)
        timer.daemon = True
        with self._lock:
            self._waiting[timer] = waiting
        timer.start()

    def _now(self, pool: Pool, thread_id: str, done: Future[tuple[Outcome, ...]]) -> None:
        def pass_on(ran: Future[tuple[Outcome, ...]]) -> None:
            if (error := ran.exception()) is not None:
                done.set_exception(error)
            else:
                done.set_result(ran.result())

        try:
            running = pool.carry_out(thread_id)
        except HostError as error:
            done.set_exception(error)
        else:
            running.add_done_callback(pass_on)

    def _drop_waiting(self) -> None:
        with self._lock:
            waiting, self._waiting = self._waiting, {}
        for timer, one in waiting.items():
            timer.cancel()
            one.done.set_result(())

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
