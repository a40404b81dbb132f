"""Decisions are carried out by a host: one after the other, once, with an outcome that the file proves."""

from __future__ import annotations

import fcntl
import sqlite3
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent_lab_tui.graph.hosting.host import Host
from agent_lab_tui.graph.settings.file import RunSettings, Settings
from agent_lab_tui.store.files import open_database
from agent_lab_tui.store.journal.book import Order

AGENT = """
import fcntl, operator
from pathlib import Path
from typing import Annotated, TypedDict
from langgraph.graph import START, StateGraph
from langgraph.types import Send, interrupt

HERE = Path(__file__).parent

def effect(line):
    with open(HERE / "effects", "a") as file:
        file.write(line + "\\n")

class State(TypedDict, total=False):
    parts: int
    said: Annotated[list, operator.add]
    sent: str

class Part(TypedDict):
    part: int

def ask(state: Part):
    effect(f"asks {state['part']}")
    said = interrupt({"operation": "send", "arguments": {"part": state["part"]}})
    if said == "gate":
        fcntl.flock(open(HERE / "gate"), fcntl.LOCK_EX)
    if said == "break":
        raise ConnectionError("no line")
    return {"said": [f"{state['part']}:{said}"]}

def send(state: State):
    effect("sends " + " ".join(sorted(state["said"])))
    if (HERE / "down").exists():
        raise ConnectionError("the mail server is down")
    return {"sent": "yes"}

graph = StateGraph(State)
graph.add_node("ask", ask)
graph.add_node("send", send)
def parts(state: State):
    return [Send("ask", {"part": n}) for n in range(state.get("parts", 1))]

graph.add_conditional_edges(START, parts, ["ask"])
graph.add_edge("ask", "send")
"""

THREADS = ("plain", "late", "withdrawn", "held", "moved", "breaks", "down", "two", "mean", "meanwhile")
MORE = ("abandons", "steps", "elsewhere")


@pytest.fixture(scope="module")
def running(run: Any, make: Any) -> Any:
    return run("agent.py:graph", make(AGENT, *THREADS, *MORE))


@pytest.fixture(scope="module")
def several(run: Any, make: Any) -> Any:
    return run("agent.py:graph", make(AGENT, "three", "one of three", given={"parts": 3}))


def effects(running: Any) -> list[str]:
    return (running.database.path.parent / "effects").read_text("utf-8").splitlines()


def state_of(running: Any, decision: Any) -> str:
    return str(running.journal.decision(decision.decision_id).state)


def test_an_answer_is_applied_and_told_in_order(running: Any) -> None:
    outcome = running.answer("plain", "yes")
    assert (outcome.state, outcome.detail, outcome.error) == ("applied", "finished", None)
    told = [running.events.get(timeout=10) for _ in range(6)]
    assert [getattr(event, "kind", "outcome") for event in told] == [
        *("start", "node", "node-done", "node", "node-done"),
        "outcome",
    ]
    assert [event.node for event in told[:-1]] == ["", "ask", "ask", "send", "send"]
    assert all(event.decision_ids == outcome.decision_ids for event in told)
    assert effects(running)[-1] == "sends 0:yes"


def test_nothing_recorded_is_nothing_done(running: Any) -> None:
    assert running.carry_out("held") == ()
    assert running.carry_out("no such thread") == ()


def test_answers_given_on_one_head_go_in_one_run(several: Any) -> None:
    """Sent one by one, each would run the nodes that are not answered yet again."""
    thread = several.reader.thread("three")
    for question, word in zip(thread.questions, ("a", "b", "c"), strict=True):
        several.deciding.record(several.deciding.prepare(thread, values={question.id: word}))
    before = len(effects(several))
    outcomes = several.carry_out("three")
    assert [outcome.state for outcome in outcomes] == ["applied"] * 3
    ran = effects(several)[before:]
    assert sorted(ran[:3]) == ["asks 0", "asks 1", "asks 2"]
    assert ran[3:] == [f"sends {' '.join(sorted(several.reader.thread('three').values['said']))}"]
    assert len(ran) == 4


