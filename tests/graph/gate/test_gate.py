"""The gate for authors: it asks in one form, reads answers strictly, and never takes one for another."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypedDict

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command

from agent_lab_tui.graph import gate
from agent_lab_tui.graph.gate import Request, ask, ask_all, once
from agent_lab_tui.store.effects import Conflict, Effects

CONFIG: Any = {"configurable": {"thread_id": "t"}}
APPROVE = {"decisions": [{"type": "approve"}]}


class State(TypedDict, total=False):
    said: list[Any]


class Thread:
    """One node in a graph in memory, and the operator's hand."""

    def __init__(self, node: Callable[[State], Any]) -> None:
        builder = StateGraph(State)
        builder.add_node("node", node)
        builder.add_edge(START, "node")
        builder.add_edge("node", END)
        self.graph = builder.compile(checkpointer=InMemorySaver())

    def start(self) -> None:
        self.graph.invoke({}, CONFIG)

    def go_on(self) -> None:
        self.graph.invoke(None, CONFIG)

    def answer(self, value: Any) -> None:
        (interrupt,) = self.graph.get_state(CONFIG).interrupts
        self.graph.invoke(Command(resume={interrupt.id: value}), CONFIG)

    @property
    def asks(self) -> dict[str, Any] | None:
        interrupts = self.graph.get_state(CONFIG).interrupts
        return interrupts[0].value if interrupts else None

    @property
    def said(self) -> list[Any]:
        said: list[Any] = self.graph.get_state(CONFIG).values.get("said", [])
        return said


def asking(**more: Any) -> Thread:
    def node(state: State) -> State:
        verdict = ask(
            "mail", {"to": "ann"}, "She asked for it.", "Sends 1 mail.", "high", "run-1:1:1", **more
        )
        return {"said": [verdict.kind, dict(verdict.arguments), verdict.text]}

    thread = Thread(node)
    thread.start()
    return thread


def test_a_request_is_langchains_batched_form_with_reason_impact_risk_and_key() -> None:
    assert asking().asks == {
        "action_requests": [
            {
                "name": "mail",
                "args": {"to": "ann"},
                "description": "She asked for it.",
                "reason": "She asked for it.",
                "impact": "Sends 1 mail.",
                "risk": "high",
                "key": "run-1:1:1",
            }
        ],
        "review_configs": [
            {"action_name": "mail", "allowed_decisions": ["approve", "edit", "reject", "explain"]}
        ],
    }


def test_what_an_author_does_not_give_is_left_out_and_said() -> None:
    def node(state: State) -> State:
        return {"said": [ask("mail", {}).kind]}

    thread = Thread(node)
    thread.start()
    assert thread.asks is not None
    (request,) = thread.asks["action_requests"]
    assert request == {"name": "mail", "args": {}, "description": "mail: no reason was given"}


@pytest.mark.parametrize(
    ("decision", "said"),
    [
        ({"type": "approve"}, ["approve", {"to": "ann"}, ""]),
        (
            {"type": "edit", "edited_action": {"name": "mail", "args": {"to": "bob"}}},
            ["edit", {"to": "bob"}, ""],
        ),
        ({"type": "reject", "message": " wrong person "}, ["reject", {"to": "ann"}, "wrong person"]),
        ({"type": "explain", "message": "who is ann?"}, ["explain", {"to": "ann"}, "who is ann?"]),
    ],
)
def test_each_decision_becomes_a_verdict(decision: dict[str, Any], said: list[Any]) -> None:
    thread = asking()
    thread.answer({"decisions": [decision]})
    assert thread.said == said


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("yes", 'takes {"decisions": [...]}'),
        (True, 'takes {"decisions": [...]}'),
        ({"approved": True}, 'takes {"decisions": [...]}'),
        ({"decisions": []}, "takes 1 decisions, there were 0"),
        ({"decisions": ["approve"]}, "is not an object"),
        ({"decisions": [{"type": "respond", "message": "done"}]}, "'respond' is not offered"),
        ({"decisions": [{"type": "edit"}]}, "an edit of mail takes"),
        (
            {"decisions": [{"type": "edit", "edited_action": {"name": "pay", "args": {}}}]},
            "cannot turn mail into pay",
        ),
        ({"decisions": [{"type": "explain", "message": " "}]}, "needs a message"),
    ],
)
def test_a_wrong_answer_is_asked_again_and_does_not_spoil_the_thread(answer: Any, problem: str) -> None:
    thread = asking()
    thread.answer(answer)
    assert thread.said == []
    assert thread.asks is not None
    assert problem in thread.asks["problem"]
    thread.answer(APPROVE)
    assert thread.said == ["approve", {"to": "ann"}, ""]


