"""Changes by other processes: named by thread, found without reading rows."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from langgraph.types import Command

from agent_lab_tui.store.checkpoints.threads import Changes, Watch
from agent_lab_tui.store.files import open_database


@pytest.fixture
def watch(agent: Any) -> Iterator[Watch]:
    """A watch on a file with one waiting thread."""
    agent.run("t")
    made = Watch(open_database(str(agent.path)))
    made.poll()
    yield made
    made.close()


def test_nothing_changed_is_nothing(watch: Watch) -> None:
    assert not watch.poll()
    assert watch.poll() == Changes()


def test_a_new_thread_and_a_resumed_one_are_named(agent: Any, watch: Watch) -> None:
    agent.run("new")
    assert watch.poll() == Changes(thread_ids=frozenset({"new"}))
    agent.run("t", Command(resume="yes"))
    assert watch.poll() == Changes(thread_ids=frozenset({"t"}))
    assert not watch.poll()


def test_a_write_alone_is_a_change(agent: Any, watch: Watch) -> None:
    """Answering one of several parallel questions stores no checkpoint."""
    with pytest.raises(ValueError, match="boom"):
        agent.run("t", Command(resume="boom"))
    assert watch.poll() == Changes(thread_ids=frozenset({"t"}))


def test_a_deleted_thread_asks_for_a_reload(agent: Any, watch: Watch) -> None:
    """Of the last thread the counters go down; of one in the middle only the number of rows tells."""
    agent.run("last")
    assert not watch.poll().is_reload
    agent.saver.delete_thread("last")
    assert watch.poll().is_reload
    agent.run("later")
    watch.poll()
    agent.saver.delete_thread("t")
    assert watch.poll().is_reload


def test_a_thread_deleted_while_another_ran_asks_for_a_reload(agent: Any, watch: Watch) -> None:
    agent.run("other")
    watch.poll()
    agent.saver.delete_thread("t")
    agent.run("new")
    changes = watch.poll()
    assert changes.is_reload
    assert "new" in changes.thread_ids


def test_what_changed_before_the_rows_were_counted_is_named_and_asks_for_a_reload(agent: Any) -> None:
    """Opening a file does not wait for the count; a deletion in between cannot be told, so all is read."""
    agent.run("t")
    agent.run("other")
    with closing(Watch(open_database(str(agent.path)))) as watch:
        agent.saver.delete_thread("t")
        agent.run("new")
        assert watch.poll() == Changes(is_reload=True, thread_ids=frozenset({"new"}))
        assert not watch.poll()
        agent.run("newer")
        assert watch.poll() == Changes(thread_ids=frozenset({"newer"}))


def test_tables_of_the_application_are_no_change(agent: Any, watch: Watch) -> None:
    with closing(sqlite3.connect(agent.path)) as conn:
        conn.execute("CREATE TABLE orders (id INTEGER)")
        conn.commit()
    assert not watch.poll()


def test_a_file_put_in_its_place_asks_for_a_reload(
    agent: Any, watch: Watch, tmp_path: Path, agent_at: Callable[[Path], Any]
) -> None:
    """A restored backup is another file under the same name."""
    other = agent_at(tmp_path / "backup.db")
    other.run("restored")
    other.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    shutil.copy(other.path, tmp_path / "copy.db")
    agent.conn.close()
    for end in ("-wal", "-shm"):
        Path(f"{agent.path}{end}").unlink(missing_ok=True)
    os.replace(tmp_path / "copy.db", agent.path)
    assert watch.poll() == Changes(is_reload=True)
    assert not watch.poll()


def test_a_backup_with_as_many_rows_asks_for_a_reload(
    agent: Any, watch: Watch, tmp_path: Path, agent_at: Callable[[Path], Any]
) -> None:
    """Restored by SQLite into the file itself: neither the file nor a row number tells."""
    with closing(sqlite3.connect(tmp_path / "backup.db")) as backup:
        agent.conn.backup(backup)
        agent.run("later")
        assert watch.poll() == Changes(thread_ids=frozenset({"later"}))
        with closing(sqlite3.connect(tmp_path / "other.db")) as other:
            backup.backup(other)
        with closing(agent_at(tmp_path / "other.db").conn) as conn:
            agent_at(tmp_path / "other.db").run("instead")
            conn.backup(agent.conn)
    assert watch.poll().is_reload
    assert not watch.poll()


def test_a_backup_copied_over_the_file_asks_for_a_reload(
    agent: Any, watch: Watch, tmp_path: Path, agent_at: Callable[[Path], Any]
) -> None:
    """The same file, as many rows, and nothing that SQLite counts."""
    other = agent_at(tmp_path / "backup.db")
    other.run("restored")
    other.conn.execute("PRAGMA journal_mode = DELETE")
    other.conn.close()
    agent.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    agent.conn.close()
    watch.poll()
    agent.path.write_bytes((tmp_path / "backup.db").read_bytes())
    assert watch.poll().is_reload
    assert not watch.poll()


def test_folding_in_the_log_is_no_change(agent: Any, watch: Watch) -> None:
    agent.run("more")
    watch.poll()
    agent.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert not watch.poll()


def test_a_file_that_is_gone_or_locked_for_the_moment_has_not_changed(agent: Any, watch: Watch) -> None:
    moved = agent.path.with_name("moved.db")
    agent.path.rename(moved)
    assert not watch.poll()
    moved.rename(agent.path)
    assert not watch.poll()