def test_one_of_several_is_answered_and_the_others_still_ask(several: Any) -> None:
    thread = several.reader.thread("one of three")
    middle = thread.questions[1]
    several.deciding.record(several.deciding.prepare(thread, values={middle.id: "only"}))
    (outcome,) = several.carry_out("one of three")
    assert (outcome.state, outcome.detail) == ("applied", "asks: send, send")
    left = several.reader.thread("one of three").questions
    assert {question.id for question in left} == {q.id for q in thread.questions} - {middle.id}


def test_a_decision_whose_time_has_not_come_waits(running: Any) -> None:
    thread = running.reader.thread("late")
    order = running.deciding.prepare(thread, values={thread.questions[0].id: "yes"})
    decision = running.journal.record(replace(order, not_before=time.time() + 1000))
    assert running.carry_out("late") == ()
    assert state_of(running, decision) == "recorded"


def test_a_withdrawn_decision_never_runs(running: Any) -> None:
    decision = running.decide("withdrawn", "yes")
    assert running.journal.withdraw(decision.decision_id, "ann")
    assert running.carry_out("withdrawn") == ()
    assert running.reader.thread("withdrawn").questions


def test_a_thread_that_another_process_runs_is_left_to_it(running: Any) -> None:
    decision = running.decide("held", "yes")
    token = running.journal.leases.take("held")
    (outcome,) = running.carry_out("held")
    assert outcome.state == "recorded"
    assert "is running this thread and runs this next" in outcome.detail
    assert state_of(running, decision) == "recorded"
    running.journal.leases.release("held", token)
    assert [outcome.state for outcome in running.carry_out("held")] == ["applied"]


def test_what_is_recorded_meanwhile_is_run_by_who_holds_the_thread(running: Any) -> None:
    """A second desk finds the lease taken; the first one runs its decision when it comes to it."""
    (running.database.path.parent / "gate").touch()
    with (running.database.path.parent / "gate").open() as gate:
        fcntl.flock(gate, fcntl.LOCK_EX)
        running.decide("meanwhile", "gate")
        future = running.host.carry_out("meanwhile")
        running.wait_for_node("meanwhile")
        thread = running.reader.thread("meanwhile")
        order = replace(
            running.deciding.prepare(running.reader.thread("mean"), values=_all(running, "mean", "x")),
            thread_id="meanwhile",
            checkpoint_id=thread.checkpoint_id,
            questions=("0" * 32,),
            digests={"0" * 32: "old"},
        )
        second = running.journal.record(order)
    assert [outcome.state for outcome in future.result(30)] == ["applied", "stale"]
    assert state_of(running, second) == "stale"


def _all(running: Any, thread_id: str, value: Any) -> dict[str, Any]:
    return {question.id: value for question in running.reader.thread(thread_id).questions}


def test_an_answer_to_a_question_that_is_gone_is_stale_and_runs_nothing(running: Any) -> None:
    thread = running.reader.thread("moved")
    order = running.deciding.prepare(thread, values={thread.questions[0].id: "yes"})
    running.answer("moved", "no")
    before = effects(running)
    decision = running.journal.record(order)
    (outcome,) = running.carry_out("moved")
    assert outcome.state == "stale"
    assert "no longer waiting" in outcome.detail
    assert state_of(running, decision) == "stale"
    assert effects(running) == before


def test_a_node_that_fails_after_the_answer_keeps_it_and_the_error(running: Any) -> None:
    outcome = running.answer("breaks", "break")
    assert (outcome.state, outcome.detail) == ("failed", "failed: ConnectionError: no line")
    (question,) = running.reader.thread("breaks").questions
    assert (question.has_stored_answer, question.stored_answer) == (True, "break")
    thread = running.reader.thread("breaks")
    running.deciding.record(running.deciding.ask_again(thread))
    (again,) = running.carry_out("breaks")
    assert (again.state, again.detail) == ("applied", "asks: send")
    (asked_anew,) = running.reader.thread("breaks").questions
    assert not asked_anew.has_stored_answer
    assert asked_anew.id != question.id


