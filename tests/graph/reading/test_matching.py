"""Which loaded graph a thread belongs to: said by its metadata, or the only one that fits."""

from __future__ import annotations

import importlib
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent_lab_tui.graph.hosting.facts import GraphFacts
from agent_lab_tui.graph.reading.matching import Match, Shape, match, unknown_nodes
from agent_lab_tui.graph.reading.owners import Owners
from agent_lab_tui.graph.reading.reader import Reader
from agent_lab_tui.graph.reading.situation import Situation
from agent_lab_tui.graph.run.inspecting import facts_of
from agent_lab_tui.graph.settings.file import Settings
from agent_lab_tui.graph.settings.specs import GraphSpec
from agent_lab_tui.store.files import open_database
from agent_lab_tui.store.journal.book import Journal, Order

MAIL = GraphFacts("mail", nodes=("draft", "send"), channels=("text", "to"))
BUILD = GraphFacts("build", nodes=("draft", "test"), channels=("text", "log"))
BROKEN = GraphFacts("broken", error="it could not be loaded")
SHAPE = Shape(frozenset({"text", "to"}), frozenset({"draft"}))


def test_the_only_graph_that_fits_is_the_one() -> None:
    assert match({}, SHAPE, ["send"], [MAIL, BUILD, BROKEN]) == Match("mail")


def test_metadata_says_it_where_it_does() -> None:
    assert match({"graph_id": "build"}, SHAPE, ["send"], [MAIL, BUILD]) == Match("build")
    assert match({"graph_id": "far"}, SHAPE, ["send"], []) == Match("far")


def test_metadata_of_a_graph_loaded_under_another_name_gives_way_to_the_shape() -> None:
    assert match({"graph_id": "agent"}, SHAPE, ["send"], [MAIL, BUILD]) == Match("mail")


def test_none_or_several_that_fit_are_named() -> None:
    none = match({}, Shape(frozenset({"other"})), [], [MAIL, BUILD])
    assert none.graph is None
    assert none.is_foreign
    assert none.warning is not None
    assert "mail, build" in none.warning
    several = match({}, Shape(frozenset({"text"}), frozenset({"draft"})), ["draft"], [MAIL, BUILD])
    assert several.graph is None
    assert not several.is_foreign
    assert several.warning is not None
    assert "Several graphs fit this thread (mail, build)" in several.warning
    named = match({"graph_id": "far"}, Shape(frozenset({"other"})), [], [MAIL])
    assert (named.graph, named.is_foreign) == ("far", True)


def test_nodes_that_have_run_decide_between_graphs_that_know_the_next_one() -> None:
    shape = Shape(frozenset({"text"}), frozenset({"draft", "test"}))
    assert match({}, shape, ["draft"], [MAIL, BUILD]) == Match("build")


def test_without_loaded_graphs_nothing_is_said() -> None:
    assert match({}, SHAPE, ["send"], []) == Match()
    assert match({}, SHAPE, ["send"], [BROKEN]) == Match()


def test_next_nodes_that_the_own_graph_lost_are_listed() -> None:
    assert unknown_nodes(Match("mail"), ["__start__", "send", "gone"], [MAIL]) == ("gone",)
    assert unknown_nodes(Match(None), ["gone"], [MAIL]) == ()


@pytest.fixture
def zoo_facts(shared: Path, zoo_expected: dict[str, Any]) -> Iterator[dict[str, GraphFacts]]:
    """What the zoo's graphs say of themselves, by module and factory."""
    sys.path.insert(0, str(shared / "zoo"))
    facts: dict[str, GraphFacts] = {}
    for thread in zoo_expected.values():
        name = f"{thread['module']}.{thread['factory']}"
        graph = getattr(importlib.import_module(thread["module"]), thread["factory"])()
        facts[name] = facts_of(GraphSpec(name, f"{thread['module']}:{thread['factory']}", Path()), graph)
    yield facts
    sys.path.remove(str(shared / "zoo"))


def test_zoo_threads_are_given_to_their_own_graph_or_to_none(
    zoo_db: Path, zoo_expected: dict[str, Any], zoo_facts: dict[str, GraphFacts]
) -> None:
    """With all graphs loaded at once none is given to a wrong one; alone, each is given to its own."""
    db = open_database(str(zoo_db))
    found = {
        line.thread_id: line.graph for line in Reader(db, Settings(), None, tuple(zoo_facts.values())).lines()
    }
    right = 0
    for thread_id, thread in zoo_expected.items():
        name = f"{thread['module']}.{thread['factory']}"
        assert found[thread_id] in (name, None), thread_id
        right += found[thread_id] == name
        alone = Reader(db, Settings(), None, (zoo_facts[name],)).thread(thread_id)
        assert alone.graph == name
        assert alone.situation is not Situation.FOREIGN
    assert right >= 25