def test_an_edit_that_the_author_refuses_is_asked_again() -> None:
    def check(arguments: Mapping[str, Any]) -> str | None:
        return None if str(arguments["to"]).endswith("@example.com") else "to must be at example.com"

    thread = asking(check=check)
    edit = {"type": "edit", "edited_action": {"name": "mail", "args": {"to": "x@elsewhere.com"}}}
    thread.answer({"decisions": [edit]})
    assert thread.asks is not None
    assert thread.asks["problem"] == "The last answer did not fit: to must be at example.com"


def test_several_operations_are_asked_in_one_question_and_decided_each_on_its_own() -> None:
    def node(state: State) -> State:
        verdicts = ask_all([Request("mail", {"to": name}) for name in ("ann", "bob")])
        return {"said": [[verdict.arguments["to"], verdict.may_run] for verdict in verdicts]}

    thread = Thread(node)
    thread.start()
    thread.answer({"decisions": [{"type": "reject", "message": "no"}, {"type": "approve"}]})
    assert thread.said == [["ann", False], ["bob", True]]


def test_no_request_is_no_question() -> None:
    assert ask_all([]) == ()


def test_versions_of_the_data_travel_in_the_request(tmp_path: Path) -> None:
    (tmp_path / "brief.txt").write_text("one")
    version = gate.file_version("brief.txt", tmp_path)
    assert asking(data=[version]).asks is not None
    assert not gate.moved([version], tmp_path)
    (tmp_path / "brief.txt").write_text("two")
    (moved,) = gate.moved([version], tmp_path)
    assert "The file brief.txt was" in str(moved)


# Effects


class Mailbox:
    """An outside world that counts; it can lose its answer."""

    def __init__(self) -> None:
        self.mails: list[str] = []
        self.is_losing_answers = False
        self.can_be_asked = True

    def send(self, to: str) -> str:
        self.mails.append(to)
        if self.is_losing_answers:
            raise TimeoutError("no answer")
        return f"mail {len(self.mails)}"

    def look(self, to: str) -> gate.Evidence:
        if not self.can_be_asked:
            raise ConnectionError("the service is down")
        return gate.done("found") if to in self.mails else gate.not_done()


@pytest.fixture
def mailbox() -> Mailbox:
    return Mailbox()


@pytest.fixture
def ledger(tmp_path: Path) -> Effects:
    return Effects(tmp_path / "ledger.db")


def send(mailbox: Mailbox, ledger: Effects, to: str = "ann", *, looks: bool = False) -> str:
    return once(
        f"run-1:1:{to}",
        "mail",
        {"to": to},
        lambda: mailbox.send(to),
        (lambda: mailbox.look(to)) if looks else None,
        ledger=ledger,
    )


def test_it_is_done_once_however_often_the_node_runs(mailbox: Mailbox, ledger: Effects) -> None:
    assert [send(mailbox, ledger) for _ in range(3)] == ["mail 1"] * 3
    assert mailbox.mails == ["ann"]


def test_the_first_result_is_the_one_a_repeat_gets(ledger: Effects) -> None:
    def run() -> Any:
        return once("k", "op", {}, lambda: (1, Path("x")), ledger=ledger)

    assert run() == run() == [1, "PosixPath('x')"]


def test_the_same_key_with_other_arguments_does_nothing_and_says_so(
    mailbox: Mailbox, ledger: Effects
) -> None:
    send(mailbox, ledger)
    with pytest.raises(Conflict):
        once("run-1:1:ann", "mail", {"to": "bob"}, lambda: mailbox.send("bob"), ledger=ledger)
    assert mailbox.mails == ["ann"]


def test_what_is_known_not_to_be_done_is_tried_again_unasked(ledger: Effects) -> None:
    tries: list[int] = []

    def run() -> str:
        tries.append(1)
        if len(tries) == 1:
            raise gate.NotDone("refused")
        return "done"

    with pytest.raises(gate.NotDone):
        once("k", "op", {}, run, ledger=ledger)
    assert once("k", "op", {}, run, ledger=ledger) == "done"


def test_a_lost_answer_is_looked_up_before_anything_is_done_again(mailbox: Mailbox, ledger: Effects) -> None:
    mailbox.is_losing_answers = True
    with pytest.raises(TimeoutError):
        send(mailbox, ledger)
    assert send(mailbox, ledger, looks=True) == "found"
    assert mailbox.mails == ["ann"]


