"""Threads as the desk shows them, from real files of real graphs."""

from __future__ import annotations

import operator
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Annotated, Any

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command, Send, interrupt
from typing_extensions import TypedDict

from agent_lab_tui.graph.deciding.desk_side import Deciding
from agent_lab_tui.graph.hosting.facts import GraphFacts
from agent_lab_tui.graph.reading.reader import NoSuchCheckpoint, NoSuchThread, NotFound, Reader, Thread
from agent_lab_tui.graph.reading.situation import Situation
from agent_lab_tui.graph.settings.file import Settings
from agent_lab_tui.store.files import open_database
from agent_lab_tui.store.journal.book import Journal
from agent_lab_tui.store.journal.decisions import Order
from agent_lab_tui.store.values import to_json

ZOO = {
    "branched": "waiting",
    "breakpoint-after": "stopped",
    "breakpoint-before": "stopped",
    "crashed": "stopped",
    "edited-not-asked": "stopped",
    "error-next-node": "failed",
    "error-poisoned-answer": "stuck",
    "finished": "done",
}
"""The situations of zoo threads; all others wait."""


def reader_of(path: Path, *facts: GraphFacts, journal: Journal | None = None) -> Reader:
    return Reader(open_database(str(path)), Settings(), journal, facts)


@pytest.fixture
def zoo(zoo_db: Path) -> Reader:
    return reader_of(zoo_db)


def test_every_zoo_thread_stands_where_it_should(zoo: Reader, zoo_expected: dict[str, Any]) -> None:
    lines = {line.thread_id: line for line in zoo.lines()}
    assert lines.keys() == zoo_expected.keys()
    for thread_id, line in lines.items():
        assert line.situation == ZOO.get(thread_id, "waiting"), thread_id
        assert line.questions == len(zoo_expected[thread_id]["interrupts"])
        assert zoo.line(thread_id) == line
        thread = zoo.thread(thread_id)
        assert (thread.situation, thread.checkpoint_id) == (line.situation, line.checkpoint_id)
        assert sorted(thread.next) == sorted(zoo_expected[thread_id]["next"])
        assert len(thread.questions) == line.questions


def test_the_long_list_is_exact_where_counts_tell_and_quiet_elsewhere(zoo: Reader) -> None:
    exact = {line.thread_id: line.situation for line in zoo.lines()}
    quiet = {Situation.STOPPED: Situation.QUIET, Situation.DONE: Situation.QUIET}
    for line in zoo.all_lines():
        wanted = exact[line.thread_id]
        assert line.situation is quiet.get(wanted, wanted), line.thread_id
    assert [line.thread_id for line in zoo.all_lines()] == [line.thread_id for line in zoo.lines()]


def test_a_line_says_what_is_asked_in_a_word(zoo: Reader) -> None:
    asks = {line.thread_id: line.asks for line in zoo.lines()}
    assert asks["hitl-batched"] == "send_email +2"
    assert asks["dict-approved"] == "refund"
    assert asks["error-next-node"] == "RuntimeError"
    assert asks["breakpoint-before"] == "danger"
    assert asks["finished"] == ""


@pytest.mark.parametrize(
    ("thread_id", "values"),
    [
        ("delta-channel", {"n": 6, "log": [f"line {n}" for n in range(6)]}),
        ("functional-1", {}),
        ("dataclass-enum", ["position", "risk", "seen", "steps"]),
        ("nested-subgraph", ["artifact", "trail", "version"]),
        ("parallel-send-2of5", ["files"]),
    ],
)
def test_the_state_has_the_graphs_own_keys(zoo: Reader, thread_id: str, values: Any) -> None:
    found = zoo.thread(thread_id).values
    assert (sorted(found) if isinstance(values, list) else to_json(found)) == values


def test_what_the_values_leave_out_is_said(zoo: Reader) -> None:
    assert any("stored results for verdicts" in text for text in zoo.thread("parallel-send-2of5").notes)
    assert any("`log` is kept as changes" in text for text in zoo.thread("delta-channel").notes)


