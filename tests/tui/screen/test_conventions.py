"""Every way of asking, answered by keys alone; what counts is what the graph got."""

from __future__ import annotations

import importlib
import json
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command

from agent_lab_tui.graph.desk import Desk
from agent_lab_tui.graph.settings.file import load
from agent_lab_tui.store.values import decode

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
AGENT = HERE / "asking_agent.py"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """One desk with threads that wait in every form; each test decides threads of its own."""
    folder = tmp_path_factory.mktemp("asking")
    path = folder / "agent.db"
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(HERE))
        patch.setattr(sys, "dont_write_bytecode", True)
        agent = importlib.import_module("asking_agent")
        with closing(sqlite3.connect(path, check_same_thread=False)) as connection:
            saver = SqliteSaver(connection)
            graphs = {name: one.compile(checkpointer=saver) for name, one in agent.GRAPHS.items()}
            graphs["stops"] = agent._stops.compile(checkpointer=saver, interrupt_before=["drop_table"])
            for thread_id, (name, value) in agent.INPUTS.items():
                config = {"configurable": {"thread_id": thread_id}}
                graphs[name].invoke(value, config)
                if thread_id in agent.ANSWERED:
                    graphs[name].invoke(Command(resume=agent.ANSWERED[thread_id]), config)
        for name in ("asking_agent", "typed_agent"):
            sys.modules.pop(name)
    names = ("letters", "plain", "inbox", "gate", "stops")
    opened = Desk.open(
        load(None), db=str(path), graphs=[f"{AGENT}:{name}" for name in names], operator="ann", os_user="ann"
    )
    yield opened
    opened.close()


@pytest.fixture(autouse=True)
def without_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    """Send risky answers at once: nobody withdraws them here."""
    monkeypatch.setattr("agent_lab_tui.tui.flows.sending.WITHDRAWAL", 0.0)


async def bring(hand: Any, thread_id: str) -> None:
    """Open a thread and read all of its request."""
    await hand.until(lambda: hand.desk.desk.facts and not hand.desk.desk.running)
    await hand.open(thread_id)
    await read_on(hand)


async def read_on(hand: Any) -> None:
    """Read the rest of the request in front."""
    document = hand.desk.query_one("#request")
    for _ in range(20):
        await hand.pilot.pause()
        if document.unread == 0:
            return
        await hand.press("space")
    raise AssertionError(hand.seen())


def request(hand: Any) -> str:
    """The words beside the list, as one line."""
    return " ".join(" ".join(line.partition("│")[2] for line in hand.seen().splitlines()).split())


async def got(hand: Any, thread_id: str, key: str = "got") -> Any:
    """Wait until a thread has gone on, and return what its graph got."""
    desk = hand.desk.desk
    await hand.until(
        lambda: (
            (made := desk.journal.of_thread(thread_id))
            and made[-1].state == "applied"
            and not desk.running
            and hand.app.screen is hand.desk
        )
    )
    return desk.thread(thread_id).values.get(key)


def answers_of(decision: Any) -> list[Any]:
    """Return the exact answers of a decision, as the journal keeps them."""
    return [decode("msgpack", answer) for answer in decision.order.answers.values()]


async def type_over(hand: Any, text: str) -> None:
    """Type over what stands in the input that has the keys."""
    await hand.press("end", "ctrl+u")
    await hand.type(text)


# Response schemas


async def test_a_form_fills_every_kind_of_field_and_numbers_stay_numbers(desk: Desk, at) -> None:
    async with at(desk, (100, 40)) as hand:
        await bring(hand, "letter-0")
        assert "typed, because LangGraph gives a response schema Letter" in request(hand)
        await hand.press("v")
        await hand.until_seen("What to do with the letter.")
        await hand.press("right", "down")
        await hand.type("Rain")
        await hand.press("down")
        await hand.type("2.50")
        await hand.press("down", "enter", "down", "down", "enter")
        await hand.press("down")
        await hand.type("Rome")
        await hand.press("down", "f4", "down", "f7")
        await hand.type("wet")
        await hand.press("f7")
        await hand.type("cold")
        await hand.press("f8", "down", "f7")
        await hand.type("Dear Ann")
        await hand.press("down")
        await hand.type("2")
        await hand.press("down", "right", "down")
        await hand.type("3")
        await hand.press("up", "right", "left", "down", "down")
        await hand.type('{"a": [1, 1.0]}')
        await hand.pilot.pause()
        sends = hand.seen()
        await hand.press("ctrl+s")
        answer = await got(hand, "letter-0")
    assert answer == {
        "approved": True,
        "subject": "Rain",
        "price": 2.5,
        "tone": "neutral",
        "address": {"city": "Rome", "floor": None},
        "tags": ["wet"],
        "pages": [{"text": "Dear Ann", "copies": 2}],
        "way": {"kind": "post", "stamps": 3},
        "extra": {"a": [1, 1.0]},
    }
    (decision,) = desk.journal.of_thread("letter-0")
    (sent,) = answers_of(decision)
    assert [type(sent["price"]), type(sent["pages"][0]["copies"])] == [float, int]
    assert '"subject": "Rain"' in sends