def test_a_later_node_that_fails_leaves_the_answer_applied_and_go_on_retries(running: Any) -> None:
    down = running.database.path.parent / "down"
    down.touch()
    outcome = running.answer("down", "yes")
    assert (outcome.state, outcome.error) == ("applied", "ConnectionError: the mail server is down")
    assert outcome.detail == "failed: ConnectionError: the mail server is down"
    running.deciding.record(running.deciding.go_on(running.reader.thread("down")))
    (retried,) = running.carry_out("down")
    assert (retried.state, retried.error) == ("failed", "ConnectionError: the mail server is down")
    down.unlink()
    running.deciding.record(running.deciding.go_on(running.reader.thread("down"), again=True))
    assert [(o.state, o.detail) for o in running.carry_out("down")] == [("applied", "finished")]


def order_of(running: Any, thread_id: str, kind: Any, **fields: Any) -> Order:
    """An order of any kind on a thread's head."""
    thread = running.reader.thread(thread_id)
    return Order(kind, thread_id, thread.checkpoint_id, thread.digest, graph="agent", **fields)


def test_a_thread_is_ended_without_running_anything(running: Any) -> None:
    before = effects(running)
    running.journal.record(order_of(running, "abandons", "abandon", note="not needed"))
    assert [(o.state, o.detail) for o in running.carry_out("abandons")] == [("applied", "finished")]
    assert effects(running) == before


def test_a_node_is_stepped_over_and_what_follows_runs(running: Any) -> None:
    running.journal.record(order_of(running, "steps", "skip", options={"as_node": "ask"}))
    (outcome,) = running.carry_out("steps")
    assert (outcome.state, outcome.detail) == ("applied", "finished")
    assert effects(running)[-1] == "sends "


def test_a_decision_for_a_graph_of_another_project_stays_recorded(running: Any) -> None:
    thread = running.reader.thread("elsewhere")
    order = running.deciding.prepare(thread, values=_all(running, "elsewhere", "yes"))
    decision = running.journal.record(replace(order, graph="other"))
    (outcome,) = running.carry_out("elsewhere")
    assert (outcome.state, outcome.detail) == (
        "recorded",
        "Its graph 'other' is not loaded here; loaded: agent.",
    )
    assert state_of(running, decision) == "recorded"


def test_the_file_is_not_touched_by_a_decision_that_cannot_be_sent(running: Any) -> None:
    """Opening it with a saver would change it: all checks come first, from rows."""
    thread = running.reader.thread("two")
    order = running.deciding.prepare(thread, values=_all(running, "two", "yes"))
    path: Path = running.database.path
    running.journal.record(replace(order, digests=dict.fromkeys(order.digests, "old")))
    before = path.read_bytes(), path.stat().st_mtime_ns
    assert [outcome.state for outcome in running.carry_out("two")] == ["stale"]
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before


NEEDY = """
from dataclasses import dataclass
from typing import TypedDict
from langgraph.graph import START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import interrupt

@dataclass
class Context:
    model: str

class State(TypedDict, total=False):
    said: str

def ask(state: State, runtime: Runtime[Context]):
    said = interrupt("go?")
    return {"said": f"{said} by {runtime.context.model}"}

def keep(state: State, runtime: Runtime):
    said = interrupt("keep?")
    runtime.store.put(("a",), "b", {"c": said})

def build(node, **schemas):
    b = StateGraph(State, **schemas)
    b.add_node("ask", node)
    b.add_edge(START, "ask")
    return b

graph = build(ask, context_schema=Context)
keeping = build(keep)
"""


def test_a_graph_that_misses_its_store_is_refused_before_the_answer_is_used_up(run: Any, make: Any) -> None:
    running = run("agent.py:keeping", make(NEEDY, "t"))
    outcome = running.answer("t", "yes")
    assert outcome.state == "refused"
    assert "compile it with one (compile(store=...))" in outcome.detail
    (question,) = running.reader.thread("t").questions
    assert not question.has_stored_answer


