"""Files that older LangGraph wrote are not only read but answered, each question by its own answer."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agent_lab_tui.graph.desk import Desk
from agent_lab_tui.graph.reading.threads import Thread
from agent_lab_tui.graph.settings.file import Settings
from agent_lab_tui.tui import cli

OLD = Path(__file__).parents[2] / "store" / "checkpoints" / "old"

AGENT = f"""
import sys
sys.path.append({str(OLD)!r})
import make as old

ask, two, sub = old.line(old.ask), old.line(old.two, "two"), old.line(old.leaf(), "sub")
sends, join, cond = old.sends(), old.join(), old.cond()
brk = old.line(old.say("z"), "brk").compile(interrupt_before=["brk"])
essay = old.functional(None)
"""
GRAPHS = ("ask", "two", "sub", "sends", "join", "cond", "brk", "essay")

ANSWERED = ("0.6.7", "1.0.10", "1.1.10", "1.2.17")
"""The versions whose questions LangGraph of today finds again."""


@pytest.fixture(scope="module", params=ANSWERED)
def desk(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with closing(opened(request.param, tmp_path_factory.mktemp("old"))) as desk:
        yield desk


def placed(version: str, folder: Path) -> None:
    """Put a file there as an old version left it, and the graphs that wrote it."""
    with closing(sqlite3.connect(folder / "old.db")) as conn:
        conn.executescript((OLD / f"langgraph-{version}.sql").read_text("utf-8"))
    (folder / "agent.py").write_text(AGENT, "utf-8")


def opened(version: str, folder: Path) -> Desk:
    """Open such a file with its graphs."""
    placed(version, folder)
    specs = [f"{folder}/agent.py:{name}" for name in GRAPHS]
    desk = Desk.open(Settings(), db=str(folder / "old.db"), graphs=specs, operator="ann")
    desk.load_graphs()
    return desk


@pytest.fixture
def answered(desk: Desk) -> Callable[..., Thread]:
    """Give one answer to all that a thread asks; give the thread as it is then."""

    def answer(thread_id: str, value: Any = None) -> Thread:
        if not desk.lines_of([thread_id]):
            pytest.skip("the file of this version holds no such thread")
        graph = f"agent.{thread_id.partition('-')[0]}"
        thread = desk.choose_graph(thread_id, graph)
        if thread.questions:
            order = desk.deciding.prepare(thread, values={one.id: value for one in thread.questions})
        else:
            order = desk.deciding.go_on(thread)
        decision = desk.record(order)
        (outcome,) = desk.carry_out(thread_id).result(60)
        assert (outcome.state, outcome.error) == ("applied", None), decision
        return desk.thread(thread_id)

    return answer


@pytest.mark.slow
@pytest.mark.parametrize(
    ("thread_id", "value", "values"),
    [
        ("ask", "y", {"x": "done", "xs": ["y"]}),
        ("cond", "y", {"x": "done", "xs": ["y"]}),
        ("join", "y", {"x": "in", "xs": ["a", "b", "y"]}),
        ("sub", "y", {"x": "done", "xs": ["y"]}),
        ("sends", "y", {"x": "done", "xs": ["y", "y", "y"]}),
        ("sends-1", "y", {"x": "done", "xs": ["y", "one", "y"]}),
        ("two-2", "B", {"x": "done", "xs": ["A", "B"]}),
        ("brk", None, {"x": "done", "xs": ["z"]}),
    ],
)
def test_an_old_thread_goes_to_its_end(
    answered: Callable[..., Thread], thread_id: str, value: Any, values: dict[str, Any]
) -> None:
    thread = answered(thread_id, value)
    assert (thread.questions, thread.next) == ((), ())
    assert thread.values == values


@pytest.mark.slow
def test_the_second_question_of_an_old_node_is_asked_after_the_first(
    answered: Callable[..., Thread],
) -> None:
    (second,) = answered("two", "A").questions
    assert second.value == "second A"
    assert answered("two", "B").values["xs"] == ["A", "B"]


@pytest.mark.slow
def test_the_questions_of_an_old_entrypoint_are_answered(answered: Callable[..., Thread]) -> None:
    (rate,) = answered("essay", "go").questions
    assert rate.value == {"rate": "cats"}
    assert answered("essay", 5).values == ["go", 5]
    assert answered("essay-2", 4).values == ["go", 4]


@pytest.mark.slow
@pytest.mark.parametrize("version", ANSWERED)
def test_the_command_line_answers_an_old_file(
    version: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    placed(version, tmp_path)
    place = ("--db", str(tmp_path / "old.db"), "--json")
    assert cli.run(["show", "two-2", *place]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["next"], shown["questions"][0]["value"]) == (["two"], "second A")
    graph = ("--graph", f"{tmp_path}/agent.py:two", *place)
    assert cli.run(["answer", "two-2", "--value", '"B"', "--seen", shown["digest"], *graph]) == 0
    assert json.loads(capsys.readouterr().out)["situation"] == "done"
    assert cli.run(["show", "two-2", *place]) == 0
    assert json.loads(capsys.readouterr().out)["values"] == {"x": "done", "xs": ["A", "B"]}


@pytest.mark.slow
def test_a_question_that_langgraph_of_today_cannot_find_again_is_refused_and_waits_on(tmp_path: Path) -> None:
    """Before 0.4 ids were made otherwise: an answer by such an id would reach nothing."""
    with closing(opened("0.2.60", tmp_path)) as desk:
        thread = desk.choose_graph("ask", "agent.ask")
        order = desk.deciding.prepare(thread, values={one.id: "y" for one in thread.questions})
        desk.record(order)
        (outcome,) = desk.carry_out("ask").result(60)
        assert outcome.state == "stale"
        after = desk.thread("ask")
        assert [one.id for one in after.questions] == [one.id for one in thread.questions]
        assert after.values == thread.values