def test_what_harms_a_decision_is_a_warning(zoo: Reader) -> None:
    assert any("only without an id" in text for text in zoo.thread("subgraph-unsaved").warnings)
    assert zoo.thread("linear-approval").warnings == ()


def test_a_stuck_question_shows_the_answer_it_is_stuck_with(zoo: Reader) -> None:
    thread = zoo.thread("error-poisoned-answer")
    (question,) = thread.questions
    assert (question.has_stored_answer, question.stored_answer) == (True, "never")
    assert thread.error == "ValueError(\"'never' is not a window\")"
    assert thread.reruns == ("window",)


def test_a_thread_is_shown_as_it_stood(zoo: Reader, zoo_db: Path) -> None:
    """A record: answered questions are listed, nothing of the journal is."""
    with closing(sqlite3.connect(zoo_db)) as conn:
        ids = [
            row[0]
            for row in conn.execute(
                "SELECT checkpoint_id FROM checkpoints WHERE thread_id = 'finished' AND checkpoint_ns = ''"
                " ORDER BY 1"
            )
        ]
    then = [zoo.thread("finished", one) for one in ids]
    assert [len(thread.questions) for thread in then] == [0, 0, 1, 0, 0]
    assert [thread.is_head for thread in then] == [False] * 4 + [True]
    assert [thread.next for thread in then] == [("__start__",), ("think",), ("ask",), ("do",), ()]
    assert zoo.thread("finished", ids[-1]) == zoo.thread("finished")


def test_what_is_not_there_is_named(zoo: Reader) -> None:
    with pytest.raises(NoSuchThread, match="There is no thread 'nope' in"):
        zoo.thread("nope")
    with pytest.raises(NoSuchCheckpoint, match="Thread 'finished' has no checkpoint 'nope'"):
        zoo.thread("finished", "nope")
    assert issubclass(NoSuchThread, NotFound)
    assert zoo.line("nope") is None
    assert zoo.lines_of(["nope", "finished"]) == (zoo.line("finished"),)


class State(TypedDict, total=False):
    n: int
    said: Annotated[list[Any], operator.add]


def ask(state: State) -> State:
    answer = interrupt({"operation": "pay", "arguments": {"n": state.get("n", 0)}, "reason": "due"})
    if answer == "boom":
        raise ValueError("boom")
    return {"said": [answer]}


def after(state: State) -> State:
    return {"said": ["after"]}


def small() -> StateGraph[Any]:
    builder: StateGraph[Any] = StateGraph(State)
    builder.add_node("ask", ask)
    builder.add_node("after", after)
    builder.add_edge(START, "ask")
    builder.add_edge("ask", "after")
    return builder