def below(hand: Any, label: str) -> str:
    """Return what stands on the line below a label."""
    lines = iter(hand.seen().splitlines())
    next(line for line in lines if label in line)
    return str(next(lines))


async def test_errors_stand_at_their_fields_and_a_draft_stays_with_its_question(desk: Desk, at) -> None:
    async with at(desk, (100, 40)) as hand:
        await bring(hand, "letter-1")
        await hand.press("v")
        await hand.until_seen("What to do with the letter.")
        await hand.press("down")
        await hand.type("ab")
        await hand.press("down")
        await hand.type("1,5")
        await hand.press("ctrl+s")
        await hand.until_seen("5 inputs are not right yet.")
        assert "must have at least 3 characters" in below(hand, "subject *")
        assert "`price` must be a number, not 1,5." in below(hand, "price *")
        assert "`approved` needs a value." in below(hand, "approved *")
        await hand.press("escape")
        await hand.until(lambda: hand.app.screen is hand.desk)
        assert not desk.journal.of_thread("letter-1")
        await hand.press("v")
        await hand.until_seen("1,5")


async def test_json_beside_the_form_takes_over_what_was_filled_in_and_gives_it_back(desk: Desk, at) -> None:
    async with at(desk, (100, 40)) as hand:
        await bring(hand, "letter-2")
        await hand.press("v")
        await hand.until_seen("What to do with the letter.")
        await hand.press("f", "down")
        await hand.type("Snow")
        await hand.press("f2")
        await hand.until_seen('"subject": "Snow"')
        area = hand.app.screen.query_one("#json")
        whole = {
            "approved": False,
            "subject": "Snow",
            "price": 4,
            "address": {"city": "Oslo"},
            "way": {"kind": "mail", "to": "a@example.com"},
        }
        area.text = json.dumps({**whole, "unknown": 1})
        await hand.press("f2")
        await hand.until_seen("The form has no place for all of this")
        area.text = "{"
        await hand.press("f2")
        await hand.until_seen("Line 1")
        area.text = json.dumps(whole)
        await hand.press("f2")
        await hand.until_seen("city *")
        assert "◉ mail" in hand.seen()
        assert "a@example.com" in hand.seen()
        await hand.press("ctrl+s")
        answer = await got(hand, "letter-2")
    assert answer["price"] == 4.0
    assert answer["way"] == {"kind": "mail", "to": "a@example.com"}


async def test_an_answer_that_was_given_before_fills_the_form(desk: Desk, at) -> None:
    async with at(desk, (100, 40)) as hand:
        await bring(hand, "letter-3")
        given = hand.desk.shown.thread.questions[0].answers_given
        await hand.press("v")
        await hand.until_seen("What to do with the letter.")
        await hand.press("f3")
        await hand.until_seen("answered before")
        await hand.press("ctrl+s")
        assert await got(hand, "letter-3")
        (decision,) = desk.journal.of_thread("letter-3")
    assert answers_of(decision)[0] in given


# Plain values

PLAIN: dict[str, tuple[str, Any]] = {
    "yes": ("", True),
    "no": ("", False),
    "text": ("looks fine", "looks fine"),
    "json": ('{"limit": 500, "ok": true}', {"limit": 500, "ok": True}),
    "null": ("null", None),
    "false": ("false", False),
    "zero": ("0", 0),
}
"""By thread: what is typed, or nothing to take it from the offers, and the value that the graph must get."""


async def test_plain_questions_take_text_json_yes_and_no_and_the_emptiest_values(desk: Desk, at) -> None:
    async with at(desk) as hand:
        for word, (text, wanted) in PLAIN.items():
            thread_id = f"plain-{word}"
            await bring(hand, thread_id)
            assert "plain, because it has no known form" in request(hand)
            await hand.press("v")
            await hand.until_seen("Answer ")
            if not text:
                values = [offer.value for offer in hand.app.screen._offers]
                place = next(at for at, value in enumerate(values) if value is wanted)
                await hand.press(*["down"] * (place + 1))
            await hand.type(text)
            await hand.press("enter")
            answer = (await got(hand, thread_id))["answer"]
            assert (type(answer), answer) == (type(wanted), wanted), word


