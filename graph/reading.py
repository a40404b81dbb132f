"""Threads read from a database: lines for the list, one thread with its questions for the desk."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial

from agent_lab_tui.store import checkpoints, interrupts, threads
from agent_lab_tui.store.checkpoints import CheckpointRow
from agent_lab_tui.store.deltas import rebuilt
from agent_lab_tui.store.files import Database
from agent_lab_tui.store.journal import Journal
from agent_lab_tui.store.steps import Step
from agent_lab_tui.store.threads import ThreadRow

from . import cautions
from .asking import question
from .facts import GraphFacts
from .impact import again_from_top, runs_next
from .lines import line_of, quick_line
from .marks import MarkBook
from .questions import Question
from .settings import Settings
from .situation import situation_of
from .standing import Standing, stand
from .started import started_with
from .state_values import state_values
from .threads import NoSuchCheckpoint, NoSuchThread, NotFound, Thread, ThreadLine, thread_digest

__all__ = ["NoSuchCheckpoint", "NoSuchThread", "NotFound", "Reader", "Thread", "ThreadLine"]

_PAGE = 20_000
"""Threads read at a time: a file in rollback mode is not kept from its agents for longer."""
_ANCESTORS = 200
_EARLIER_ANSWERS = 5


class Reader:
    """Reads one database; may be used from any thread, and reads anew each time."""

    def __init__(
        self,
        db: Database,
        settings: Settings,
        journal: Journal | None = None,
        graphs: Sequence[GraphFacts] = (),
    ) -> None:
        """Take what reading needs.

        Args:
            db: the checkpoint file.
            settings: rules, and answers of plain questions.
            journal: the desk's own record; without it nothing is marked decided or running.
            graphs: what the loaded graphs say of themselves.
        """
        self._db = db
        self._settings = settings
        self._journal = journal
        self._graphs = tuple(graphs)

    @property
    def database(self) -> Database:
        """The file that is read."""
        return self._db

    def unmarked(self) -> Reader:
        """Give a reader of the same file that tells by the rows alone where threads stand."""
        return Reader(self._db, self._settings, None, self._graphs)

    def lines(self, limit: int = 100) -> tuple[ThreadLine, ...]:
        """List the newest threads with their exact situations, newest first."""
        marks = MarkBook(self._journal)
        with self._db.reading() as conn:
            rows = threads.newest(conn, self._db, limit)
            return tuple(self._lines(conn, rows, marks))

    def all_lines(self) -> tuple[ThreadLine, ...]:
        """List every thread, newest first; quiet where a state would have to be decoded to tell more."""
        marks = MarkBook(self._journal)
        marked = marks.marked
        found: list[ThreadLine] = []
        after: str | None = None
        while True:
            with self._db.reading() as conn:
                rows = threads.page(conn, self._db, after, _PAGE)
                slow: list[ThreadRow] = []
                for row in rows:
                    quick = quick_line(row) if row.thread_id not in marked else None
                    if quick is None:
                        slow.append(row)
                    else:
                        found.append(quick)
                found += self._lines(conn, slow, marks)
            if len(rows) < _PAGE:
                return tuple(sorted(found, key=_age, reverse=True))
            after = rows[-1].thread_id

    def line(self, thread_id: str) -> ThreadLine | None:
        """Give one thread's line; None if there is no such thread."""
        return next(iter(self.lines_of([thread_id])), None)

    def lines_of(self, thread_ids: Iterable[str]) -> tuple[ThreadLine, ...]:
        """Give some threads' lines, exactly; those that are gone are left out."""
        marks = MarkBook(self._journal)
        with self._db.reading() as conn:
            rows = threads.few(conn, self._db, thread_ids)
            return tuple(self._lines(conn, rows, marks))

    def thread(self, thread_id: str, checkpoint_id: str | None = None) -> Thread:
        """Give one thread as it stands, or as it stood at a checkpoint.

        Raises:
            NoSuchThread: there is no such thread.
            NoSuchCheckpoint: the thread has no such checkpoint.
        """
        with self._db.reading() as conn:
            head = checkpoints.head(conn, thread_id)
            if head is None:
                raise NoSuchThread(f"There is no thread {thread_id!r} in {self._db.path}.")
            row = head
            if checkpoint_id not in (None, head.checkpoint_id):
                found = checkpoints.get(conn, thread_id, "", str(checkpoint_id))
                if found is None:
                    raise NoSuchCheckpoint(f"Thread {thread_id!r} has no checkpoint {checkpoint_id!r}.")
                row = found
            return self._thread(conn, row, is_head=row.checkpoint_id == head.checkpoint_id)

    def _lines(
        self, conn: sqlite3.Connection, rows: Iterable[ThreadRow], marks: MarkBook
    ) -> Iterator[ThreadLine]:
        for row in rows:
            head = checkpoints.get(conn, row.thread_id, "", row.checkpoint_id)
            if head is not None:
                standing = self._stand(Step(conn, self._db, row.thread_id, head), conn, is_live=True)
                yield line_of(row, standing, marks.of(row.thread_id), self._settings)

    def _stand(self, step: Step, conn: sqlite3.Connection, *, is_live: bool) -> Standing:
        questions = interrupts.questions_of(conn, self._db, step, is_live=is_live)
        return stand(step, questions, self._graphs, is_live=is_live)

    def _thread(self, conn: sqlite3.Connection, row: CheckpointRow, *, is_head: bool) -> Thread:
        """Put one thread together."""
        step = Step(conn, self._db, row.thread_id, row)
        standing = self._stand(step, conn, is_live=is_head)
        marks = MarkBook(self._journal)
        decision = marks.decision(row.thread_id) if is_head else None
        situation, evidence = situation_of(standing.rows, *([marks.of(row.thread_id)] if is_head else []))
        state = state_values(step.body, rebuilt(conn, self._db, row.thread_id, row.checkpoint_id))
        messages = state.values.get("messages") if isinstance(state.values, dict) else None
        earlier = cache(partial(interrupts.answers_given, conn, self._db, limit=_EARLIER_ANSWERS))
        questions = tuple(
            question(
                one,
                row.checkpoint_id,
                standing.match.graph,
                self._settings,
                messages=messages,
                answers_given=earlier,
            )
            for one in standing.questions
        )
        config, from_id = started_with(_chain(conn, row))
        graph = next((one for one in self._graphs if one.name == standing.match.graph), None)
        following = runs_next(standing.paths, graph) if standing.is_under_way else ()
        return Thread(
            thread_id=row.thread_id,
            situation=situation,
            evidence=evidence,
            graph=standing.match.graph,
            checkpoint_id=row.checkpoint_id,
            is_head=is_head,
            digest=thread_digest(
                row.thread_id, row.checkpoint_id, standing.next, (one.digest for one in questions)
            ),
            values=state.values,
            metadata=row.metadata,
            config=config,
            next=standing.next,
            reruns=_again(standing, questions, graph),
            runs_next=tuple(one.name for one in following) or _first(standing),
            error=standing.error,
            questions=questions,
            decision=decision,
            warnings=tuple(self._warnings(step, standing, graph, state.warnings, from_id)),
        )

    def _warnings(
        self,
        step: Step,
        standing: Standing,
        graph: GraphFacts | None,
        of_state: Sequence[str],
        config_from: str | None,
    ) -> Iterator[str]:
        if self._db.warning is not None:
            yield self._db.warning
        if standing.match.warning is not None:
            yield standing.match.warning
        yield from of_state
        yield from cautions.of_step(step, standing.questions)
        if graph is not None:
            yield from cautions.of_graph(graph, step, standing.questions)
        if config_from is not None:
            yield f"The newest checkpoint has lost the run's configuration; it is taken from {config_from}."


def _chain(conn: sqlite3.Connection, row: CheckpointRow) -> Iterator[CheckpointRow]:
    """Give a checkpoint and its ancestors, one read at a time."""
    seen = {row.checkpoint_id}
    found: CheckpointRow | None = row
    while found is not None:
        yield found
        parent = found.parent_id
        if parent is None or parent in seen or len(seen) >= _ANCESTORS:
            return
        seen.add(parent)
        found = checkpoints.get(conn, row.thread_id, row.ns, parent)


def _again(standing: Standing, questions: Sequence[Question], graph: GraphFacts | None) -> tuple[str, ...]:
    """Name what runs again from its top: what asks, and what else of the step has not finished."""
    if not standing.is_under_way:
        return ()
    asking = {one.path[0] for one in questions}
    others = (node for node in standing.next if node not in asking)
    return tuple(dict.fromkeys((*again_from_top(questions, graph), *others)))


def _first(standing: Standing) -> tuple[str, ...]:
    """Name what runs first where nothing has begun."""
    return () if standing.is_under_way else tuple(dict.fromkeys(standing.next))


def _age(line: ThreadLine) -> str:
    return line.checkpoint_id