class Agent:
    """Another process's graph on a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.conn = sqlite3.connect(path, check_same_thread=False)
        self.saver = SqliteSaver(self.conn)

    def run(self, sent: Any, builder: StateGraph[Any] | None = None, **configurable: Any) -> Any:
        graph = (builder or small()).compile(checkpointer=self.saver)
        config: Any = {"configurable": {"thread_id": "t", **configurable}}
        with suppress(ValueError):
            graph.invoke(sent, config)
        return graph

    def thread(self, *facts: GraphFacts, journal: Journal | None = None) -> Thread:
        return reader_of(self.path, *facts, journal=journal).thread("t")


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[Agent]:
    made = Agent(tmp_path / "agent.db")
    yield made
    made.conn.close()


def order(thread: Thread, **changes: Any) -> Order:
    """An answer to everything a thread asks."""
    given: dict[str, Any] = {
        "kind": "answer",
        "thread_id": thread.thread_id,
        "checkpoint_id": thread.checkpoint_id,
        "digest": thread.digest,
        "questions": tuple(one.id for one in thread.questions),
    }
    return Order(**{**given, **changes})


def test_a_recorded_decision_makes_a_thread_decided_until_it_is_withdrawn(agent: Agent) -> None:
    agent.run({"n": 1})
    journal = Journal(agent.path)
    waiting = agent.thread(journal=journal)
    assert (waiting.situation, waiting.decision) == (Situation.WAITING, None)
    decision = journal.record(order(waiting))
    decided = agent.thread(journal=journal)
    assert (decided.situation, decided.decision) == (Situation.DECIDED, decision)
    assert decided.digest == waiting.digest
    assert [one.situation for one in reader_of(agent.path, journal=journal).all_lines()] == [
        Situation.DECIDED
    ]
    journal.withdraw(decision.decision_id, "ann")
    assert agent.thread(journal=journal) == waiting


def test_a_live_lease_makes_a_thread_running(agent: Agent) -> None:
    agent.run({"n": 1})
    journal = Journal(agent.path)
    token = journal.leases.take("t")
    assert token is not None
    assert agent.thread(journal=journal).situation is Situation.RUNNING
    journal.leases.release("t", token)
    assert agent.thread(journal=journal).situation is Situation.WAITING


def test_a_decision_that_makes_another_thread_leaves_this_one_as_it_is(agent: Agent) -> None:
    agent.run({"n": 1})
    journal = Journal(agent.path)
    thread = agent.thread()
    journal.record(order(thread, kind="fork", questions=(), options={"into": "copy"}))
    assert agent.thread(journal=journal) == thread


def test_a_question_keeps_its_digest_while_a_sibling_is_answered(agent: Agent) -> None:
    """Answering one of several leaves the head; what is checked before sending is the question's digest."""
    builder: StateGraph[Any] = StateGraph(State)
    builder.add_node("work", ask)
    builder.add_conditional_edges(START, lambda state: [Send("work", {"n": n}) for n in (1, 2)], ["work"])
    agent.run({}, builder)
    before = agent.thread()
    first, second = before.questions
    agent.run(Command(resume={first.id: "yes"}), builder)
    now = agent.thread()
    assert [one.digest for one in now.questions] == [second.digest]
    assert now.checkpoint_id == before.checkpoint_id
    assert now.digest != before.digest


def test_a_payload_that_changed_under_the_same_id_changes_the_digest(agent: Agent) -> None:
    """A node that asks with a counter: the id stays, what is asked does not."""
    prices = iter([100, 101])

    def moving(state: State) -> State:
        return {"said": [interrupt({"price": next(prices)})]}

    builder: StateGraph[Any] = StateGraph(State)
    builder.add_node("moving", moving)
    builder.add_edge(START, "moving")
    agent.run({}, builder)
    (before,) = agent.thread().questions
    agent.run(None, builder)
    (now,) = agent.thread().questions
    assert now.id == before.id
    assert now.digest != before.digest


def test_a_new_input_replaces_the_question_and_its_digest(
    make_case: Callable[[str], Path], tmp_path: Path
) -> None:
    db = make_case("11")
    before = reader_of(db).thread("acct-5")
    again = (
        "import sys, sqlite3; sys.path.insert(0, sys.argv[2]); from graph import builder;"
        "from langgraph.checkpoint.sqlite import SqliteSaver;"
        "c = sqlite3.connect(sys.argv[1], check_same_thread=False);"
        "builder.compile(checkpointer=SqliteSaver(c))"
        ".invoke({'amount': 9999}, {'configurable': {'thread_id': 'acct-5'}}); c.close()"
    )
    (folder,) = Path(os.environ.get("AGENT_LAB_SHARED", Path(__file__).parents[4] / "shared")).glob(
        "cases/11-*"
    )
    subprocess.run([sys.executable, "-c", again, str(db), str(folder)], check=True)
    now = reader_of(db).thread("acct-5")
    assert before.questions[0].operations[0].arguments == {"amount": 10}
    assert now.questions[0].operations[0].arguments == {"amount": 9999}
    assert now.questions[0].id != before.questions[0].id
    assert now.questions[0].digest != before.questions[0].digest