@pytest.mark.parametrize(
    ("context", "state", "words"),
    [
        (None, "refused", "expects a context (model) and none is given"),
        ({"wrong": 1}, "refused", "The context does not fit Context"),
        ({"model": "small"}, "applied", "finished"),
    ],
)
def test_a_context_is_given_or_asked_for(
    run: Any, make: Any, context: dict[str, Any] | None, state: str, words: str
) -> None:
    running = run("agent.py:graph", make(NEEDY, "t"), Settings(run=RunSettings(context=context)))
    outcome = running.answer("t", "yes")
    assert outcome.state == state
    assert words in outcome.detail
    if state == "applied":
        assert running.reader.thread("t").values == {"said": "yes by small"}


def test_a_graph_that_cannot_be_loaded_refuses_and_says_why(run: Any, make: Any) -> None:
    db = make(AGENT, "t")
    (db.parent / "agent.py").write_text("raise RuntimeError('no key')", "utf-8")
    running = run("agent.py:graph", db)
    outcome = running.answer("t", "yes")
    assert (outcome.state, outcome.detail) == (
        "refused",
        "agent cannot run: RuntimeError while it was imported: no key.",
    )


WALK = """
from typing import TypedDict
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt

class State(TypedDict, total=False):
    said: str

graph = StateGraph(State)
graph.add_node("ask", lambda state: {"said": interrupt("go?")})
for node in ("one", "two", "three"):
    graph.add_node(node, lambda state: {})
graph.add_edge(START, "ask")
graph.add_edge("ask", "one")
graph.add_edge("one", "two")
graph.add_edge("two", "three")
"""


def test_a_run_that_reaches_its_step_limit_says_so_and_can_go_on(run: Any, make: Any) -> None:
    running = run("agent.py:graph", make(WALK, "t"), Settings(run=RunSettings(recursion_limit=1)))
    outcome = running.answer("t", "yes")
    assert (outcome.state, running.reader.thread("t").next) == ("applied", ("three",))
    assert str(outcome.error).startswith("GraphRecursionError: Recursion limit of 1 reached")
    running.deciding.record(running.deciding.go_on(running.reader.thread("t")))
    assert [outcome.detail for outcome in running.carry_out("t")] == ["finished"]


def test_a_checkpoint_is_replayed_wholly_or_for_one_step(run: Any, make: Any) -> None:
    running = run("agent.py:graph", make(WALK, "t"))
    running.answer("t", "yes")
    after_ask = running.host.history("agent", "t")[-3]["checkpoint_id"]
    for is_one_step, detail in ((True, "stopped before two"), (False, "finished")):
        thread = running.reader.thread("t")
        options = {"one_step": is_one_step}
        running.journal.record(Order("replay", "t", after_ask, thread.digest, graph="agent", options=options))
        assert [outcome.detail for outcome in running.carry_out("t")] == [detail]


def test_a_file_of_an_old_saver_gets_what_it_lacks_when_something_runs(run: Any, make: Any) -> None:
    db = make(WALK, "t", "u")
    with closing(sqlite3.connect(db)) as connection:
        connection.execute("ALTER TABLE writes DROP COLUMN task_path")
    running = run("agent.py:graph", db)
    assert not running.database.has_task_path
    assert running.host.state("agent", "t")["next"] == ["ask"]
    assert [running.answer(thread_id, "yes").detail for thread_id in ("t", "u")] == ["finished", "finished"]
    assert running.host.state("agent", "t")["values"] == {"said": "yes"}
    assert open_database(str(db)).has_task_path


def test_a_file_that_cannot_be_written_leaves_the_decision_recorded(run: Any, make: Any) -> None:
    """Nothing is lost: it runs once the other writer is done."""
    running = run("agent.py:graph", make(WALK, "t"))
    decision = running.decide("t", "yes")
    running.host.close()
    database = replace(running.database, is_immutable=True)
    other = Host(running.project, database, Settings(), lambda event: None)
    (outcome,) = other.carry_out("t").result(30)
    assert other.close()
    assert outcome.state == "recorded"
    assert outcome.detail.endswith("lies where nothing can be written, so nothing can run.")
    assert state_of(running, decision) == "recorded"
    assert [outcome.state for outcome in running.carry_out("t")] == ["applied"]
