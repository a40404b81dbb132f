"""What the doctor sees of the database as a file: where it lies, who has it open, whether all is whole."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from agent_lab_tui.store import surroundings
from agent_lab_tui.store.files import Database
from agent_lab_tui.store.journal.book import Journal, JournalError
from agent_lab_tui.store.surroundings import Mount

from .ailments import Ailment, command


def file_ailments(db: Database, journal: Journal, mounted: Sequence[Mount]) -> Iterator[Ailment]:
    """Look at the file and at the desk's own journal; nothing is changed.

    Args:
        db: The database.
        journal: The desk's record of it.
        mounted: The file systems of this machine.
    """
    yield from _place(db, mounted)
    if db.warning is not None:
        remedy = f"give this account the right to write into {db.path.parent}"
        yield Ailment("the database is read as a copy stands", db.warning.rstrip("."), remedy)
    elif (mode := surroundings.journal_mode(db)) != "wal":
        yield Ailment(
            "the database is not in write-ahead mode",
            f"its journal mode is {mode}: whoever reads keeps its agents from writing, and they the reader",
            f"sqlite3 {db.path} 'PRAGMA journal_mode=WAL', while no agent runs",
        )
    yield from _rights(db)
    yield from _users(db)
    yield from _journal(journal)


def _place(db: Database, mounted: Sequence[Mount]) -> Iterator[Ailment]:
    mount = surroundings.mount_of(db.path, mounted)
    if mount is None or not (mount.is_remote or mount.is_windows):
        return
    kind = "a Windows drive" if mount.is_windows else "a network file system"
    yield Ailment(
        f"the database lies on {kind}",
        f"{db.path} is under {mount.point}, mounted as {mount.kind}: SQLite's locks do not hold there,"
        " so two writers can destroy it",
        "move it and the .desk file beside it to a disk of this machine, while nothing has them open",
    )


def _rights(db: Database) -> Iterator[Ailment]:
    open_ = {path: rights for path in surroundings.files_of(db) if (rights := surroundings.rights(path))}
    if not open_:
        return
    # The desk gives what it makes the rights of the database, and SQLite does: that is no fault of theirs.
    of_database = open_.get(db.path)
    told = {path: rights for path, rights in open_.items() if path == db.path or rights != of_database}
    same = "; the files beside it have its rights" if len(told) < len(open_) else ""
    yield Ailment(
        "others than the owner may look",
        "what agents were asked and answered stands in these files: "
        + ", ".join(f"{path.name} is {rights}" for path, rights in told.items())
        + same,
        shlex.join(("chmod", "600", *map(str, open_))),
    )


def _users(db: Database) -> Iterator[Ailment]:
    # Hosts of this desk have it open on its own order.
    others = (user for user in surroundings.users(db.path) if not user.is_own)
    for user in others:
        yield Ailment(
            "another process has the database open",
            f"process {user.pid} ({user.command[:80] or 'unnamed'})",
            "nothing, if it is your agent or another desk: leases keep desks apart, but not an agent",
        )


def _journal(journal: Journal) -> Iterator[Ailment]:
    try:
        verdict = journal.verify()
    except JournalError as error:
        yield Ailment("the journal cannot be read", str(error).rstrip("."), command("journal", "verify"))
        return
    if not verdict.is_whole:
        at = f" at event {verdict.broken_at}" if verdict.broken_at else ""
        yield Ailment(
            "the journal was changed by another hand",
            f"{verdict.reason}{at}",
            f"{command('journal', 'verify')}; {command('journal', 'export')} keeps what is there",
        )
