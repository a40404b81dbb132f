"""What a yes sets going, rules applied, and what confirms it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agent_lab_tui.graph.deciding.confirming import confirmation
from agent_lab_tui.graph.hosting.facts import GraphFacts
from agent_lab_tui.graph.questions import Choice, Operation, Question, Risk
from agent_lab_tui.graph.reading.impact import NextNode, as_edited, computed, finish, runs_next
from agent_lab_tui.graph.settings.file import Rule, Settings
from agent_lab_tui.store.values import Ext

FACTS = GraphFacts(
    "release",
    edges=(
        ("__start__", "bump", False),
        ("bump", "release:build", False),
        ("release:build", "release:sign:ask_key", False),
        ("release:sign:ask_key", "release:finish", False),
        ("release:finish", "announce", True),
        ("release:finish", "__end__", True),
        ("announce", "__end__", False),
    ),
)


def question(
    id: str, *path: str, operations: tuple[Operation, ...] = (), plain_only: bool = False
) -> Question:
    return Question(
        id=id,
        node=path[-1],
        path=path,
        value={},
        schema=None,
        convention="plain",
        why="",
        operations=operations,
        digest="",
        plain_only=plain_only,
    )


def mail(**fields: Any) -> Operation:
    return replace(
        Operation("send_mail", {"to": "ann@example.com", "body": "x" * 100}, reason="asked for"), **fields
    )


# The computed part


def test_what_runs_next_is_read_from_the_drawing() -> None:
    assert runs_next([("bump",)], FACTS) == (NextNode("release:build", True),)
    assert runs_next([("release", "sign", "ask_key")], FACTS) == (NextNode("release:finish", True),)
    assert runs_next([("release", "finish")], FACTS) == (NextNode("announce", False), NextNode("end", False))
    assert runs_next([("unknown",)], FACTS) == ()
    assert runs_next([("bump",)], None) == ()


def test_the_lines_say_what_follows_and_what_is_sure() -> None:
    assert computed([question("1", "bump")], facts=FACTS).lines == (
        "Then: release:build.",
        "Runs again from its top: bump.",
    )
    assert computed([question("1", "release", "finish")], facts=FACTS).lines[0] == "Then: announce or end."
    assert computed([question("1", "release", "sign", "ask_key")], facts=FACTS).lines[1] == (
        "Runs again from its top: release > sign > ask_key."
    )


def test_a_sure_and_a_possible_node_are_told_apart() -> None:
    facts = GraphFacts("g", edges=(("a", "b", False), ("a", "c", True)))
    assert computed([question("1", "a")], facts=facts).lines[0] == "Then: b, maybe c."


def test_a_subgraph_that_keeps_nothing_or_is_not_drawn_runs_again_whole() -> None:
    inside = question("1", "release", "sign", "ask_key", plain_only=True)
    assert computed([inside], facts=FACTS).from_top == ("release with all in it",)
    assert computed([question("1", "bump", "hidden")], facts=FACTS).from_top == ("bump with all in it",)


def test_a_function_that_calls_a_subgraph_runs_again_around_it() -> None:
    calling = replace(FACTS, calling=("release", "release:sign"))
    assert computed([question("1", "release", "sign", "ask_key")], facts=calling).from_top == (
        "release",
        "release > sign",
        "release > sign > ask_key",
    )
    assert computed([question("1", "bump")], facts=calling).from_top == ("bump",)


def test_questions_that_are_not_answered_run_again_up_to_their_own() -> None:
    waiting = [question("1", "legal"), question("2", "security"), question("3", "finance")]
    impact = computed(
        [waiting[1]], waiting=waiting, facts=GraphFacts("g", edges=(("security", "__end__", False),))
    )
    assert impact.lines == (
        "Then: end.",
        "Runs again from its top: security.",
        "Also runs again, up to its own question: legal, finance.",
    )


def test_going_on_runs_the_nodes_the_thread_stands_before() -> None:
    impact = computed([], standing=("danger",), facts=FACTS)
    assert impact.lines == ("Then: danger.",)


def test_without_a_graph_that_is_said() -> None:
    assert computed([question("1", "a")]).lines == (
        "What runs next is not known: no graph is loaded for this thread.",
        "Runs again from its top: a.",
    )
    assert not computed([question("1", "a")], facts=GraphFacts("g", error="no module x")).is_graph_known


def test_open_tool_calls_that_nobody_is_asked_about_are_named() -> None:
    calls = [{"name": "mail", "args": {}, "id": "1"}, {"name": "search", "args": {}, "id": "2"}]
    said = Ext(5, ["m", "AIMessage", {"type": "ai", "content": "", "tool_calls": calls}])
    asked = question("q", "after_model", operations=(mail(tool_call_id="1"),))
    impact = computed([asked], facts=FACTS, messages=[said])
    assert [call.name for call in impact.open_calls] == ["mail", "search"]
    assert impact.lines[-1] == "Open tool calls that nobody is asked about: search."
    done = Ext(5, ["m", "ToolMessage", {"type": "tool", "tool_call_id": "2", "content": "x"}])
    assert computed([asked], facts=FACTS, messages=[said, done]).unasked_calls == ()


def test_the_ledgers_sentences_come_last() -> None:
    ledger = ["Ledger: task-001:step:3 not done yet."]
    assert computed([question("1", "bump")], facts=FACTS, ledger=ledger).lines[-1] == ledger[0]


# Rules


def settled(operation: Operation, *rules: Rule) -> Operation:
    (finished,) = finish([operation], Settings(rules=rules))
    return finished


def test_no_reason_raises_the_risk_one_step() -> None:
    assert settled(mail()).risk is Risk.MEDIUM
    assert settled(mail(reason=None)).risk is Risk.HIGH
    assert settled(mail(reason=None, risk=Risk.CRITICAL)).risk is Risk.CRITICAL
    assert settled(mail(reason=None), Rule("send_*", risk=Risk.LOW)).risk is Risk.MEDIUM


def test_a_rules_risk_wins_over_the_requests_own() -> None:
    assert settled(mail(risk=Risk.LOW)).risk is Risk.LOW
    assert settled(mail(risk=Risk.LOW), Rule("send_*", risk=Risk.HIGH)).risk is Risk.HIGH
    assert settled(mail(risk=Risk.LOW), Rule("read_*", risk=Risk.HIGH)).risk is Risk.LOW


def test_a_rules_impact_is_filled_from_the_arguments_where_the_request_has_none() -> None:
    rule = Rule("send_*", impact="Sends mail to {to} via {server}; cannot be recalled.")
    operation = settled(mail(), rule)
    assert operation.impact == "Sends mail to ann@example.com via {server}; cannot be recalled."
    assert operation.impact_source == "rule"
    own = settled(mail(impact="One mail.", impact_source="request"), rule)
    assert (own.impact, own.impact_source) == ("One mail.", "request")


def test_an_impact_with_format_tricks_stays_text() -> None:
    operation = settled(mail(), Rule("*", impact="{to.__class__} {0} {to!r} {to}"))
    assert operation.impact == "{to.__class__} {0} {to!r} ann@example.com"


def test_confirm_and_locks_come_from_the_rule() -> None:
    operation = settled(mail(), Rule("send_*", confirm="type:to", locked=("to",)))
    assert (operation.confirm, operation.locked) == ("type:to", ("to",))


# Confirming

APPROVE = Choice("approve")


@pytest.mark.parametrize(
    ("operation", "kind"),
    [
        (mail(risk=Risk.LOW), "key"),
        (mail(risk=Risk.MEDIUM), "key"),
        (mail(risk=Risk.HIGH), "twice"),
        (mail(risk=Risk.CRITICAL), "type"),
        (mail(risk=Risk.CRITICAL, confirm="key"), "key"),
        (mail(risk=Risk.LOW, confirm="twice"), "twice"),
        (mail(risk=Risk.LOW, confirm="type:to"), "type"),
    ],
)
def test_confirmation_grows_with_risk_unless_a_rule_says_otherwise(operation: Operation, kind: str) -> None:
    assert confirmation(operation, APPROVE).kind == kind


@pytest.mark.parametrize(
    "choice", [Choice("reject", text="no"), Choice("respond", text="x"), Choice("explain", text="?")]
)
def test_what_lets_nothing_run_takes_a_key(choice: Choice) -> None:
    assert confirmation(mail(risk=Risk.CRITICAL, confirm="type:to"), choice).kind == "key"


def test_a_typed_confirmation_asks_for_the_argument_as_it_will_be_sent() -> None:
    operation = mail(confirm="type:to")
    wanted = confirmation(operation, APPROVE)
    assert (wanted.argument, wanted.expected) == ("to", "ann@example.com")
    assert wanted.is_met_by(" ann@example.com ")
    assert not wanted.is_met_by("bob@example.com")
    edit = Choice("edit", arguments={"to": "bob@example.com"})
    assert confirmation(as_edited(operation, edit, Settings()), edit).expected == "bob@example.com"


def test_a_critical_operation_without_anything_short_asks_for_its_name() -> None:
    operation = Operation("wipe", {"script": "rm " * 100, "hidden": "a\x1bb"}, reason="r", risk=Risk.CRITICAL)
    assert confirmation(operation, APPROVE).expected == "wipe"
    unnamed = replace(operation, name="\x1b[2J")
    assert confirmation(unnamed, APPROVE).expected == "yes"


def test_an_edit_to_another_operation_comes_under_that_ones_rule() -> None:
    settings = Settings(
        rules=(Rule("delete_*", risk=Risk.CRITICAL, impact="Deletes {path}.", confirm="type:path"),)
    )
    (operation,) = finish([mail()], settings)
    edit = Choice("edit", arguments={"path": "/srv"}, name="delete_all")
    edited = as_edited(operation, edit, settings)
    assert (edited.risk, edited.impact) == (Risk.CRITICAL, "Deletes /srv.")
    assert confirmation(edited, edit).expected == "/srv"


def test_an_edit_never_lowers_the_risk() -> None:
    settings = Settings(rules=(Rule("read_*", risk=Risk.LOW), Rule("send_*", risk=Risk.HIGH)))
    (operation,) = finish([mail()], settings)
    assert as_edited(operation, Choice("edit", arguments={}, name="read_all"), settings).risk is Risk.HIGH


def test_a_rules_impact_stands_beside_the_requests_own_where_they_differ() -> None:
    rule = Rule("send_*", impact="Cannot be recalled.")
    both = settled(mail(impact="Sends a mail.", impact_source="request"), rule)
    assert (both.impact, both.impact_source, both.rule_impact) == (
        "Sends a mail.",
        "request",
        "Cannot be recalled.",
    )
    assert settled(mail(impact="Cannot be recalled."), rule).rule_impact is None
    assert settled(mail(impact=None), rule).impact_source == "rule"
