"""Threads read from a database: lines for the list, one thread with its questions for the desk."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from operator import attrgetter
from typing import TYPE_CHECKING

from agent_lab_tui.store.checkpoints import interrupts, threads
from agent_lab_tui.store.checkpoints import rows as checkpoints
from agent_lab_tui.store.checkpoints.steps import Step
from agent_lab_tui.store.checkpoints.threads import ThreadRow
from agent_lab_tui.store.files import Connection, Database
from agent_lab_tui.store.journal.book import Journal

from ..settings.file import Settings
from .lines import line_of, quick_lines
from .marks import MarkBook
from .owners import Owners
from .situation import Situation
from .standing import stand
from .threads import NoSuchCheckpoint, NoSuchThread, NotFound, Thread, ThreadLine

if TYPE_CHECKING:
    from ..hosting.facts import GraphFacts

__all__ = ["NoSuchCheckpoint", "NoSuchThread", "NotFound", "Reader", "Thread", "ThreadLine"]

_PAGE = 20_000
"""Threads read at a time: a file in rollback mode is not kept from its agents for longer."""


class Reader:
    """Reads one database; may be used from any thread, and reads anew each time."""

    def __init__(
        self,
        db: Database,
        settings: Settings,
        journal: Journal | None = None,
        graphs: Sequence[GraphFacts] = (),
        owners: Owners | None = None,
    ) -> None:
        """Take what reading needs.

        Args:
            db: the checkpoint file.
            settings: rules, and answers of plain questions.
            journal: the desk's own record; without it nothing is marked decided or running.
            graphs: what the loaded graphs say of themselves.
            owners: what is known of whose a thread is; left out, the journal alone is asked.
        """
        self._db = db
        self._settings = settings
        self._journal = journal
        self._graphs = tuple(graphs)
        self._owners = owners or Owners(journal)

    @property
    def database(self) -> Database:
        """The file that is read."""
        return self._db

    def unmarked(self) -> Reader:
        """Give a reader of the same file that tells by the rows alone where threads stand."""
        return Reader(self._db, self._settings, None, self._graphs, self._owners)

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
            with self._db.reading() as conn, _no_collection():
                rows = threads.page(conn, self._db, after, _PAGE)
                quick, unclear = quick_lines(rows, marked)
                found += quick
                found += self._lines(conn, unclear, marks)
            if len(rows) < _PAGE:
                return tuple(sorted(found, key=attrgetter("checkpoint_id"), reverse=True))
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
        from .sheet import ThreadSheet  # what only a request needs is not loaded for a list

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
            sheet = ThreadSheet(
                conn,
                self._db,
                row,
                self._settings,
                self._graphs,
                owners=self._owners,
                is_head=row.checkpoint_id == head.checkpoint_id,
            )
            return sheet.thread(MarkBook(self._journal))

    def was_asked(self, thread_id: str, question_id: str) -> bool:
        """Tell whether a thread has ever asked a question of this id."""
        with self._db.reading() as conn:
            return interrupts.was_asked(conn, self._db, thread_id, question_id)

    def _lines(self, conn: Connection, rows: Iterable[ThreadRow], marks: MarkBook) -> Iterator[ThreadLine]:
        for row in rows:
            head = checkpoints.get(conn, row.thread_id, "", row.checkpoint_id)
            if head is not None:
                step = Step(conn, self._db, row.thread_id, head)
                questions = interrupts.questions_of(conn, self._db, step, is_live=True)
                standing = stand(step, questions, self._graphs, is_live=True, owners=self._owners)
                of_thread = marks.of(row.thread_id, row.checkpoint_id, standing.due)
                line = line_of(row, standing, of_thread, self._settings)
                if of_thread.broken_off and line.situation is Situation.STOPPED:
                    line = line._replace(asks=f"{line.asks} (its run broke off)")
                yield line


@contextmanager
def _no_collection() -> Iterator[None]:
    """Hold the garbage collector off: it would walk 100,000 rows without a cycle time and again."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