def test_what_is_looked_up_and_not_there_is_done(mailbox: Mailbox, ledger: Effects) -> None:
    ledger.doubt(ledger.begin("run-1:1:ann", "mail", {"to": "ann"}).effect, "killed")
    assert send(mailbox, ledger, looks=True) == "mail 1"


def test_outside_of_a_graph_an_unknown_end_is_an_error(mailbox: Mailbox, ledger: Effects) -> None:
    mailbox.is_losing_answers = True
    with pytest.raises(TimeoutError):
        send(mailbox, ledger)
    with pytest.raises(gate.UnknownOutcome, match="TimeoutError: no answer"):
        send(mailbox, ledger)
    assert mailbox.mails == ["ann"]


def sending(mailbox: Mailbox, ledger: Effects, *, looks: bool = False) -> Thread:
    """A thread whose mail went out while its answer was lost, at the question about it."""
    thread = Thread(lambda state: {"said": [send(mailbox, ledger, looks=looks)]})
    mailbox.is_losing_answers = True
    with pytest.raises(TimeoutError):
        thread.start()
    mailbox.is_losing_answers = False
    thread.go_on()
    return thread


def test_an_unknown_end_becomes_a_question_with_the_evidence(mailbox: Mailbox, ledger: Effects) -> None:
    asks = sending(mailbox, ledger).asks
    assert asks is not None
    assert asks["type"] == "unknown_outcome"
    (request,) = asks["action_requests"]
    assert (request["name"], request["args"], request["key"]) == ("mail", {"to": "ann"}, "run-1:1:ann")
    assert "TimeoutError: no answer" in request["reason"]
    assert asks["review_configs"][0]["allowed_decisions"] == ["approve", "respond", "reject"]
    assert mailbox.mails == ["ann"]


def test_the_question_tells_why_it_could_not_be_looked_up(mailbox: Mailbox, ledger: Effects) -> None:
    mailbox.can_be_asked = False
    thread = sending(mailbox, ledger, looks=True)
    thread.go_on()
    assert thread.asks is not None
    reason = thread.asks["action_requests"][0]["reason"]
    assert reason.count("ConnectionError: the service is down") == 1


@pytest.mark.parametrize(
    ("decision", "mails", "said"),
    [
        ({"type": "approve"}, ["ann", "ann"], ["mail 2"]),
        ({"type": "respond", "message": "I saw it arrive"}, ["ann"], ["I saw it arrive"]),
    ],
)
def test_the_operator_runs_it_again_or_takes_it_as_done(
    mailbox: Mailbox, ledger: Effects, decision: dict[str, Any], mails: list[str], said: list[str]
) -> None:
    thread = sending(mailbox, ledger)
    thread.answer({"decisions": [decision]})
    assert (mailbox.mails, thread.said) == (mails, said)


def test_the_operator_stops_it(mailbox: Mailbox, ledger: Effects) -> None:
    thread = sending(mailbox, ledger)
    with pytest.raises(gate.Stopped, match="call ann first"):
        thread.answer({"decisions": [{"type": "reject", "message": "call ann first"}]})
    with pytest.raises(gate.Stopped):
        thread.go_on()
    assert mailbox.mails == ["ann"]


def test_one_yes_runs_it_one_more_time_and_no_retry_uses_it_again(mailbox: Mailbox, ledger: Effects) -> None:
    thread = sending(mailbox, ledger)
    mailbox.is_losing_answers = True
    with pytest.raises(TimeoutError):
        thread.answer(APPROVE)
    for _ in range(3):
        thread.go_on()
        assert thread.asks is not None
        assert thread.asks["attempt"] == 2
    assert mailbox.mails == ["ann", "ann"]
    mailbox.is_losing_answers = False
    thread.answer({"decisions": [{"type": "respond", "message": "enough"}]})
    assert thread.said == ["enough"]


def test_the_answer_about_an_effect_is_not_taken_for_the_next_question(
    mailbox: Mailbox, ledger: Effects
) -> None:
    """The effect is settled when the node runs again, and its question is asked at its place all the same."""

    def node(state: State) -> State:
        sent = send(mailbox, ledger)
        return {"said": [sent, ask("delete_everything", {}).kind]}

    thread = Thread(node)
    mailbox.is_losing_answers = True
    with pytest.raises(TimeoutError):
        thread.start()
    mailbox.is_losing_answers = False
    thread.go_on()
    thread.answer(APPROVE)
    assert thread.said == []
    assert thread.asks is not None
    assert thread.asks["action_requests"][0]["name"] == "delete_everything"
    thread.answer({"decisions": [{"type": "reject"}]})
    assert thread.said == ["mail 2", "reject"]
    assert mailbox.mails == ["ann", "ann"]