@pytest.mark.parametrize("number", ["12", "13", "15"])
def test_hostile_and_wide_texts_come_through_to_the_character(
    make_case: Callable[[str], Path], number: str, shared: Path
) -> None:
    """Reading changes nothing; making it harmless is the display's part."""
    db = make_case(number)
    reader = reader_of(db)
    for line in reader.lines():
        thread = reader.thread(line.thread_id)
        (question,) = thread.questions
        assert thread.thread_id == line.thread_id
        assert question.operations[0].arguments == question.value["arguments"]
        assert question.operations[0].reason == question.value["reason"]
    if number == "13":
        assert {"esc-1", "esc\x1b[31m-2\r"} == {line.thread_id for line in reader.lines()}
        assert question.value["arguments"]["nul_tab"] == "a\x00b\tc\x7f"
    if number == "12":
        assert {line.thread_id for line in reader.lines()} == {"plain", "[red]alert[/red]", "[/]"}
        assert question.node == "gate [1]"


def test_objects_of_the_graph_file_are_shown_by_field_without_it(make_case: Callable[[str], Path]) -> None:
    thread = reader_of(make_case("17")).thread("po-42")
    shown = to_json(thread.questions[0].operations[0].arguments)
    assert shown == {
        "purchase": {"number": 42, "urgency": "high", "stage": "draft"},
        "lines": [
            {"sku": "bolt-8", "quantity": 200, "unit": "0.15"},
            {"sku": "nut-8", "quantity": 200, "unit": "0.05"},
        ],
    }
    assert to_json(thread.values)["purchase"] == shown["purchase"]


def test_a_thread_killed_between_stored_results_and_next_checkpoint_is_stopped(agent: Agent) -> None:
    """Live `next` is empty then, and nothing asks or failed; going on would run the rest."""
    agent.run({"n": 1})
    agent.run(Command(resume="yes"))
    with closing(sqlite3.connect(agent.path)) as conn:
        newest = "(SELECT max(checkpoint_id) FROM checkpoints)"
        for table in ("writes", "checkpoints"):
            conn.execute(f"DELETE FROM {table} WHERE checkpoint_id = {newest}")
        conn.commit()
    thread = agent.thread()
    assert thread.next == ()
    assert thread.situation is Situation.STOPPED
    assert "the next checkpoint is missing" in thread.evidence


def test_what_runs_again_and_next_follows_the_graph(agent: Agent) -> None:
    facts = GraphFacts(
        "small", nodes=("ask", "after"), channels=("n", "said"), edges=(("ask", "after", False),)
    )
    agent.run({"n": 1})
    asking = agent.thread(facts)
    assert (asking.graph, asking.reruns, asking.runs_next) == ("small", ("ask",), ("after",))
    graph = agent.run(Command(resume="yes"))
    assert agent.thread(facts).runs_next == ()
    graph.update_state({"configurable": {"thread_id": "t"}}, {"n": 2}, as_node="ask")
    edited = agent.thread(facts)
    assert (edited.situation, edited.reruns, edited.runs_next) == (Situation.STOPPED, (), ("after",))


def test_a_changed_graph_file_and_a_cache_are_warned_of(agent: Agent) -> None:
    agent.run({"n": 1})
    facts = GraphFacts(
        "small", nodes=("ask", "after"), channels=("n", "said"), modified_at=2e10, asks_cached=("ask",)
    )
    warnings = agent.thread(facts).warnings
    assert any("was changed after this was asked" in text for text in warnings)
    assert any("has a cache" in text for text in warnings)


def test_what_a_graph_needs_before_it_may_run_is_warned_of(agent: Agent) -> None:
    agent.run({"n": 1})
    facts = GraphFacts(
        "small", nodes=("ask", "after"), channels=("n", "said"), needs_store=True, needs_context=True
    )
    store, context = agent.thread(facts).warnings
    assert "uses LangGraph's Store and has none" in store
    assert "--context JSON" in context
    given = Settings().with_run(context={"model": "small"})
    reader = Reader(open_database(str(agent.path)), given, None, (facts,))
    assert reader.thread("t").warnings == (store,)


def test_a_node_renamed_since_makes_a_thread_foreign(agent: Agent) -> None:
    agent.run({"n": 1})
    renamed = GraphFacts("small", nodes=("review", "after"), channels=("n", "said"))
    thread = agent.thread(renamed)
    assert thread.situation is Situation.FOREIGN
    assert any("No loaded graph fits this thread" in warning for warning in thread.warnings)
    assert "ask" in thread.evidence


