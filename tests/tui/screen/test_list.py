"""The list: what is in it, in which order, and that nothing in it jumps."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph
from textual.app import App, ComposeResult

from agent_lab_tui.graph.reading.reader import ThreadLine
from agent_lab_tui.graph.reading.situation import Situation
from agent_lab_tui.tui.flows.arrivals import Arrivals
from agent_lab_tui.tui.threads import Filter, Threads, label_text
from agent_lab_tui.tui.widgets.thread_list import ThreadList


def line(
    thread_id: str, situation: Situation = Situation.WAITING, at: float = 0.0, asks: str = "pay"
) -> ThreadLine:
    return ThreadLine(thread_id, situation, asks, 1, "agent", 1, f"c-{thread_id}", at)


def ids(rows) -> list[str]:
    return [row.thread_id for row in rows]


def test_waiting_threads_come_first_newest_on_top() -> None:
    threads = Threads().replaced(
        [
            line("done", Situation.DONE, 9),
            line("old", at=1),
            line("failed", Situation.FAILED, 8),
            line("new", at=2),
        ]
    )
    assert ids(threads.sorted) == ["new", "old", "failed", "done"]


def test_what_failed_of_ones_own_decisions_comes_back_on_top() -> None:
    threads = Threads().replaced([line("a", at=5), line("b", Situation.FAILED, 1)]).with_returned("b")
    assert ids(threads.sorted) == ["b", "a"]


def test_a_changed_thread_moves_and_a_gone_one_goes() -> None:
    threads = Threads().replaced([line("a", at=3), line("b", at=2), line("c", at=1)])
    changed = threads.changed([line("a", Situation.DONE, 4)], gone=["c"])
    assert ids(changed.sorted) == ["b", "a"]
    assert ids(threads.sorted) == ["a", "b", "c"]


def test_a_filter_takes_words_and_situations() -> None:
    threads = Threads().replaced(
        [
            line("inv-1", asks="Refund"),
            line("inv-2", Situation.FAILED, asks="refund"),
            line("x [b]", asks="push"),
        ]
    )
    assert ids(threads.passing(Filter.parse("inv refund"))) == ["inv-1", "inv-2"]
    assert ids(threads.passing(Filter.parse("inv :wait"))) == ["inv-1"]
    assert ids(threads.passing(Filter.parse("["))) == ["x [b]"]
    assert ids(threads.passing(Filter.parse(""))) == ids(threads.sorted)


def test_a_filter_finds_what_a_thread_asks_now() -> None:
    threads = Threads().replaced([line("a", asks="push")])
    assert threads.passing(Filter.parse("push"))
    assert not threads.changed([line("a", asks="mail")]).passing(Filter.parse("push"))


def test_a_filter_finds_threads_by_what_their_runs_were_given() -> None:
    threads = Threads().replaced(
        [line("job-1"), line("job-2"), line("job-3", asks="user_id=ann"), line("ann")]
    )
    labels = {
        "c-job-1": label_text({"user_id": "Ann"}),
        "c-job-2": label_text({"user_id": "Bob", "x": "ann"}),
    }
    assert ids(threads.passing(Filter.parse("user_id=ann"), labels)) == ["job-1", "job-3"]
    assert ids(threads.passing(Filter.parse("user_id:an job"), labels)) == ["job-1"]
    assert ids(threads.passing(Filter.parse("id=ann"), labels)) == ["job-3"]
    assert Filter.parse("user_id=ann").needs_labels
    assert not Filter.parse("ann :waiting").needs_labels


async def test_the_list_is_narrowed_to_a_users_threads_while_it_is_typed(tmp_path: Path, desk_of, at) -> None:
    path = tmp_path / "agent.db"
    with closing(sqlite3.connect(path, check_same_thread=False)) as connection:
        graph = StateGraph(dict)
        graph.add_node("step", lambda state: {})
        graph.add_edge(START, "step")
        compiled = graph.compile(checkpointer=SqliteSaver(connection))
        for thread_id, user in (("job-1", "ann"), ("job-2", "bob"), ("job-3", "ann")):
            compiled.invoke({}, {"configurable": {"thread_id": thread_id, "user_id": user}})
    async with at(desk_of(path)) as hand:
        listed = hand.desk.query_one(ThreadList)
        await hand.until(lambda: len(listed.rows) == 3)
        assert not hand.desk.arrivals.labels
        await hand.press("slash")
        await hand.type("user_id=ann")
        await hand.until(lambda: sorted(ids(listed.rows)) == ["job-1", "job-3"])
        await hand.press("escape")
        await hand.until(lambda: len(listed.rows) == 3)


def test_new_threads_wait_outside_while_the_list_is_held() -> None:
    arrivals = Arrivals()
    first = Threads().replaced([line("a", at=2), line("b", at=1)])
    assert ids(arrivals.take(first, frozenset(), is_held=False)) == ["a", "b"]
    more = first.changed([line("new", at=9), line("b", Situation.DECIDED, 9)])
    rows = arrivals.take(more, frozenset(["new"]), is_held=True)
    assert ids(rows) == ["a", "b"]
    assert rows[1].situation is Situation.DECIDED
    assert arrivals.waiting == {"new"}
    assert ids(arrivals.release()) == ["new", "a", "b"]
    assert arrivals.look(above=["new"], listed=["new", "a", "b"]) == 1
    assert arrivals.look(above=[], listed=["new", "a", "b"]) == 0


class Listed(App[None]):
    """The smallest app that lists threads."""

    def compose(self) -> ComposeResult:
        yield ThreadList()


async def test_the_cursor_and_the_lines_around_it_stay_when_threads_come_in_above() -> None:
    rows = tuple(line(f"t{index:03}", at=-index) for index in range(100))
    async with Listed().run_test(size=(40, 10)) as pilot:
        listed = pilot.app.query_one(ThreadList)
        listed.focus()
        listed.rows = rows
        await pilot.press("down", "down", "down")
        assert listed.current.thread_id == "t003"
        listed.rows = (line("new1"), line("new2"), *rows)
        await pilot.pause()
        assert listed.current.thread_id == "t003"
        assert listed.cursor - listed.scroll_offset.y == 3


async def test_a_row_that_goes_away_hands_the_cursor_to_its_neighbour_and_says_so() -> None:
    told = []

    class Telling(Listed):
        def on_line_list_highlighted(self, message: ThreadList.Highlighted) -> None:
            told.append(message.row.thread_id)

    async with Telling().run_test(size=(40, 10)) as pilot:
        listed = pilot.app.query_one(ThreadList)
        listed.focus()
        listed.rows = tuple(line(name) for name in "abc")
        await pilot.press("down")
        listed.rows = tuple(line(name) for name in "ac")
        await pilot.pause()
        assert listed.current.thread_id == "c"
        assert told == ["b", "c"]


async def test_rows_line_up_whatever_script_the_ids_are_in() -> None:
    rows = [
        line("受注-２０２６-０００１", asks="送金"),
        line("🧾-42", asks="x" * 40),
        line("plain"),
        line("e\u0301\u0301"),
    ]
    async with Listed().run_test(size=(40, 10)) as pilot:
        listed = pilot.app.query_one(ThreadList)
        listed.rows = tuple(rows)
        await pilot.pause()
        strips = [listed.render_line(y) for y in range(4)]
        assert {strip.cell_length for strip in strips} == {listed.room}
        assert len({strip.crop(0, 3).text for strip in strips}) == 1


async def test_a_real_database_is_listed_with_its_situations_and_counts(zoo_db: Path, desk_of, at) -> None:
    async with at(desk_of(zoo_db)) as hand:
        await hand.until_seen("33 threads")
        seen = hand.seen()
        assert "26 waiting" in seen
        assert "1 failed" in seen
        assert "No graph is loaded: threads can be read, not decided" in seen


async def test_the_filter_narrows_while_it_is_typed_and_escape_takes_one_step_back(
    zoo_db: Path, desk_of, at
) -> None:
    async with at(desk_of(zoo_db)) as hand:
        await hand.until_seen("33 threads")
        await hand.press("slash")
        await hand.type("inbox")
        listed = hand.desk.query_one(ThreadList)
        assert sorted(ids(listed.rows)) == ["inbox-list", "inbox-single"]
        await hand.until_seen("send_email")
        await hand.type("zz")
        assert "No thread matches." in hand.seen()
        await hand.press("backspace", "backspace", "enter")
        assert listed.has_focus
        assert len(listed.rows) == 2
        await hand.press("escape")
        assert len(listed.rows) == 33


async def test_a_question_that_comes_while_nobody_looks_appears_by_itself(zoo_db: Path, desk_of, at) -> None:
    async with at(desk_of(zoo_db)) as hand:
        await hand.until_seen("33 threads")
        await hand.press("enter")
        first = ids(hand.desk.query_one(ThreadList).rows)
        copy_thread(zoo_db, "linear-approval", "brand-new")
        await hand.until_seen("1 new ↑")
        assert ids(hand.desk.query_one(ThreadList).rows) == first
        await hand.press("escape")
        await hand.until(lambda: "brand-new" in ids(hand.desk.query_one(ThreadList).rows))
        assert "34 threads" in hand.seen()


def copy_thread(db: Path, source: str, target: str) -> None:
    """Write a thread as an agent would: in another connection, while the desk looks."""
    with closing(sqlite3.connect(db)) as connection, connection:
        for table in ("checkpoints", "writes"):
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            copied = ", ".join("?" if name == "thread_id" else name for name in columns)
            connection.execute(
                f"INSERT INTO {table} SELECT {copied} FROM {table} WHERE thread_id = ?", (target, source)
            )
