"""Time travel on the command line: what is shown before, what is written, and that the original stays."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver

from agent_lab_tui.store.effects import Effects
from agent_lab_tui.store.journal.book import Journal
from agent_lab_tui.tui.cli import run

pytestmark = pytest.mark.slow

Json = Any


class Shell:
    """The command line on one database with one graph."""

    def __init__(self, db: Path, graph: str | None, capsys: pytest.CaptureFixture[str]) -> None:
        self.db = db
        self._options = ("--db", str(db), "--operator", "ann", *(("--graph", graph) if graph else ()))
        self._capsys = capsys
        self.error = ""

    def __call__(self, *arguments: str) -> tuple[int, str]:
        self._capsys.readouterr()
        code = run([*arguments, *self._options])
        printed = self._capsys.readouterr()
        self.error = printed.err
        return code, printed.out

    def json(self, *arguments: str, code: int = 0) -> Json:
        got, printed = self(*arguments, "--json")
        assert got == code, self.error
        return json.loads(printed)

    @property
    def effects(self) -> list[str]:
        log = self.db.parent / "effects.log"
        return log.read_text("utf-8").splitlines() if log.exists() else []

    @property
    def journal(self) -> Journal:
        return Journal(self.db)

    def dump(self, thread_id: str) -> list[Any]:
        with closing(sqlite3.connect(self.db)) as connection:
            return [
                connection.execute(f"SELECT * FROM {table} WHERE thread_id = ?", [thread_id]).fetchall()
                for table in ("checkpoints", "writes")
            ]


@pytest.fixture
def shell(
    make_case: Callable[[str], Path], shared: Path, capsys: pytest.CaptureFixture[str]
) -> Callable[[str], Shell]:
    """The command line on the database of a real-world case."""

    def open_(number: str) -> Shell:
        (folder,) = shared.glob(f"cases/{number}-*")
        return Shell(make_case(number), f"{folder}/graph.py:builder", capsys)

    return open_


# Case 09: a replay asks and acts again


def test_the_history_of_a_finished_thread_shows_its_question_as_past(shell: Callable[[str], Shell]) -> None:
    history = shell("09").json("history", "P-12")
    assert [(row["step"], row["next"]) for row in history] == [
        (3, []),
        (2, ["ship"]),
        (1, ["gate"]),
        (0, ["reserve"]),
        (-1, ["__start__"]),
    ]
    assert [row["source"] for row in history] == ["loop"] * 4 + ["input"]
    assert [[q["answered"] for q in row["questions"]] for row in history] == [[], [], [True], [], []]
    assert [row["ran"] for row in history] == [["ship"], ["gate"], ["reserve"], ["__start__"], []]
    assert [row["is_head"] for row in history] == [True, False, False, False, False]
    assert history[0]["parent_id"] == history[1]["checkpoint_id"]


def test_a_replay_is_previewed_without_a_word_to_the_database(shell: Callable[[str], Shell]) -> None:
    desk = shell("09")
    before = desk.dump("P-12")
    told = desk.json("replay", "P-12", "0", "--preview")
    assert told["reruns"] == ["reserve", "gate", "ship"]
    assert [(q["node"], q["dropped"]) for q in told["questions"]] == [("gate", "yes")]
    _, text = desk("replay", "P-12", "0", "--preview")
    assert "they do again" in text
    assert desk.dump("P-12") == before
    assert not desk.journal.path.exists()


def test_a_replay_asks_again_and_acts_again_on_a_new_branch(shell: Callable[[str], Shell]) -> None:
    desk = shell("09")
    assert "waiting" not in desk("list")[1]
    old = {row["checkpoint_id"] for row in desk.json("history", "P-12")}
    told = desk.json("replay", "P-12", "0")
    assert (told["outcome"], told["situation"], told["next"]) == ("applied", "waiting", ["gate"])
    (question,) = told["questions"]
    assert question["value"]["operation"] == "ship"
    seen = desk.json("show", "P-12")["digest"]
    desk.json("answer", "P-12", "--value", '"no"', "--seen", seen)
    history = desk.json("history", "P-12")
    assert len(history) == 9
    assert old < {row["checkpoint_id"] for row in history}
    assert [row["source"] for row in history].count("fork") == 1
    assert sorted(desk.effects) == ["reserve stock for P-12"] * 2 + ["ship P-12"] * 2


def test_a_replay_of_the_end_of_a_branch_is_refused(shell: Callable[[str], Shell]) -> None:
    desk = shell("09")
    before = desk.dump("P-12")
    assert desk("replay", "P-12", "head")[0] == 4
    assert "Nothing runs after this checkpoint" in desk.error
    assert desk.dump("P-12") == before


def test_a_replay_can_stop_after_one_step(shell: Callable[[str], Shell]) -> None:
    desk = shell("09")
    told = desk.json("replay", "P-12", "2", "--step", "--confirm", "replay")
    assert (told["outcome"], told["next"]) == ("applied", [])
    (first,) = [row["checkpoint_id"] for row in desk.json("history", "P-12") if row["ran"] == ["__start__"]]
    told = desk.json("replay", "P-12", first, "--step")
    assert (told["outcome"], told["next"], told["questions"]) == ("applied", ["gate"], [])
    assert sorted(desk.effects) == ["reserve stock for P-12"] * 2 + ["ship P-12"] * 2


def test_effects_that_would_be_done_twice_need_a_word(shell: Callable[[str], Shell]) -> None:
    desk = shell("09")
    ledger = Effects(desk.journal.path)
    done = ledger.begin("P-12:reserve", "reserve", {"order": "P-12"})
    ledger.finish(done.effect, "ok")
    ledger.doubt(ledger.begin("P-12:ship", "ship", {"order": "P-12"}).effect, "the line broke")
    ledger.finish(ledger.begin("other-1:ship", "ship", {"order": "other"}).effect, "ok")
    told = desk.json("replay", "P-12", "0", "--preview")
    assert [(e["key"], e["would"]) for e in told["effects"]] == [
        ("P-12:reserve", "be skipped"),
        ("P-12:ship", "unknown"),
    ]
    assert desk("replay", "P-12", "0", "--json")[0] == 2
    assert "--confirm replay" in desk.error
    assert len(desk.effects) == 2
    assert desk.json("replay", "P-12", "0", "--confirm", "replay")["outcome"] == "applied"


def test_a_replay_behind_an_answered_question_needs_a_word(shell: Callable[[str], Shell]) -> None:
    desk = shell("09")
    told = desk.json("replay", "P-12", "2", "--preview")
    assert (told["unasked"], told["confirm"]) == (["ship"], "replay")
    assert desk.json("replay", "P-12", "0", "--preview")["confirm"] == ""
    code, printed = desk("replay", "P-12", "2")
    assert (code, "Runs again" in printed) == (2, True)
    assert desk.error.startswith("What stands behind an answered question would run again unasked (ship).")
    assert desk("replay", "P-12", "2", "--confirm", "yes")[0] == 2
    assert "The value of --confirm is wrong: yes." in desk.error
    assert "ship P-12" not in desk.effects[2:]
    assert desk.json("replay", "P-12", "2", "--confirm", "replay")["outcome"] == "applied"


# Case 10: replacing means replacing


def edit_of(desk: Shell) -> str:
    values = desk.json("show", "patch-1")["values"]
    values["targets"] = ["host-b"]
    values["budget"] = 1
    values["messages"][0]["content"] = "patch host-b only"
    return json.dumps(values)


def test_a_forked_edit_replaces_a_reduced_list_and_keeps_message_ids(shell: Callable[[str], Shell]) -> None:
    desk = shell("10")
    told = desk.json("fork", "patch-1", "1", "--set", edit_of(desk), "--run")
    assert (told["outcome"], told["situation"], told["next"]) == ("applied", "waiting", ["gate"])
    (question,) = told["questions"]
    assert question["value"]["arguments"] == {"targets": ["host-b"], "budget": 1}
    seen = desk.json("show", "patch-1")["digest"]
    desk.json("answer", "patch-1", "--value", '"ok"', "--seen", seen)
    values = desk.json("show", "patch-1")["values"]
    assert values["targets"] == ["host-b"]
    assert [(m["id"], m["content"]) for m in values["messages"]] == [
        ("m1", "patch host-b only"),
        ("m2", "answer ok; targets ['host-b']; budget 1"),
    ]


def test_the_state_and_the_next_nodes_are_shown_before_a_fork(shell: Callable[[str], Shell]) -> None:
    desk = shell("10")
    before = desk.dump("patch-1")
    told = desk.json("fork", "patch-1", "head", "--set", edit_of(desk), "--preview")
    assert told["next"] == ["gate"]
    assert [(d["path"], d["kind"]) for d in told["differences"]] == [
        ("budget", "changed"),
        ("targets[0]", "removed"),
        ("messages[m1].content", "changed"),
    ]
    assert told["passes_by"] == []
    assert desk.dump("patch-1") == before


def test_appending_and_stopping_writes_one_checkpoint(shell: Callable[[str], Shell]) -> None:
    desk = shell("10")
    told = desk.json("fork", "patch-1", "head", "--append", '{"targets": ["host-c"]}')
    assert (told["outcome"], told["situation"], told["next"]) == ("applied", "stopped", ["gate"])
    assert desk.json("show", "patch-1")["values"]["targets"] == ["host-a", "host-b", "host-c"]
    history = desk.json("history", "patch-1")
    assert [row["source"] for row in history] == ["update", "loop", "loop", "input"]
    (decision,) = history[1]["decisions"]
    assert (decision["kind"], decision["by"], decision["state"]) == ("fork", "ann", "applied")


def test_an_edit_that_cannot_be_meant_is_refused(shell: Callable[[str], Shell]) -> None:
    desk = shell("10")
    before = desk.dump("patch-1")
    for options, sentence in (
        (("--set", '{"budgett": 1}'), "budgett is no key of the state"),
        (("--append", '{"budget": 1}'), "budget has no reducer"),
        (("--set", '{"budget": 1}', "--as-node", "gatt"), "There is no node gatt"),
        ((), "The fork changes nothing"),
        (("--into", "patch-1"), "There is a thread 'patch-1' already"),
    ):
        assert desk("fork", "patch-1", "head", *options)[0] == 4
        assert sentence in desk.error
    assert desk("fork", "patch-1", "head", "--set", "[1]")[0] == 2
    assert desk.dump("patch-1") == before
    assert not desk.journal.path.exists()


def test_a_fork_past_a_waiting_question_is_an_approval(shell: Callable[[str], Shell]) -> None:
    desk = shell("10")
    before = desk.dump("patch-1")
    past_it = ("fork", "patch-1", "head", "--append", '{"messages": []}', "--as-node", "gate", "--run")
    (passed,) = desk.json(*past_it, "--preview")["passes_by"]
    assert (passed["node"], passed["risk"]) == ("gate", "high")
    assert desk(*past_it, "--json")[0] == 4
    assert "That is an approval" in desk.error
    assert "approve gate unasked" in desk.error
    assert desk.dump("patch-1") == before
    told = desk.json(*past_it, "--confirm", "approve gate unasked")
    assert (told["outcome"], told["situation"]) == ("applied", "done")
    (decision,) = desk.journal.of_thread("patch-1")
    assert next(iter(decision.order.choices.values()))[0]["approve"]["by fork"]["as_node"] == "gate"
    assert "approve gate unasked" in decision.order.note
    assert "approved by ann" in desk("history", "patch-1")[1]


def test_a_fork_into_a_new_thread_leaves_the_original_as_it_is(shell: Callable[[str], Shell]) -> None:
    desk = shell("10")
    before = desk.dump("patch-1")
    told = desk.json("fork", "patch-1", "head", "--set", '{"budget": 9}', "--into", "patch-2", "--run")
    assert (told["thread_id"], told["outcome"], told["situation"]) == ("patch-2", "applied", "waiting")
    assert told["questions"][0]["value"]["arguments"]["budget"] == 9
    seen = desk.json("show", "patch-2")["digest"]
    assert desk.json("answer", "patch-2", "--value", '"ok"', "--seen", seen)["situation"] == "done"
    assert desk.dump("patch-1") == before
    assert "into patch-2" in desk("history", "patch-1")[1]


# Branches, races and questions that were left behind


@pytest.fixture
def zoo(zoo_db: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    """The threads of the zoo, read without any graph."""
    return Shell(zoo_db, None, capsys)


@pytest.fixture
def branched(zoo_db: Path, shared: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    """The same with the graph of the branched threads."""
    return Shell(zoo_db, f"{shared}/zoo/branched.py:make_graph", capsys)


def test_a_question_left_behind_is_listed_and_answered_in_a_new_thread(branched: Shell) -> None:
    before = branched.dump("edited-not-asked")
    (lost,) = branched.json("history", "edited-not-asked", "--lost")
    assert lost["questions"][0]["value"] == {"apply": "plan A"}
    told = branched.json("fork", "edited-not-asked", lost["checkpoint_id"], "--into", "again")
    assert (told["situation"], told["next"]) == ("waiting", ["ask"])
    assert told["questions"][0]["value"] == {"apply": "plan A"}
    seen = branched.json("show", "again")["digest"]
    assert branched.json("answer", "again", "--value", '"no"', "--seen", seen)["situation"] == "done"
    assert branched.dump("edited-not-asked") == before


def test_a_question_left_behind_is_asked_anew_where_it_was_by_a_replay(branched: Shell) -> None:
    (lost,) = branched.json("history", "edited-not-asked", "--lost")
    told = branched.json("replay", "edited-not-asked", lost["checkpoint_id"])
    assert told["questions"][0]["value"] == {"apply": "plan A"}
    assert branched.json("history", "edited-not-asked")[0]["is_head"] is True


def test_a_question_left_behind_is_closed_with_a_reason(zoo: Shell) -> None:
    before = zoo.dump("edited-not-asked")
    assert zoo("abandon", "edited-not-asked", "--left-at", "1")[0] == 4
    told = zoo.json("abandon", "edited-not-asked", "--left-at", "1", "--reason", "plan B came")
    assert told["outcome"] == "applied"
    assert zoo.json("history", "edited-not-asked", "--lost") == []
    assert "plan B came" in zoo("journal", "show")[1]
    assert zoo.dump("edited-not-asked") == before


def test_an_answered_question_is_asked_anew_in_a_copy(branched: Shell) -> None:
    told = branched.json("fork", "finished", "question", "--into", "anew", "--run")
    assert (told["situation"], told["questions"][0]["value"]) == ("waiting", {"apply": "plan A"})


def test_two_runs_of_one_step_are_shown_as_a_race(zoo: Shell) -> None:
    with closing(sqlite3.connect(zoo.db)) as connection, connection:
        connection.execute(
            "INSERT INTO checkpoints SELECT thread_id, checkpoint_ns, '1fffffff' || substr(checkpoint_id, 9),"
            " parent_checkpoint_id, type, checkpoint, metadata FROM checkpoints"
            " WHERE thread_id = 'finished' AND substr(checkpoint_id, 20, 4) = '8003'"
        )
    rows = zoo.json("history", "finished")
    assert [row["is_race"] for row in rows[:2]] == [True, True]
    assert zoo("history", "finished")[1].count("race: two runs of one step") == 2


def test_the_tree_of_a_branched_thread_is_drawn(zoo: Shell) -> None:
    _, text = zoo("history", "branched")
    rails = [line[:6].rstrip() for line in text.splitlines()]
    assert rails == ["◉", "│ ●", "│ ◇", "│ │ ●", "│ │ ●", "├─┴─╯", "●", "●", "○"]
    assert "← head" in text
    assert text.count("branch of 1") == 2


def test_two_branches_are_compared_by_what_differs_and_what_led_there(zoo: Shell) -> None:
    rows = zoo.json("history", "branched")
    ends = [row["checkpoint_id"] for row in rows if row["step"] == 3]
    found = zoo.json("diff", "branched", *ends)
    assert found == [
        {"path": "answer", "before": "no", "after": "yes", "kind": "changed"},
        {"path": "done", "before": False, "after": True, "kind": "changed"},
    ]
    _, text = zoo("diff", "branched", *ends)
    assert text.count("on the way from step 1") == 2
    assert 'ask was answered "yes"' in text
    assert 'ask was answered "no"' in text


def test_a_checkpoint_is_compared_with_its_parent_by_default(zoo: Shell) -> None:
    assert zoo.json("diff", "delta-channel", "3") == [
        {"path": "n", "before": 2, "after": 3, "kind": "changed"},
        {"path": "log[2]", "before": None, "after": "line 2", "kind": "added"},
    ]
    assert zoo("diff", "delta-channel", "-1")[0] != 0


def test_a_word_that_names_no_checkpoint_ends_with_what_to_type(zoo: Shell) -> None:
    assert zoo("diff", "branched", "99")[0] == 3
    assert "name an id, a step, head or question" in zoo.error


@pytest.mark.parametrize(
    "words",
    [
        ("diff", "branched", "{}"),
        ("show", "branched", "--checkpoint", "{}"),
        ("replay", "branched", "{}"),
        ("fork", "branched", "{}"),
        ("history", "branched", "--before", "{}"),
    ],
)
def test_a_word_that_fits_several_checkpoints_is_refused_with_a_list(
    branched: Shell, words: tuple[str, ...]
) -> None:
    rows = branched.json("history", "branched")
    step = next(row["step"] for row in rows if [one["step"] for one in rows].count(row["step"]) > 1)
    fitting = [row["checkpoint_id"] for row in rows if row["step"] == step]
    for word in (str(step), fitting[0][:4]):
        assert branched(*(one.format(word) for one in words))[0] == 2
        assert "name one by its id" in branched.error
        assert all(own in branched.error for own in fitting)
    assert branched("show", "branched", "--checkpoint", fitting[0])[0] == 0


def test_the_history_is_paged_and_searched(zoo: Shell) -> None:
    first = zoo.json("history", "deep-history", "--limit", "3")
    after = zoo.json("history", "deep-history", "--limit", "3", "--before", first[-1]["checkpoint_id"])
    assert [row["step"] for row in first + after] == [300, 299, 298, 297, 296, 295]
    assert [row["step"] for row in zoo.json("history", "branched", "--key", "ans")] == [3, 2]


def test_the_history_of_a_subgraph_is_shown(zoo: Shell) -> None:
    rows = zoo.json("history", "nested-subgraph", "--inside", "release")
    assert [row["ran"] for row in rows] == [["build"], ["__start__"], []]
    for name in ("sign", "release > sign"):
        assert zoo.json("history", "nested-subgraph", "--inside", name)[0]["questions"]
    assert zoo("history", "nested-subgraph", "--inside", "nobody")[0] == 3
    assert "release > sign" in zoo.error


def test_a_partly_answered_step_says_which_answers_are_dropped(
    zoo_db: Path, shared: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sends = Shell(zoo_db, f"{shared}/zoo/parallel_send.py:make_graph", capsys)
    edit = ("--append", '{"verdicts": []}', "--as-node", "plan")
    told = sends.json("fork", "parallel-send-2of5", "head", *edit, "--preview")
    assert told["asked_again"] == ["review", "review"]


# Long threads


@pytest.fixture
def long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    """A thread with 1,202 checkpoints that asks at its end."""
    (tmp_path / "agent.py").write_text(LONG, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    scope: dict[str, Any] = {}
    exec(LONG, scope)
    with closing(sqlite3.connect(tmp_path / "agent.db", check_same_thread=False)) as connection:
        connection.execute("PRAGMA synchronous=OFF")
        graph = scope["builder"].compile(checkpointer=SqliteSaver(connection))
        graph.invoke({"n": 0}, {"configurable": {"thread_id": "long"}, "recursion_limit": 2000})
    sys.modules.pop("agent", None)
    return Shell(tmp_path / "agent.db", f"{tmp_path}/agent.py:builder", capsys)


LONG = """
from typing import TypedDict
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt


class State(TypedDict, total=False):
    n: int
    said: str


def tick(state: State):
    return {"n": state["n"] + 1}


def ask(state: State):
    return {"said": interrupt({"n": state["n"]})}


builder = StateGraph(State)
builder.add_node("tick", tick)
builder.add_node("ask", ask)
builder.add_edge(START, "tick")
builder.add_conditional_edges("tick", lambda s: "ask" if s["n"] >= 1200 else "tick", ["ask", "tick"])
"""


@pytest.mark.slow
def test_a_thread_of_1200_checkpoints_is_paged_compared_forked_and_replayed(long: Shell) -> None:
    rows = long.json("history", "long")
    assert len(rows) == 50
    assert rows[0]["questions"][0]["value"] == {"n": 1200}
    assert len(long.json("history", "long", "--limit", "2000")) == 1202
    assert long.json("diff", "long", "600", "601") == [
        {"path": "n", "before": 600, "after": 601, "kind": "changed"}
    ]
    told = long.json("replay", "long", "0", "--preview")
    assert told["reruns"] == ["tick", "ask"]
    told = long.json("fork", "long", "600", "--set", '{"n": 1199}', "--into", "short", "--run")
    assert told["questions"][0]["value"] == {"n": 1200}
    assert len(long.json("history", "short", "--limit", "2000")) == 604
    told = long.json("fork", "long", "600", "--set", '{"n": 1199}', "--run")
    assert (told["situation"], told["next"]) == ("waiting", ["ask"])