def test_a_question_that_changed_under_the_same_id_since_it_was_decided_is_warned_of(agent: Agent) -> None:
    price = iter((100, 101))

    def ask(state: State) -> State:
        return {"said": [interrupt({"price": next(price)})]}

    builder: StateGraph[Any] = StateGraph(State)
    builder.add_node("ask", ask)
    builder.add_edge(START, "ask")
    agent.run({}, builder)
    journal = Journal(agent.path)
    reader = Reader(open_database(str(agent.path)), Settings(), journal)
    deciding = Deciding(reader, journal, Settings(), "ann", "ann")
    seen = reader.thread("t")
    (question,) = seen.questions
    made = deciding.record(deciding.prepare(seen, values={question.id: "yes"}))
    assert reader.thread("t").warnings == ()
    agent.run(None, builder)
    (again,) = reader.thread("t").questions
    assert (again.id, again.value) == (question.id, {"price": 101})
    (warning,) = reader.thread("t").warnings
    assert warning.startswith("What ask asks has changed under the same id since ann answered this on")
    deciding.withdraw(made)
    now = reader.thread("t")
    deciding.record(deciding.prepare(now, values={again.id: "yes"}))
    assert reader.thread("t").warnings == ()


def test_an_answer_kept_without_an_id_is_warned_of(agent: Agent) -> None:
    """LangGraph gives it to the next question that comes, seen or not."""

    def twice(state: State) -> State:
        return {"said": [interrupt("first?"), interrupt("second?")]}

    builder: StateGraph[Any] = StateGraph(State)
    builder.add_node("twice", twice)
    builder.add_edge(START, "twice")
    agent.run({}, builder)
    assert agent.thread().warnings == ()
    agent.run(Command(resume="blind"), builder)
    (warning,) = agent.thread().warnings
    assert "(blind)" in warning
    agent.run(None, builder)
    assert agent.thread().values == {"said": ["blind", "blind"]}


def test_the_root_of_a_graph_without_keys_is_its_state(agent: Agent) -> None:
    builder: StateGraph[Any] = StateGraph(Annotated[list, operator.add])  # type: ignore[arg-type]
    builder.add_node("more", lambda state: [interrupt("more?")])
    builder.add_edge(START, "more")
    agent.run([1, 2], builder)
    assert agent.thread().values == [1, 2]


def test_what_was_answered_before_at_a_node_comes_with_the_question(agent: Agent) -> None:
    agent.run({"n": 1}, thread_id="before")
    agent.run(Command(resume={"approved": True}), thread_id="before")
    agent.run({"n": 1})
    assert agent.thread().questions[0].answers_given == ({"approved": True},)


def test_an_encrypted_file_is_listed_and_says_so(agent: Agent) -> None:
    agent.run({"n": 1})
    with closing(sqlite3.connect(agent.path)) as conn:
        conn.execute("UPDATE checkpoints SET type = 'msgpack+aes', checkpoint = x'00'")
        conn.execute("UPDATE writes SET type = 'msgpack+aes', value = x'00'")
        conn.commit()
    thread = agent.thread()
    assert thread.situation is Situation.WAITING
    assert "The state cannot be read: encrypted with aes." in thread.warnings
    assert to_json(thread.questions[0].value) == "(unreadable: encrypted with aes)"
    with closing(sqlite3.connect(agent.path)) as conn:
        conn.execute("DELETE FROM writes")
        conn.commit()
    assert agent.thread().situation is Situation.QUIET


def test_a_configuration_lost_by_an_edit_is_found_and_told(agent: Agent) -> None:
    graph = agent.run({"n": 1}, tenant="acme")
    graph.update_state({"configurable": {"thread_id": "t"}}, {"n": 2})
    thread = agent.thread()
    assert thread.config == {"tenant": "acme"}
    assert any("has lost the run's configuration" in text for text in thread.warnings)