async def test_what_was_answered_before_is_offered_first(desk: Desk, at) -> None:
    async with at(desk) as hand:
        await bring(hand, "plain-before")
        earlier = hand.desk.shown.thread.questions[0].answers_given[0]
        await hand.press("v")
        await hand.until_seen("answered before")
        await hand.press("down", "enter")
        answer = (await got(hand, "plain-before"))["answer"]
    assert (type(answer), answer) == (type(earlier), earlier)


# Agent Inbox

INBOX: dict[str, tuple[str, dict[str, Any]]] = {
    "accept": ("a", {"type": "accept", "args": None}),
    "edit": (
        "e",
        {
            "type": "edit",
            "args": {"action": "send_email", "args": {"to": "eve@example.com", "subject": "Invoice 7"}},
        },
    ),
    "respond": ("m", {"type": "response", "args": "be kinder"}),
    "ignore": ("r", {"type": "ignore", "args": None}),
}
"""By choice: its key, and the answer that the graph must get."""


@pytest.mark.parametrize("form", ["list", "bare"])
async def test_agent_inbox_takes_every_choice(desk: Desk, at, form: str) -> None:
    async with at(desk) as hand:
        for choice, (key, wanted) in INBOX.items():
            thread_id = f"inbox-{form}-{choice}"
            await bring(hand, thread_id)
            assert "Agent Inbox, because of action_request" in request(hand)
            await hand.press(key)
            if choice == "edit":
                await hand.until_seen("Edit send_email")
                editor = hand.app.screen.query_one("#json")
                editor.text = editor.text.replace("bob@", "eve@")
                await hand.press("ctrl+s")
                await hand.until_seen("with these changes?")
                await hand.press("enter")
            elif choice != "accept":
                await hand.until(lambda: hand.app.screen is not hand.desk)
                await hand.type("be kinder")
                await hand.press("enter")
            assert await got(hand, thread_id) == wanted, choice


# The gate


async def test_the_gate_takes_approve_an_edit_in_a_form_and_a_rejection(desk: Desk, at) -> None:
    async with at(desk) as hand:
        await bring(hand, "gate-approve")
        await hand.press("a")
        assert await got(hand, "gate-approve") == {
            "kind": "approve",
            "arguments": {"to": "Ann", "copies": 2},
            "text": "",
        }
        await bring(hand, "gate-edit")
        await hand.press("e")
        await hand.until_seen("Edit print_letter")
        await hand.press("down")
        await type_over(hand, "10")
        await hand.press("ctrl+s")
        await hand.until_seen("must be at most 9, not 10")
        await type_over(hand, "3")
        await hand.press("down", "f", "ctrl+s")
        await hand.until_seen("with these changes?")
        await hand.press("enter")
        answer = await got(hand, "gate-edit")
        assert answer["arguments"] == {"to": "Ann", "copies": 3, "tone": "formal"}
        await bring(hand, "gate-reject")
        await hand.press("r")
        await hand.until_seen("Reject print_letter")
        await hand.type("no paper")
        await hand.press("enter")
        assert await got(hand, "gate-reject") == {"kind": "reject", "arguments": None, "text": "no paper"}


async def test_the_gate_explains_and_asks_again_before_it_is_decided(desk: Desk, at) -> None:
    async with at(desk) as hand:
        await bring(hand, "gate-explain")
        await hand.press("x")
        await hand.until_seen("Ask to explain print_letter")
        await hand.type("why today")
        await hand.press("enter")
        await hand.until(lambda: len(desk.journal.of_thread("gate-explain")) == 1 and not desk.running)
        assert await got(hand, "gate-explain") is None
        await bring(hand, "gate-explain")
        await hand.until_seen("because of: why today")
        await bring(hand, "gate-explain")
        await hand.press("a")
        await hand.until(lambda: len(desk.journal.of_thread("gate-explain")) == 2 and not desk.running)
        assert (await got(hand, "gate-explain"))["kind"] == "approve"


# Static breakpoints


async def test_at_a_breakpoint_each_way_says_what_it_will_do_and_does_it(desk: Desk, at) -> None:
    async with at(desk) as hand:
        await bring(hand, "stop-on")
        assert "g Go on Runs drop_table with the state as it is." in request(hand)
        assert "K Skip Runs write_up next, as if drop_table had run and changed nothing." in request(hand)
        assert "X Abandon Ends the thread here; drop_table never runs." in request(hand)
        await hand.press("g")
        assert await got(hand, "stop-on", "report") == "dropped: True"
        await bring(hand, "stop-skip")
        await hand.press("K")
        await hand.until_seen("press K once more")
        assert not desk.journal.of_thread("stop-skip")
        await hand.press("K")
        assert await got(hand, "stop-skip", "report") == "dropped: False"
        await bring(hand, "stop-end")
        await hand.press("X")
        await hand.until_seen("End stop-end")
        await hand.type("nobody wants it")
        await hand.press("enter")
        assert await got(hand, "stop-end", "report") is None
        assert desk.thread("stop-end").next == ()