def test_a_thread_of_no_loaded_graph_is_foreign_and_says_so(
    zoo_db: Path, zoo_facts: dict[str, GraphFacts]
) -> None:
    reader = Reader(open_database(str(zoo_db)), Settings(), None, (zoo_facts["hitl_agent.make_graph"],))
    thread = reader.thread("linear-approval")
    assert thread.situation is Situation.FOREIGN
    assert thread.graph is None
    assert any("No loaded graph fits" in warning for warning in thread.warnings)
    assert len(thread.questions) == 1


def test_an_entrypoint_without_a_path_gets_its_name_from_the_loaded_graph(tmp_path: Path) -> None:
    """In files of before langgraph-checkpoint-sqlite 3.1 its trigger is all that the rows name."""
    path = tmp_path / "old.db"
    with closing(sqlite3.connect(path)) as conn:
        sql = Path(__file__).parents[2] / "store" / "checkpoints" / "old" / "langgraph-1.2.17.sql"
        conn.executescript(sql.read_text("utf-8"))
    essay = GraphFacts("essay", nodes=("essay",))
    thread = Reader(open_database(str(path)), Settings(), None, (essay,)).thread("essay")
    assert (thread.graph, thread.next) == ("essay", ("essay",))
    assert [question.path for question in thread.questions] == [("essay",)]


TWINS = (MAIL, replace(MAIL, name="mail-v2"), BUILD)


def carried_out(db: Path, thread_id: str, graph: str) -> Journal:
    """Write down that a graph carried a decision about a thread out."""
    journal = Journal(db)
    made = journal.record(Order("go-on", thread_id, "c", "d", graph=graph))
    token = journal.leases.take(thread_id)
    assert token is not None
    journal.start([made.decision_id], token)
    journal.end([made.decision_id], "applied", token)
    journal.leases.release(thread_id, token)
    return journal


def test_several_that_fit_are_told_with_what_to_type() -> None:
    several = match({}, SHAPE, ["send"], TWINS)
    assert several.graph is None
    assert "(mail, mail-v2)" in str(several.warning)
    assert "--graph langgraph.json --graph NAME" in str(several.warning)


def test_of_several_that_fit_the_one_that_carried_out_the_last_decision_is_the_one(tmp_path: Path) -> None:
    (tmp_path / "agent.db").touch()
    carried_out(tmp_path / "agent.db", "t", "mail")
    owners = Owners(carried_out(tmp_path / "agent.db", "t", "mail-v2"))
    assert match({}, SHAPE, ["send"], TWINS, thread_id="t", owners=owners) == Match("mail-v2")
    assert match({}, SHAPE, ["send"], TWINS, thread_id="other", owners=owners).graph is None
    assert match({}, SHAPE, ["send"], [MAIL, BUILD], thread_id="t", owners=owners) == Match("mail")


def test_the_operators_choice_wins_over_what_fits() -> None:
    owners = Owners(chosen={"t": "build"})
    assert match({}, SHAPE, ["send"], TWINS, thread_id="t", owners=owners) == Match("build")
    assert match({}, SHAPE, ["send"], [MAIL], thread_id="t", owners=owners) == Match("mail")


def test_a_thread_of_twin_agents_is_given_to_the_one_chosen_or_used_last(
    zoo_db: Path, zoo_facts: dict[str, GraphFacts]
) -> None:
    batched = zoo_facts["hitl_agent.make_graph"]
    twins = (batched, replace(batched, name="hitl_agent_per_call"))
    database = open_database(str(zoo_db))
    open_ = Reader(database, Settings(), None, twins).thread("hitl-batched")
    assert open_.graph is None
    assert any("(hitl_agent.make_graph, hitl_agent_per_call)" in warning for warning in open_.warnings)
    chosen = {"hitl-batched": "hitl_agent_per_call"}
    assert Reader(database, Settings(), None, twins, Owners(chosen=chosen)).thread("hitl-batched").graph == (
        "hitl_agent_per_call"
    )
    reader = Reader(database, Settings(), carried_out(zoo_db, "hitl-batched", "hitl_agent.make_graph"), twins)
    for one in (reader, reader.unmarked()):
        assert one.thread("hitl-batched").graph == "hitl_agent.make_graph"
        assert {line.graph for line in one.lines_of(["hitl-batched"])} == {"hitl_agent.make_graph"}
