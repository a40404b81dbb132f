"""LangGraph's saver on the desk's file: one that only reads, and one that writes once something runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import monotonic

import aiosqlite
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from agent_lab_tui.store.files import Database

from .file_marks import FileMark, mark_of

LOCKED_SECONDS = 30.0
"""How long a run waits for another writer before it fails."""
TURN_SECONDS = 10.0
"""How long the start of a run waits for another writer; nothing has run then, and it is tried again."""
SILENT_SECONDS = 0.5
"""How long it waits without a word."""


class CannotWrite(Exception):
    """Nothing can be run on this file now; the message is one sentence."""


class Savers:
    """The connections of one host to one checkpoint file, opened when first needed.

    The writing one changes the file (write-ahead log, missing columns), so it is opened for a run and not
    before, when all checks are done. A connection stays on the file that it was opened on: where another was
    put under the path since, such as a backup, it is opened again.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._reading: aiosqlite.Connection | None = None
        self._writing: aiosqlite.Connection | None = None
        self._read: FileMark | None = None
        self._written: FileMark | None = None

    @property
    def database(self) -> Database:
        """The file as it is now: setting it up for a run adds what an old one lacks."""
        return self._database

    async def reading(self, serde: SerializerProtocol) -> AsyncSqliteSaver:
        """Return a saver that cannot change the file."""
        now = mark_of(self._database.path)
        if self._reading is not None and self._read is not None and self._read.file != now.file:
            await self._reading.close()
            self._reading = None
        if self._reading is None:
            self._read = now
            view = "mode=ro&immutable=1" if self._database.is_immutable else "mode=ro"
            self._reading = await aiosqlite.connect(f"{self._database.path.as_uri()}?{view}", uri=True)
        saver = AsyncSqliteSaver(self._reading, serde=serde)
        saver.is_setup = True
        saver._has_task_path = self._database.has_task_path
        return saver

    async def writing(self, serde: SerializerProtocol) -> AsyncSqliteSaver:
        """Return a saver for a run.

        Raises:
            CannotWrite: The file or its folder is read-only, or another process holds it locked.
        """
        if self._database.is_immutable:
            raise CannotWrite(f"{self._database.path} lies where nothing can be written, so nothing can run.")
        self.demand_own_log()
        now = mark_of(self._database.path)
        if self._writing is not None and self._written is not None and self._written.file != now.file:
            await self._writing.close()  # SQLite sees that its file was moved, and leaves the new one's log
            self._writing = None
        is_new = self._writing is None
        try:
            if self._writing is None:
                self._writing = await aiosqlite.connect(
                    f"{self._database.path.as_uri()}?mode=rw", uri=True, timeout=LOCKED_SECONDS
                )
            saver = AsyncSqliteSaver(self._writing, serde=serde)
            await saver.setup()
        except aiosqlite.Error as error:
            raise CannotWrite(f"{self._database.path} cannot be written now: {error}.") from error
        if is_new:  # its log is there once it was set up
            self._written = FileMark(now.file, mark_of(self._database.path).log)
        self._database = replace(self._database, has_task_path=True)  # an old file has got the column now
        return saver

    def mark(self) -> FileMark:
        """Return which file lies under the path now."""
        return mark_of(self._database.path)

    def is_replaced(self) -> bool:
        """Return whether what was opened for writing lies under the path no more."""
        is_moved = self._written is not None and self._written.file != self.mark().file
        return is_moved or self.is_log_lost()

    def demand_same(self, judged: FileMark) -> None:
        """Refuse a run on another file than the one that was judged fit for it.

        Raises:
            CannotWrite: The file was replaced since.
        """
        if self.is_replaced() or (self._written is not None and self._written.file != judged.file):
            raise CannotWrite(
                f"{self._database.path} was replaced just before the run; nothing was sent, and the decision"
                " is kept: look at the thread, then let the decision run or withdraw it."
            )

    def demand_own_log(self) -> None:
        """Refuse to touch a file whose log was removed while it was open: the open one goes nowhere.

        Raises:
            CannotWrite: Only another process can open this file soundly.
        """
        if self.is_log_lost():
            raise CannotWrite(
                f"The write-ahead log of {self._database.path} was removed while the graphs had it open;"
                " nothing was sent, and the decision is kept: end this program and start it again."
            )

    def is_log_lost(self) -> bool:
        """Return whether the write-ahead log of the open file was removed or replaced."""
        written, now = self._written, self.mark()
        return written is not None and written.file == now.file and written.log not in (None, now.log)

    async def wait_for_turn(self, tell_waiting: Callable[[str], None]) -> None:
        """Wait until the file can be written, before anything runs.

        Args:
            tell_waiting: Is told once, in a sentence, that another process holds it.

        Raises:
            CannotWrite: It is held for too long.
        """
        path = self._database.path
        until = monotonic() + TURN_SECONDS
        is_told = False
        while not self._database.is_immutable and await self._is_locked():
            if monotonic() >= until:
                raise CannotWrite(
                    f"{path} is locked by another process; nothing was sent, and the decision is kept:"
                    " let it go on once that process is done."
                )
            if not is_told:
                tell_waiting(f"{path} is locked by another process; waiting.")
                is_told = True

    async def _is_locked(self) -> bool:
        """Tell whether another process writes; what else is wrong is said by whoever opens it for the run."""
        place = f"{self._database.path.as_uri()}?mode=rw"
        try:
            async with aiosqlite.connect(place, uri=True, timeout=SILENT_SECONDS) as probe:
                await probe.execute("BEGIN IMMEDIATE")
                await probe.rollback()
        except aiosqlite.OperationalError as error:
            return "locked" in str(error)
        return False

    async def close(self) -> None:
        """Close what is open; a run in hand must be over."""
        if self.is_log_lost():
            return  # closing would write the removed log over whatever was put into the file
        for connection in (self._reading, self._writing):
            if connection is not None:
                await connection.close()
        self._reading = self._writing = None


def own_serializer(checkpointer: object) -> SerializerProtocol | None:
    """Return the serializer of a graph's own saver where it is a special one, such as an encrypting one."""
    if not isinstance(checkpointer, BaseCheckpointSaver):
        return None
    serde = checkpointer.serde
    is_usual = type(serde) is JsonPlusSerializer and not serde.pickle_fallback
    return None if is_usual else serde