# LangChain

Chores = Callable[[str], Desk]


@pytest.fixture
def chores(shared: Path, tmp_path: Path, desk_of, monkeypatch) -> Chores:
    """Let a real LangChain agent of one mode ask, and open a desk on it."""
    monkeypatch.setenv("ZOO_EFFECTS", str(tmp_path / "effects.jsonl"))
    monkeypatch.syspath_prepend(str(shared / "zoo"))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def make(factory: str) -> Desk:
        agent = importlib.import_module("hitl_agent")
        path = tmp_path / "agent.db"
        with closing(sqlite3.connect(path, check_same_thread=False)) as connection:
            graph = getattr(agent, factory)(SqliteSaver(connection))
            graph.invoke(agent.INPUT, {"configurable": {"thread_id": "chores"}})
        (tmp_path / "effects.jsonl").unlink(missing_ok=True)
        return desk_of(path, f"{shared / 'zoo' / 'hitl_agent.py'}:{factory}")

    return make


def effects(tmp_path: Path) -> list[tuple[str, Any]]:
    log = tmp_path / "effects.jsonl"
    lines = [json.loads(line) for line in log.read_text("utf-8").splitlines()] if log.exists() else []
    return sorted((one["effect"], one.get("to") or one.get("path") or one.get("query")) for one in lines)


async def test_langchain_batched_takes_a_choice_for_each_operation(chores, at, tmp_path: Path) -> None:
    desk = chores("make_graph")
    async with at(desk) as hand:
        await bring(hand, "chores")
        await hand.press("m")
        await hand.until_seen("Message to send_email")
        await hand.type("wait")
        await hand.press("enter")
        await hand.until(lambda: hand.desk.shown.index == 1 and hand.desk.painted)
        assert hand.desk.check_action("edit", ()) is False
        assert hand.desk.check_action("respond", ()) is False
        await hand.press("r")
        await hand.until_seen("Reject delete_file")
        await hand.type("keep it")
        await hand.press("enter")
        await hand.until(lambda: hand.desk.shown.index == 2 and hand.desk.painted)
        await hand.press("space", "space", "space", "e")
        await hand.until_seen("Edit run_sql")
        editor = hand.app.screen.query_one("#json")
        editor.text = editor.text.replace("done = 1", "done = 2")
        await hand.press("ctrl+s")
        await hand.until_seen("with these changes?")
        assert not desk.journal.of_thread("chores")
        await hand.press("enter")
        messages = await got(hand, "chores", "messages")
    told = " ".join(str(one) for one in messages)
    assert "wait" in told
    assert "keep it" in told
    assert effects(tmp_path) == [("run_sql", "UPDATE t SET done = 2"), ("search", None)]


async def test_langchain_per_call_takes_a_form_for_arguments_and_for_a_whole_decision(
    chores, at, tmp_path: Path
) -> None:
    desk = chores("make_graph_per_call")
    async with at(desk, (100, 30)) as hand:
        await bring(hand, "chores")
        await hand.press("e")
        await hand.until_seen("Edit send_email")
        await hand.until_seen('Sends   {"to": "bob@example.com", "body": "hi"}')
        await type_over(hand, "alice@example.com")
        await hand.press("ctrl+s")
        await hand.until_seen("with these changes?")
        await hand.press("enter")
        await hand.until(lambda: hand.desk.item.operation.name == "delete_file" and hand.desk.painted)
        await read_on(hand)
        await hand.press("v")
        await hand.until_seen("○ approve")
        await hand.press("r", "down")
        await hand.type("keep it")
        await hand.until_seen('{"type": "reject", "message": "keep it"}')
        await hand.press("ctrl+s")
        await hand.until(lambda: hand.desk.item.operation.name == "run_sql" and hand.desk.painted)
        await read_on(hand)
        assert not desk.journal.of_thread("chores")
        await hand.press("a")
        messages = await got(hand, "chores", "messages")
    assert "keep it" in " ".join(str(one) for one in messages)
    assert effects(tmp_path) == [("run_sql", "UPDATE t SET done = 1"), ("send_email", "alice@example.com")]
