"""Several hosts for one project: as many threads at a time, and never two runs of one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from threading import Event as Flag
from typing import Any

import pytest

from agent_lab_tui.graph.desk import Desk
from agent_lab_tui.graph.hosting.events import Event, Progress
from agent_lab_tui.graph.settings.file import RunSettings, Settings

AGENT = """
import os, time
from pathlib import Path
from typing import Annotated, TypedDict
import operator
from langgraph.graph import START, StateGraph
from langgraph.types import Send, interrupt

HERE = Path(__file__).parent

class State(TypedDict, total=False):
    said: Annotated[list, operator.add]

def ask(one):
    answer = interrupt({"which": one["which"]})
    with open(HERE / "runs.log", "a") as log:
        log.write(f"{answer} begins in {os.getpid()}\\n")
    while (HERE / f"hold-{answer}").exists():
        time.sleep(0.01)
    with open(HERE / "runs.log", "a") as log:
        log.write(f"{answer} ends in {os.getpid()}\\n")
    return {"said": [answer]}

graph = StateGraph(State)
graph.add_node("ask", ask)
graph.add_conditional_edges(START, lambda state: [Send("ask", {"which": n}) for n in (1, 2)], ["ask"])
"""


@pytest.fixture
def db(make: Callable[..., Path]) -> Path:
    return make(AGENT, "a", "b", "c")


@pytest.fixture
def desk(request: pytest.FixtureRequest, db: Path) -> Iterator[Desk]:
    settings = Settings(run=RunSettings(hosts=getattr(request, "param", 1)))
    with closing(
        Desk.open(settings, db=str(db), graphs=[f"{db.parent}/agent.py:graph"], operator="ann")
    ) as desk:
        desk.load_graphs()
        yield desk
        for held in db.parent.glob("hold-*"):
            held.unlink()


def decided(desk: Desk, thread_id: str, answers: dict[int, str], *, delay: float = 0.0) -> Any:
    """Record answers, by what the question is about, in one order."""
    thread = desk.thread(thread_id)
    values = {
        one.id: answers[one.value["which"]] for one in thread.questions if one.value["which"] in answers
    }
    return desk.decide(thread, values=values, delay=delay)


class Begun:
    """Waits until runs of a thread have started, as often as asked."""

    def __init__(self, desk: Desk) -> None:
        self._flags: dict[str, Flag] = {}
        desk.on_event(self._hear)

    def _hear(self, event: Event) -> None:
        if isinstance(event, Progress) and event.kind == "node":
            self._flags.setdefault(event.thread_id, Flag()).set()

    def wait(self, thread_id: str) -> None:
        assert self._flags.setdefault(thread_id, Flag()).wait(30)


def runs(db: Path) -> list[str]:
    return (db.parent / "runs.log").read_text("utf-8").splitlines()


@pytest.mark.slow
@pytest.mark.parametrize("desk", [2], indirect=True)
def test_a_second_host_runs_another_thread_while_the_first_is_busy(desk: Desk, db: Path) -> None:
    (db.parent / "hold-slow").touch()
    begun = Begun(desk)
    decided(desk, "a", {1: "slow", 2: "a2"})
    slow = desk.carry_out("a")
    begun.wait("a")
    decided(desk, "b", {1: "b1", 2: "b2"})
    (quick,) = desk.carry_out("b").result(60)
    assert (quick.state, slow.done()) == ("applied", False)
    assert desk.running == ("a",)
    (db.parent / "hold-slow").unlink()
    (outcome,) = slow.result(60)
    assert (outcome.state, desk.running) == ("applied", ())
    hosts = {line.partition(" begins in ")[2] for line in runs(db) if "begins" in line}
    assert len(hosts) == 2


@pytest.mark.slow
@pytest.mark.parametrize("desk", [2], indirect=True)
def test_two_decisions_about_one_thread_never_run_at_the_same_time(desk: Desk, db: Path) -> None:
    (db.parent / "hold-first").touch()
    begun = Begun(desk)
    decided(desk, "a", {1: "first"})
    first = desk.carry_out("a")
    begun.wait("a")
    decided(desk, "a", {2: "second"})
    second = desk.carry_out("a")
    (db.parent / "hold-first").unlink()
    states = [one.state for run in (first, second) for one in run.result(60)]
    assert states == ["applied", "applied"]
    assert sorted(desk.thread("a").values["said"]) == ["first", "second"]
    words = [line.split(" in ")[0] for line in runs(db)]
    assert words.index("first ends") < words.index("second begins")
    assert len({line.rpartition(" ")[2] for line in runs(db)}) == 1


@pytest.mark.slow
@pytest.mark.parametrize("desk", [2], indirect=True)
def test_a_host_that_dies_takes_no_other_run_with_it(desk: Desk, db: Path) -> None:
    for name in ("slow", "other"):
        (db.parent / f"hold-{name}").touch()
    begun = Begun(desk)
    decided(desk, "a", {1: "slow", 2: "a2"})
    lost = desk.carry_out("a")
    begun.wait("a")
    decided(desk, "b", {1: "other", 2: "b2"})
    kept = desk.carry_out("b")
    begun.wait("b")
    pid = next(line.rpartition(" ")[2] for line in runs(db) if line.startswith("slow begins"))
    os.kill(int(pid), 9)
    assert lost.exception(60) is not None
    (db.parent / "hold-other").unlink()
    (outcome,) = kept.result(60)
    assert outcome.state == "applied"
    assert {one.decision.state for one in desk.deciding.unsettled("a")} == {"unknown"}


def test_a_withdrawn_decision_is_not_waited_for(desk: Desk) -> None:
    made = decided(desk, "a", {1: "x", 2: "y"}, delay=600)
    waiting = desk.carry_out("a")
    assert desk.running == ("a",)
    assert desk.withdraw(made.decision_id)
    assert (waiting.result(0), desk.running) == ((), ())


def test_one_that_another_desk_withdraws_is_not_waited_for_either(desk: Desk, db: Path) -> None:
    made = decided(desk, "a", {1: "x", 2: "y"}, delay=600)
    waiting = desk.carry_out("a")
    desk.poll()
    with closing(Desk.open(Settings(), db=str(db), operator="bob")) as other:
        assert other.withdraw(made.decision_id)
        assert desk.poll().thread_ids == {"a"}
    assert (waiting.result(0), desk.running) == ((), ())


def test_of_two_that_wait_the_other_is_still_waited_for(desk: Desk) -> None:
    first = decided(desk, "a", {1: "x"}, delay=600)
    decided(desk, "a", {2: "y"})
    waiting = desk.carry_out("a")
    desk.withdraw(first.decision_id)
    assert (waiting.done(), desk.running) == (False, ("a",))
    desk.stop_after_step()
    assert (waiting.result(0), desk.running) == ((), ())


def test_a_decision_of_another_desk_is_seen_without_a_change_of_the_database(desk: Desk, db: Path) -> None:
    assert not desk.poll()
    with closing(Desk.open(Settings(), db=str(db), operator="bob")) as other:
        decided(other, "b", {1: "x", 2: "y"})
    assert desk.poll().thread_ids == {"b"}
    assert [line.situation for line in desk.lines_of(["b"])] == ["decided"]
    assert not desk.poll()
