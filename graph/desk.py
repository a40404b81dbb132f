"""The desk: reading, deciding and travelling in one place; the only door for the screen and the commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agent_lab_tui.store.checkpoints.threads import Changes, Watch
from agent_lab_tui.store.cipher import KEY, use_key
from agent_lab_tui.store.files import Database, open_database
from agent_lab_tui.store.journal.book import Decision, Journal
from agent_lab_tui.store.journal.watch import JournalWatch

from .parts import Hosts, Parts
from .questions import Choice, Refused, Value
from .reading.reader import Thread, ThreadLine
from .settings.file import Settings, SettingsError
from .settings.naming import named_as_loaded
from .settings.specs import Project, only_value, read_specs

if TYPE_CHECKING:
    from concurrent.futures import Future

    from agent_lab_tui.store.journal.book import Order

    from .deciding.desk_side import Deciding
    from .hosting.events import Event, Outcome
    from .hosting.facts import GraphFacts
    from .travelling.journeys import Travelling


class Desk:
    """One database, its graphs and its journal, at the hands of one operator.

    Reading needs no graph; the host that runs graphs is started when something is first asked of it.
    Methods may be called from any thread; those that talk to the host block.
    """

    def __init__(
        self,
        database: Database,
        settings: Settings,
        projects: Sequence[Project] = (),
        *,
        operator: str,
        os_user: str,
        is_readonly: bool = False,
    ) -> None:
        self.database = database
        self._given = settings
        self.projects = tuple(projects)
        self.operator = operator
        self.os_user = os_user
        self.is_readonly = is_readonly
        self.journal = Journal(database.path, is_readonly=is_readonly)
        self._watch = Watch(database)
        self._decided = JournalWatch(database.path, is_readonly=is_readonly)
        self._chosen: dict[str, str] = {}
        self.facts: tuple[GraphFacts, ...] = ()
        """What the host said of the graphs; empty until `load_graphs`."""
        self._use_facts(())
        self._hosts = Hosts(self)

    @classmethod
    def open(
        cls,
        settings: Settings,
        *,
        db: str | None,
        graphs: Sequence[str] = (),
        operator: str | None = None,
        os_user: str = "unknown",
        is_readonly: bool = False,
        context: Mapping[str, Any] | None = None,
        configurable: Mapping[str, Any] | None = None,
        python: str | None = None,
    ) -> Desk:
        """Open the desk that options and settings describe; options win.

        Raises:
            CannotOpen: The database is missing, locked or no checkpoint database.
            SettingsError: No database is named anywhere.
            SpecError: A graph is named that cannot be found.
        """
        if not (db or settings.db):
            raise SettingsError(
                'No database is named: give --db PATH, or write db = "PATH" into agent-lab.toml;'
                " `agent-lab-tui demo` makes one to try."
            )
        settings = settings.with_run(context=context, configurable=configurable, python=python)
        base = Path.cwd() if graphs or settings.path is None else settings.path.parent
        projects = read_specs(tuple(graphs) or settings.graphs or _langgraph_json(base), base)
        use_key(settings.run.env.get(KEY) or only_value(projects, KEY))
        return cls(
            open_database(db or str(settings.db)),
            settings,
            projects,
            operator=operator or os_user,
            os_user=os_user,
            is_readonly=is_readonly,
        )

    # Reading

    def lines(self, limit: int = 100) -> tuple[ThreadLine, ...]:
        """Return the newest threads with their exact situations."""
        return self._parts.reader.lines(limit)

    def all_lines(self) -> tuple[ThreadLine, ...]:
        """Return every thread; quiet where a blob would have to be decoded to tell more."""
        return self._parts.reader.all_lines()

    def lines_of(self, thread_ids: Sequence[str]) -> tuple[ThreadLine, ...]:
        """Return some threads again, exactly; those that are gone are left out."""
        return self._parts.reader.lines_of(thread_ids)

    def thread(self, thread_id: str, checkpoint_id: str | None = None) -> Thread:
        """Return one thread as it stands now, or stood at a checkpoint.

        Raises:
            NotFound: There is no such thread or checkpoint.
        """
        return self._parts.reader.thread(thread_id, checkpoint_id)

    def poll(self) -> Changes:
        """Return what was changed or decided since the last call; costs microseconds when nothing was."""
        rows, decided = self._watch.poll(), self._decided.poll()
        self._hosts.let_go(decided.thread_ids)
        return Changes(rows.is_reload or decided.is_reload, rows.thread_ids | decided.thread_ids)

    # Graphs

    def load_graphs(self) -> tuple[GraphFacts, ...]:
        """Start the hosts and return what they say of their graphs; blocks for about a second."""
        self._use_facts(self._hosts.make().facts())
        return self.facts

    def choose_graph(self, thread_id: str, name: str) -> Thread:
        """Take a graph for a thread that several fit, for this session; refuse one that is not loaded."""
        names = [one.name for one in self.facts if one.error is None]
        if name not in names:
            raise Refused(f"No graph {name} is loaded; there is {', '.join(names) or 'none'}.")
        self._chosen[thread_id] = name
        return self.thread(thread_id)

    def output(self) -> str:
        """Return what the graphs printed so far."""
        return self._hosts.make().output()

    # Deciding

    def decide(
        self,
        thread: Thread,
        choices: Mapping[str, Sequence[Choice]] | None = None,
        values: Mapping[str, Value] | None = None,
        *,
        delay: float = 0.0,
    ) -> Decision:
        """Record the answer to one or more questions of a thread; nothing runs yet.

        Args:
            thread: The thread as the operator saw it.
            choices: By question id, one choice for each of its operations.
            values: By question id, the exact value to send instead.
            delay: Seconds in which the decision can still be withdrawn before it runs.

        Raises:
            Refused: The answer does not fit, or the desk is read-only.
            QuestionTaken: Another decision holds one of the questions.
        """
        return self.record(self.deciding.prepare(thread, choices or {}, values or {}, delay=delay))

    def record(self, order: Order) -> Decision:
        """Write a prepared order into the journal.

        Raises:
            Refused: Graphs are loaded, but it is not known which of them is to carry it out.
            QuestionTaken: Another decision holds one of the questions.
        """
        if self.projects:
            self._hosts.make().host_for(order.graph)
        return self.deciding.record(order)

    def carry_out(self, thread_id: str) -> Future[tuple[Outcome, ...]]:
        """Run what is recorded for a thread, in its host, once the time to withdraw is over."""
        return self._hosts.make().carry_out(thread_id, self.journal.open(thread_id))

    def withdraw(self, decision_id: str) -> bool:
        """Take a decision back that has not started; False when it has."""
        is_withdrawn = self.journal.withdraw(decision_id, self.operator)
        self._hosts.let_go(self.running)
        return is_withdrawn

    def on_event(self, listener: Callable[[Event], None]) -> None:
        """Call the listener with every progress and outcome, from a thread of the desk's own."""
        self._hosts.listeners.append(listener)

    @property
    def running(self) -> tuple[str, ...]:
        """The threads whose decisions are being carried out by this desk."""
        return self._hosts.running

    def stop_after_step(self) -> None:
        """Ask every run to stop after the step in hand."""
        self._hosts.stop_after_step()

    def kill(self) -> None:
        """End the hosts at once; what their runs did becomes unknown."""
        self._hosts.kill()

    def close(self) -> None:
        """End the hosts and close what is open."""
        self._hosts.close()
        self._watch.close()
        self._decided.close()

    @property
    def deciding(self) -> Deciding:
        """What the operator may decide."""
        return self._parts.deciding

    @property
    def travelling(self) -> Travelling:
        """What the operator may see and make of the past."""
        return self._parts.travelling

    def _use_facts(self, facts: tuple[GraphFacts, ...]) -> None:
        self.facts = facts
        self.settings = named_as_loaded(self._given, self.projects, facts)
        self._parts = Parts(self, facts, self._chosen, lambda graph: self._hosts.make().host_for(graph))


def _langgraph_json(base: Path) -> tuple[str, ...]:
    return ("langgraph.json",) if (base / "langgraph.json").is_file() else ()
