"""The ledger: one row a key, claimed before the deed, never lost, never done twice unasked."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from agent_lab_tui.store.cipher import KEY, CannotDecrypt
from agent_lab_tui.store.effects import Busy, Conflict, Effects
from agent_lab_tui.store.journal.book import Journal
from agent_lab_tui.store.journal.file import JournalFile


@pytest.fixture
def effects(tmp_path: Path) -> Effects:
    return Effects(tmp_path / "ledger.db")


def begin_in_a_process_that_dies(path: Path, key: str = "run-1:1:1") -> None:
    code = (
        "import os, sys\n"
        "from agent_lab_tui.store.effects import Effects\n"
        f"Effects(sys.argv[1]).begin({key!r}, 'mail', {{'to': 'ann'}})\n"
        "os.kill(os.getpid(), 9)\n"
    )
    assert subprocess.run([sys.executable, "-c", code, str(path)], check=False).returncode == -9


def test_the_first_to_begin_may_do_it_and_a_repeat_gets_the_result(effects: Effects) -> None:
    begun = effects.begin("run-1:1:1", "mail", {"to": "ann"})
    assert begun.is_ours
    effects.finish(begun.effect, {"id": 7})
    repeat = effects.begin("run-1:1:1", "mail", {"to": "ann"})
    assert not repeat.is_ours
    assert (repeat.effect.state, repeat.effect.result) == ("done", {"id": 7})


def test_the_order_of_arguments_does_not_matter(effects: Effects) -> None:
    effects.finish(effects.begin("k", "mail", {"to": "ann", "cc": "bob"}).effect, 1)
    assert effects.begin("k", "mail", {"cc": "bob", "to": "ann"}).effect.state == "done"


@pytest.mark.parametrize(("operation", "arguments"), [("mail", {"to": "bob"}), ("pay", {"to": "ann"})])
def test_a_key_with_another_content_is_a_conflict_and_changes_nothing(
    effects: Effects, operation: str, arguments: dict[str, str]
) -> None:
    effects.finish(effects.begin("k", "mail", {"to": "ann"}).effect, 1)
    before = effects.find("k")
    with pytest.raises(Conflict, match="k stands since"):
        effects.begin("k", operation, arguments)
    assert effects.find("k") == before


def test_what_is_known_not_to_be_done_may_be_done_with_other_arguments(effects: Effects) -> None:
    effects.clear(effects.begin("k", "mail", {"to": "ann"}).effect, "refused by the service")
    again = effects.begin("k", "mail", {"to": "bob"})
    assert (again.is_ours, again.effect.attempt) == (True, 2)


def test_a_deed_in_hand_in_this_process_is_left_alone(effects: Effects) -> None:
    effects.begin("k", "mail", {})
    with pytest.raises(Busy, match=str(os.getpid())):
        effects.begin("k", "mail", {})


def test_a_deed_of_a_dead_process_is_unknown(effects: Effects) -> None:
    begin_in_a_process_that_dies(effects.path)
    found = effects.begin("run-1:1:1", "mail", {"to": "ann"})
    assert not found.is_ours
    assert found.effect.state == "unknown"
    assert "nobody said how it went" in (found.effect.note or "")


def test_an_unknown_deed_is_begun_again_by_one_only(effects: Effects) -> None:
    effect = effects.doubt(effects.begin("k", "mail", {}).effect, "timeout")
    assert effects.begin_again(effect).is_ours
    assert not effects.begin_again(effect).is_ours


def test_of_many_threads_one_does_it(effects: Effects) -> None:
    start = threading.Barrier(8)

    def begin(_: int) -> bool:
        start.wait()
        try:
            return effects.begin("k", "mail", {}).is_ours
        except Busy:
            return False

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(begin, range(8))) == [False] * 7 + [True]


def test_arguments_are_not_kept_in_clear(effects: Effects) -> None:
    effects.finish(effects.begin("k", "mail", {"to": "secret@example.com"}).effect, 1)
    assert b"secret@example.com" not in effects.path.read_bytes()


def test_where_checkpoints_are_encrypted_results_and_notes_are_sealed(
    effects: Effects, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("Crypto")
    monkeypatch.setenv(KEY, "0123456789abcdef")
    effects.finish(effects.begin("k", "mail", {}).effect, "sent to ann", "seen by bob")
    effects.doubt(effects.begin("l", "mail", {}).effect, "no answer from carol")
    assert effects.begin("k", "mail", {}).effect.result == "sent to ann"
    kept = effects.path.read_bytes()
    assert not [name for name in (b"ann", b"bob", b"carol") if name in kept]
    monkeypatch.delenv(KEY)
    looked = effects.find("k")
    assert looked is not None
    assert (looked.state, looked.result, looked.note) == ("done", "sealed", "sealed")
    with pytest.raises(CannotDecrypt):
        effects.begin("k", "mail", {})


def test_what_could_not_be_kept_is_not_begun(effects: Effects, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, "too short")
    with pytest.raises(CannotDecrypt):
        effects.begin("k", "mail", {})
    assert effects.find("k") is None


def test_a_new_ledger_is_its_owners_alone(effects: Effects) -> None:
    effects.begin("k", "mail", {})
    assert stat.S_IMODE(effects.path.stat().st_mode) == 0o600


def test_it_lives_in_a_file_with_foreign_tables_and_leaves_them_alone(tmp_path: Path) -> None:
    path = tmp_path / "business.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE orders(id INTEGER PRIMARY KEY, note TEXT)")
        connection.execute("INSERT INTO orders(note) VALUES ('mine')")
    effects = Effects(path)
    effects.finish(effects.begin("k", "mail", {}).effect, None)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT * FROM orders").fetchall() == [(1, "mine")]


def test_it_lives_in_the_journal_and_does_not_break_its_chain(tmp_path: Path) -> None:
    database = tmp_path / "agent.db"
    database.touch(mode=0o600)
    effects = Effects(f"{database}.desk")
    effects.finish(effects.begin("k", "mail", {}).effect, "sent")
    journal = Journal(database)
    assert journal.events() == ()
    assert journal.verify().is_whole
    found = effects.find("k")
    assert found is not None
    assert found.result == "sent"


def test_reading_makes_no_file(tmp_path: Path) -> None:
    effects = Effects(tmp_path / "none.db", is_readonly=True)
    assert effects.find("k") is None
    assert effects.all() == ()
    assert list(tmp_path.iterdir()) == []


def test_a_readonly_look_leaves_no_file_beside_it(effects: Effects) -> None:
    effects.finish(effects.begin("k", "mail", {}).effect, 1)
    before = sorted(effects.path.parent.iterdir())
    assert Effects(effects.path, is_readonly=True).find("k") == effects.find("k")
    assert sorted(effects.path.parent.iterdir()) == before


def test_effects_are_listed_by_the_beginning_of_their_keys(effects: Effects) -> None:
    for key in ("run-1:1:1", "run-1:1:2", "run-10:1:1"):
        effects.begin(key, "mail", {})
    assert [effect.key for effect in effects.all("run-1:")] == ["run-1:1:1", "run-1:1:2"]


def test_times_are_utc_whole_seconds_with_a_z(effects: Effects, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Shanghai")
    at = effects.begin("k", "mail", {}).effect.started_at
    assert len(at) == len("2026-01-01T00:00:00Z")
    assert at.endswith("Z")


def test_a_ledger_may_stand_where_the_journal_will_be_before_there_is_a_database(tmp_path: Path) -> None:
    """An agent may do its first deed under a saver in memory; the desk finds the ledger afterwards."""
    effects = Effects(tmp_path / "agent.db.desk")
    effects.finish(effects.begin("k", "mail", {}).effect, "sent")
    assert stat.S_IMODE(effects.path.stat().st_mode) == 0o600
    (tmp_path / "agent.db").touch(0o600)
    journal = JournalFile.beside(tmp_path / "agent.db")
    with journal.writing():
        pass
    with journal.reading() as connection:
        assert connection is not None
    assert effects.begin("k", "mail", {}).effect.result == "sent"
