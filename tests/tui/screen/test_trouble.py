"""What goes wrong away from the screen is one sentence on it; the desk stays."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from agent_lab_tui.tui import app
from agent_lab_tui.tui.app import DeskApp
from agent_lab_tui.tui.commands import open as opening
from agent_lab_tui.tui.options import Options

YES_OR_NO = '[answers."graph:gate"]\napprove = "approve"\nreject = "reject: {reason}"\n'


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a database so that nobody can even read it."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        yield
        connection.execute("ROLLBACK")


@pytest.fixture
def lockable(make_case, shared: Path, desk_of):
    """Open a desk on a file whose writers keep readers out."""
    path = make_case("04")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode=delete")
    (folder,) = shared.glob("cases/04-*")
    return desk_of(path, f"{folder / 'graph.py'}:builder", settings=YES_OR_NO)


async def test_a_no_while_the_database_is_locked_sends_nothing_and_says_so(lockable, at) -> None:
    desk = lockable
    async with at(desk, (120, 30)) as hand:
        await hand.open("pay-881")
        await hand.press("space", "space", "space")
        with locked(desk.database.path):
            await hand.press("r")
            await hand.until_seen("Reject")
            await hand.type("no")
            await hand.press("enter")
            await hand.until_seen("Nothing was sent: the database is locked")
        assert not desk.journal.open()
        assert hand.app.screen is hand.desk
        await hand.until(lambda: not hand.desk.is_sending)


@pytest.mark.parametrize("key", ["h", "f", "p", "Y", "i", "slash"])
async def test_the_past_of_a_database_that_went_away_is_told_in_a_sentence(zoo_db, desk_of, at, key) -> None:
    async with at(desk_of(zoo_db), (120, 30)) as hand:
        await hand.until(lambda: hand.desk.shown is not None)
        if key != "h":
            await hand.press("h")
            await hand.until(lambda: hand.desk.query_one("#tree").rows)
        zoo_db.rename(zoo_db.with_name("moved.db"))
        hand.desk.query_one("ReceiptLine").note("")
        await hand.press(key)
        if key == "slash":
            await hand.type("1")
            await hand.press("enter")
        if key in ("f", "p"):
            await hand.until_seen("no graph is loaded")
        else:
            await hand.until_seen("could not be read: the database is gone")
        assert hand.desk in hand.app.screen_stack


async def test_a_fork_of_a_database_that_went_away_is_told_in_a_sentence(case, at) -> None:
    desk = case("04", "builder", settings=YES_OR_NO)
    async with at(desk, (120, 30)) as hand:
        await hand.open("pay-881")
        for key in ("f", "p"):
            await hand.press("h")
            await hand.until(lambda: hand.desk.query_one("#tree").rows)
            moved = desk.database.path.rename(desk.database.path.with_name("moved.db"))
            hand.desk.query_one("ReceiptLine").note("")
            await hand.press(key)
            await hand.until_seen("Nothing was sent: the database is gone")
            assert hand.app.screen is hand.desk
            moved.rename(desk.database.path)


def test_a_fault_of_the_screen_ends_it_with_an_exit_code_and_shows_no_values(
    zoo_db: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Faulty(DeskApp):
        """A screen that breaks while the agent's data are in a variable."""

        CSS_PATH = Path(app.__file__).with_name("app.tcss")

        def on_mount(self) -> None:
            secret = "value of " + "the agent"
            self.set_timer(0.01, lambda: [].remove(secret))

        def run(self) -> None:  # type: ignore[override]
            super().run(headless=True)

    monkeypatch.setattr("agent_lab_tui.tui.app.DeskApp", Faulty)
    assert opening.open_screen(Options(db=str(zoo_db))) == 1
    told = capsys.readouterr()
    assert "ValueError" in told.err + told.out
    assert "value of the agent" not in told.err + told.out
