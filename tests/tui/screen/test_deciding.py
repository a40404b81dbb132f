"""From a key to what stands in the file."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from agent_lab_tui.graph.reading.reader import Reader
from agent_lab_tui.graph.reading.situation import Situation
from agent_lab_tui.store.files import open_database
from agent_lab_tui.store.journal.book import Journal
from agent_lab_tui.tui.drafts import Drafts

YES_OR_NO = '[answers."graph:{node}"]\napprove = "approve"\nreject = "reject: {{reason}}"\n'

DECOMMISSION = """
[answers."graph:decommission"]
approve = true
reject = false

[[rule]]
operation = "stop_service"
confirm = "key"
"""


def situation(desk, thread_id: str) -> Situation:
    return desk.lines_of([thread_id])[0].situation


def values(desk, thread_id: str) -> dict:
    return desk.thread(thread_id).values


async def test_two_actions_are_decided_each_on_its_own_and_sent_together(case, at, tmp_path: Path) -> None:
    desk = case("01", "graph")
    async with at(desk) as hand:
        await hand.open("billing-1")
        await hand.until_seen("send_invoice")
        await hand.press("space", "space", "space", "a")
        await hand.until(lambda: hand.desk.shown.index == 1)
        assert not desk.journal.open()
        assert "purge_records" in hand.seen()
        assert hand.desk.check_action("edit", ()) is False
        await hand.press("r")
        await hand.until_seen("Reject purge_records")
        await hand.press("enter")
        assert "An empty reason is no reason" in hand.seen()
        await hand.type("table is still in use")
        await hand.press("enter")
        await hand.until(lambda: situation(desk, "billing-1") is Situation.DONE)
        await hand.until_seen("✓ billing-1")
    log = (tmp_path / "effects.log").read_text("utf-8")
    assert "send_invoice ACME-17 120.5" in log
    assert "purge_records" not in log


async def test_an_edit_is_shown_as_a_difference_before_it_runs(case, at, tmp_path: Path) -> None:
    desk = case("06", "graph")
    async with at(desk) as hand:
        await hand.open("idx-1")
        await hand.press("space", "space", "e")
        await hand.until_seen("Edit drop_index")
        editor = hand.app.screen.query_one("#json")
        editor.text = editor.text.replace('"prod"', '"staging"')
        await hand.press("ctrl+s")
        await hand.until_seen('+   "cluster": "staging"')
        assert '-   "cluster": "prod"' in hand.seen()
        await hand.press("enter")
        await confirm_twice(hand, desk, "idx-1", "e")
        await hand.until(lambda: situation(desk, "idx-1") is Situation.DONE)
    assert "drop_index orders-2024 staging" in (tmp_path / "effects.log").read_text("utf-8")


async def confirm_twice(hand, desk, thread_id: str, key: str) -> None:
    """Go the same way again where the risk asks for it."""
    await hand.pilot.pause()
    if not desk.journal.of_thread(thread_id):
        await hand.until_seen("once more")
        await hand.press(key)
        await hand.until_seen("Edit drop_index")
        await hand.press("ctrl+s")
        await hand.until_seen("with these changes?")
        await hand.press("enter")


async def test_an_edit_with_an_error_goes_to_its_line_and_keeps_what_is_written(case, at) -> None:
    async with at(case("06", "graph")) as hand:
        await hand.open("idx-1")
        await hand.press("space", "space", "e")
        await hand.until_seen("Edit drop_index")
        editor = hand.app.screen.query_one("#json")
        editor.text = '{\n  "index": "x",\n  oops\n}'
        await hand.press("ctrl+s")
        await hand.until_seen("Line 3")
        assert editor.cursor_location[0] == 2
        await hand.press("escape")
        await hand.press("e")
        await hand.until_seen("oops")


async def test_a_wrong_answer_is_refused_with_its_cause_and_the_question_stays(case, at) -> None:
    desk = case("06", "graph")
    async with at(desk) as hand:
        await hand.open("idx-3")
        await hand.press("space", "space", "v")
        await hand.until_seen("Answer the whole question")
        assert "↓ true" not in hand.seen()
        for wrong in ('{"decisions": []}', '{"decision": "approve"}', '{"decisions": [{"type": "respond"}]}'):
            hand.app.screen.query_one("#typed").value = wrong
            await hand.press("enter")
            await hand.until(lambda: hand.app.screen.query_one("#dialog-error").has_class("-shown"))
        await hand.press("escape")
        assert situation(desk, "idx-3") is Situation.WAITING
        assert not desk.journal.of_thread("idx-3")


async def test_ten_requests_take_ten_keys_and_none_goes_back_to_the_list(tmp_path: Path, desk_of, at) -> None:
    db, graph = ten_threads(tmp_path)
    desk = desk_of(db, f"{graph}:builder", settings='[answers."graph:ask"]\napprove = true\nreject = false\n')
    async with at(desk) as hand:
        await hand.until_seen("10 waiting")
        await hand.open("t9")
        for count in range(1, 11):
            await hand.until(lambda: hand.desk.painted and hand.desk.query_one("#request").unread == 0)
            await hand.until(lambda: not hand.desk.is_sending)
            await hand.press("a")
            await hand.until(lambda count=count: decided(desk) == count)
            await hand.until(lambda: not hand.desk.is_sending)
        await hand.until(lambda: not desk.running)
        assert {situation(desk, f"t{n}") for n in range(10)} == {Situation.DONE}
        assert {values(desk, f"t{n}")["done"] for n in range(10)} == {True}


def decided(desk) -> int:
    """Count the decisions about the ten threads."""
    return sum(len(desk.journal.of_thread(f"t{n}")) for n in range(10))


def ten_threads(folder: Path) -> tuple[Path, Path]:
    """Make ten threads that ask one plain question each."""
    import subprocess
    import sys

    graph = folder / "graph.py"
    graph.write_text(
        "from typing import TypedDict\n"
        "from langgraph.graph import START, StateGraph\n"
        "from langgraph.types import interrupt\n"
        "class State(TypedDict, total=False):\n    n: int\n    done: bool\n"
        "def ask(state: State):\n"
        "    return {'done': interrupt({'operation': 'pay', 'arguments': {'n': state['n']},"
        " 'reason': 'due', 'risk': 'low'})}\n"
        "builder = StateGraph(State)\nbuilder.add_node('ask', ask)\nbuilder.add_edge(START, 'ask')\n",
        "utf-8",
    )
    make = (
        "import sqlite3, sys\nfrom langgraph.checkpoint.sqlite import SqliteSaver\n"
        "from graph import builder\n"
        "conn = sqlite3.connect(sys.argv[1], check_same_thread=False)\n"
        "g = builder.compile(checkpointer=SqliteSaver(conn))\n"
        "for n in range(10):\n    g.invoke({'n': n}, {'configurable': {'thread_id': f't{n}'}})\n"
        "conn.close()\n"
    )
    db = folder / "ten.sqlite"
    subprocess.run([sys.executable, "-c", make, str(db)], check=True, cwd=folder, capture_output=True)
    return db, graph


async def test_a_key_that_was_pressed_before_the_request_was_there_decides_nothing(
    tmp_path: Path, desk_of, at
) -> None:
    db, graph = ten_threads(tmp_path)
    desk = desk_of(db, f"{graph}:builder", settings='[answers."graph:ask"]\napprove = true\nreject = false\n')
    async with at(desk) as hand:
        await hand.open("t9")
        hand.desk.painted = hand.clock.now
        await hand.press("a", pause=0.3)
        assert "too soon" in hand.seen()
        await hand.press("a", pause=0.66)
        assert "a held or repeated key" in hand.seen()
        for _ in range(30):
            await hand.press("a", pause=0.033)
        assert not desk.journal.events()
        await hand.press("a", pause=1.1)
        await hand.until(lambda: len(desk.journal.open() + desk.journal.of_thread("t9")) >= 1)


async def test_high_risk_takes_the_key_twice_and_can_be_withdrawn(case, at, monkeypatch) -> None:
    monkeypatch.setattr("agent_lab_tui.tui.flows.sending.WITHDRAWAL", 120.0)
    rules = YES_OR_NO.format(node="refund") + '[[rule]]\noperation = "refund"\nrisk = "high"\n'
    desk = case("05", "builder", settings=rules)
    async with at(desk) as hand:
        await hand.open("fresh")
        await hand.press("space", "space", "a")
        await hand.until_seen("once more")
        assert not desk.journal.open()
        await hand.press("a")
        await hand.until(lambda: desk.journal.open("fresh"))
        await hand.until_seen("sending in")
        await hand.until_seen("◐ fresh")
        await hand.press("u")
        await hand.until_seen("withdrawn, nothing was sent")
        assert situation(desk, "fresh") is Situation.WAITING
        assert [decision.state for decision in desk.journal.of_thread("fresh")] == ["withdrawn"]


async def test_critical_risk_takes_a_typed_value(case, at) -> None:
    rules = YES_OR_NO.format(node="refund") + '[[rule]]\noperation = "refund"\nconfirm = "type:order"\n'
    desk = case("05", "builder", settings=rules)
    async with at(desk) as hand:
        await hand.open("fresh")
        order = desk.thread("fresh").questions[0].operations[0].arguments["order"]
        await hand.press("space", "space", "a")
        await hand.until_seen("Confirm refund")
        await hand.type("order")
        await hand.press("enter")
        await hand.until_seen("To go on, type the value of `order`, which is:")
        await hand.until_seen(f"That is not the value above: type {order}")
        assert not desk.journal.open()
        hand.app.screen.query_one("#typed").value = order
        await hand.press("enter")
        await hand.until(lambda: desk.journal.of_thread("fresh"))


async def test_a_failed_decision_comes_back_with_its_error_and_two_ways_on(case, at, tmp_path: Path) -> None:
    desk = case("05", "builder", settings=YES_OR_NO.format(node="refund"))
    async with at(desk) as hand:
        await hand.open("fresh")
        await hand.press("space", "space", "a")
        await hand.until(lambda: situation(desk, "fresh") is Situation.STUCK)
        await hand.until_seen("✖ fresh")
        await hand.press("o")
        await hand.until(lambda: hand.desk.shown.thread.thread_id == "fresh" and hand.desk.item is None)
        await hand.until_seen("payment gateway unreachable")
        assert hand.desk.check_action("reject", ()) is False
        assert hand.desk.check_action("go_on", ()) is True
        await hand.until(lambda: hand.desk.painted is not None)
        await hand.press("A")
        await hand.until(lambda: situation(desk, "fresh") is Situation.WAITING)
    assert (tmp_path / "effects.log").read_text("utf-8").count("refund attempted A-1") <= 1


async def test_the_second_operator_is_told_who_decided(case, at, desk_of, tmp_path: Path) -> None:
    settings = YES_OR_NO.format(node="gate")
    desk = case("04", "builder", settings=settings)
    other = Journal(desk.database.path)
    async with at(desk) as hand:
        await hand.open("pay-881")
        await hand.press("space")
        theirs = desk_of(desk.database.path, settings=settings, operator="bob")
        thread = theirs.thread("pay-881")
        order = desk.deciding.prepare(thread, {thread.questions[0].id: [_yes()]})
        from dataclasses import replace

        other.record(replace(order, by="bob", os_user="bob"))
        await hand.press("a")
        await hand.until_seen("bob")
        assert "Nothing was sent" in hand.seen()
        assert len(desk.journal.open()) == 1


def _yes():
    from agent_lab_tui.graph.questions import Choice

    return Choice("approve")


async def test_a_question_that_was_replaced_is_never_approved_by_the_key_for_the_old_one(
    case, at, shared, tmp_path: Path
) -> None:
    desk = case("11", "builder", settings=YES_OR_NO.format(node="gate"))
    async with at(desk) as hand:
        await hand.open("acct-5")
        await hand.press("space")
        shown = hand.desk.shown
        await replace_question(shared, desk.database.path)
        await hand.press("a")
        await hand.until(lambda: hand.desk.shown is not shown and "9999" in hand.seen())
        assert sight("no longer waiting; this is a different one") in sight(hand.seen())
        assert situation(desk, "acct-5") is Situation.WAITING
    log = tmp_path / "effects.log"
    assert not log.exists() or "TRANSFER" not in log.read_text("utf-8")


def sight(text: str) -> str:
    """Take wraps and frames out, so that what is spread over lines can be looked for."""
    return "".join(char for char in text if not char.isspace() and char not in "│─")


async def replace_question(shared: Path, db: Path) -> None:
    """Give the thread new input, as another process of the agent does."""
    import sys

    (folder,) = sorted(shared.glob("cases/11-*"))  # noqa: ASYNC240 - one look at a folder
    code = (
        "import sqlite3, sys\nfrom langgraph.checkpoint.sqlite import SqliteSaver\n"
        "from graph import builder\n"
        "conn = sqlite3.connect(sys.argv[1], check_same_thread=False)\n"
        "g = builder.compile(checkpointer=SqliteSaver(conn))\n"
        "g.invoke({'amount': 9999}, {'configurable': {'thread_id': 'acct-5'}})\nconn.close()\n"
    )
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, str(db), cwd=folder)
    assert await process.wait() == 0


async def test_one_of_three_questions_is_sent_alone_when_asked_to(case, at, tmp_path: Path) -> None:
    desk = case("02", "builder")
    async with at(desk) as hand:
        await hand.open("launch-1")
        names = [item.operation.name for item in hand.desk.shown.items]
        await hand.press(str(names.index("open_firewall_port") + 1))
        await hand.until(lambda: hand.desk.painted is not None)
        await hand.press("space", "space", "v")
        await hand.until_seen("Answer open_firewall_port")
        hand.app.screen.query_one("#typed").value = '{"ok": false, "why": "too wide"}'
        await hand.press("enter")
        await hand.until_seen("not sent yet")
        assert not desk.journal.open()
        await hand.until(lambda: hand.desk.painted is not None)
        await hand.press("s")
        await hand.until(lambda: len(desk.thread("launch-1").questions) == 2 and not desk.running)
        await hand.until(lambda: len(hand.desk.shown.items) == 2)
    log = (tmp_path / "effects.log").read_text("utf-8")
    assert log.count("acted on") == 1
    assert "security acted on {'ok': False, 'why': 'too wide'}" in log


async def test_the_second_question_of_a_node_is_decided_on_its_own(case, at) -> None:
    desk = case("03", "builder", settings=DECOMMISSION)
    async with at(desk) as hand:
        await hand.open("decom-1")
        await hand.press("space", "a")
        await hand.press("a", pause=0.2)
        await hand.until(lambda: "wipe_disk" in hand.seen())
        await hand.until(lambda: not desk.running)
        assert situation(desk, "decom-1") is Situation.WAITING
        await hand.until(lambda: sight("all data on the host") in sight(hand.seen()))


async def test_half_typed_words_stay_with_their_question(case, at) -> None:
    async with at(case("06", "graph")) as hand:
        await hand.open("idx-1")
        await hand.press("r")
        await hand.until_seen("Reject drop_index")
        await hand.type("not on")
        await hand.press("escape")
        await hand.press("n")
        await hand.until(lambda: hand.desk.shown.thread.thread_id != "idx-1" and hand.desk.painted)
        await hand.press("r")
        await hand.until_seen("Reject drop_index")
        assert "not on" not in hand.seen()
        await hand.press("escape")
        await hand.open("idx-1")
        await hand.press("r")
        await hand.until_seen("not on")


async def test_escape_never_decides(case, at) -> None:
    desk = case("06", "graph")
    async with at(desk) as hand:
        await hand.open("idx-1")
        for key in ("r", "e", "v"):
            await hand.press("space", "space", key)
            await hand.until(lambda: hand.app.screen is not hand.desk)
            await hand.press("escape")
            await hand.until(lambda: hand.app.screen is hand.desk)
        await hand.press("escape", "escape", "escape")
        assert not desk.journal.events()


async def test_a_breakpoint_is_let_go_on_and_an_ended_thread_runs_no_further(
    case, at, tmp_path: Path
) -> None:
    desk = case("07", "graph")
    async with at(desk) as hand:
        await hand.open("branches-1")
        assert "execute" in hand.seen()
        assert hand.desk.check_action("approve", ()) is False
        await hand.press("g")
        await hand.until(lambda: situation(desk, "branches-1") is Situation.DONE and not desk.running)
        await hand.open("branches-3")
        await hand.press("X")
        await hand.until_seen("End branches-3")
        await hand.type("nobody wants it")
        await hand.press("enter")
        await hand.until(lambda: situation(desk, "branches-3") is Situation.DONE and not desk.running)
    assert (tmp_path / "effects.log").read_text("utf-8").count("execute: delete 41 stale branches") == 1


async def test_nothing_is_decided_on_a_desk_that_only_looks(case, at) -> None:
    desk = case("04", "builder", settings=YES_OR_NO.format(node="gate"), readonly=True)
    async with at(desk) as hand:
        await hand.open("pay-881")
        assert "read-only" in hand.seen()
        await hand.press("space", "a", "r", "v")
        assert hand.app.screen is hand.desk
        assert not desk.database.journal_path.exists()


async def test_a_broken_graph_leaves_the_desk_open_and_says_why(
    zoo_db: Path, desk_of, at, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("import nothing_of_that_name\n", "utf-8")
    async with at(desk_of(zoo_db, f"{broken}:graph")) as hand:
        await hand.until_seen("could not be loaded")
        assert "33 threads" in hand.seen()
        await hand.press("L")
        await hand.until_seen("nothing_of_that_name")


def test_drafts_die_with_their_question(zoo_db: Path) -> None:
    from agent_lab_tui.graph.questions import Choice
    from agent_lab_tui.graph.settings.file import Settings
    from agent_lab_tui.tui.drafts import items_of

    thread = Reader(open_database(str(zoo_db)), Settings()).thread("hitl-batched")
    drafts, items = Drafts(), items_of(thread)
    for item in items:
        assert not drafts.is_decided(item.question)
        drafts.choose(item, Choice("approve"))
    assert drafts.is_decided(items[0].question)
    choices, _ = drafts.to_send(thread.questions)
    assert len(choices[items[0].question.id]) == len(items)
    drafts.forget(items[0].question)
    assert not drafts.is_decided(items[0].question)
    assert drafts.to_send(thread.questions) == ({}, {})


@pytest.mark.parametrize("size", [(80, 24), (150, 40)])
async def test_leaving_with_nothing_on_its_way_just_ends(case, at, size) -> None:
    async with at(case("04"), size) as hand:
        await hand.until_seen("1 thread")
        await hand.press("q")
        await hand.until(lambda: not hand.app.is_running or hand.app._exit)