@pytest.mark.parametrize("checkpointer", [None, True, False])
def test_inside_a_subgraph_of_any_kind_one_answer_is_enough(
    mailbox: Mailbox, ledger: Effects, checkpointer: bool | None
) -> None:
    """A subgraph without checkpoints begins anew for every answer, and takes it in the plain form only."""
    ledger.doubt(ledger.begin("run-1:1:ann", "mail", {"to": "ann"}).effect, "killed")
    builder = StateGraph(State)
    builder.add_node("send", lambda state: {"said": [send(mailbox, ledger)]})
    builder.add_edge(START, "send")
    outer = StateGraph(State)
    outer.add_node("inner", builder.compile(checkpointer=checkpointer))
    outer.add_edge(START, "inner")
    graph = outer.compile(checkpointer=InMemorySaver())
    graph.invoke({}, CONFIG)
    (interrupt,) = graph.get_state(CONFIG).interrupts
    graph.invoke(Command(resume=APPROVE if checkpointer is False else {interrupt.id: APPROVE}), CONFIG)
    assert graph.get_state(CONFIG).values["said"] == ["mail 1"]
    assert graph.get_state(CONFIG).interrupts == ()


def test_a_question_inside_the_deed_is_not_an_unknown_end(ledger: Effects) -> None:
    def node(state: State) -> State:
        return {"said": [once("k", "op", {}, lambda: ask("inner", {}).kind, ledger=ledger)]}

    thread = Thread(node)
    thread.start()
    assert thread.asks is not None
    assert thread.asks["action_requests"][0]["name"] == "inner"
    thread.answer(APPROVE)
    assert thread.said == ["approve"]


async def test_async_nodes_ask_and_do_things_once(ledger: Effects, mailbox: Mailbox) -> None:
    async def run() -> str:
        return mailbox.send("ann")

    async def node(state: State) -> State:
        verdict = ask("mail", {"to": "ann"})
        sent = await gate.aonce("k", "mail", {"to": "ann"}, run, ledger=ledger)
        again = await gate.aonce("k", "mail", {"to": "ann"}, run, ledger=ledger)
        return {"said": [verdict.kind, sent, again]}

    graph = Thread(node).graph
    await graph.ainvoke({}, CONFIG)
    (interrupt,) = (await graph.aget_state(CONFIG)).interrupts
    values = await graph.ainvoke(Command(resume={interrupt.id: APPROVE}), CONFIG)
    assert values["said"] == ["approve", "mail 1", "mail 1"]
    assert mailbox.mails == ["ann"]


async def test_sync_nodes_in_a_pool_thread_use_the_ledger(ledger: Effects, mailbox: Mailbox) -> None:
    values = await Thread(lambda state: {"said": [send(mailbox, ledger)]}).graph.ainvoke({}, CONFIG)
    assert values["said"] == ["mail 1"]


async def test_a_cancelled_deed_is_unknown(ledger: Effects) -> None:
    began = asyncio.Event()

    async def run() -> str:
        began.set()
        await asyncio.Event().wait()
        return "never"

    task = asyncio.create_task(gate.aonce("k", "mail", {}, run, ledger=ledger))
    await began.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    found = ledger.find("k")
    assert found is not None
    assert found.state == "unknown"


def test_the_gate_needs_langgraph_and_the_standard_library_alone(tmp_path: Path) -> None:
    """An agent's process must load nothing of what only the desk needs."""
    code = """
import sys

BANNED = {"textual", "rich", "click", "jsonschema", "tree_sitter", "langchain", "Crypto"}


class Ban:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in BANNED:
            raise ImportError(f"{name} is not for the gate to need")


sys.meta_path.insert(0, Ban())
from agent_lab_tui.graph.gate import ask, once

done = [once("k", "pay", {"n": 1}, lambda: "paid", ledger="agent.db.desk") for _ in range(2)]
assert done == ["paid", "paid"]
print(*sorted({name.split(".")[1] for name in sys.modules if name.startswith("agent_lab_tui.")}))
"""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "graph store\n"), done.stderr
