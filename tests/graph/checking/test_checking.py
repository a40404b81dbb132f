"""What `check` finds in settings and graphs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agent_lab_tui.graph.checking.findings import Finding, check, load_facts
from agent_lab_tui.graph.checking.source_check import asking
from agent_lab_tui.graph.hosting.facts import AskingNode, GraphFacts
from agent_lab_tui.graph.settings.file import Rule, RunSettings, Settings, load
from agent_lab_tui.graph.settings.specs import read_specs

ASKING = AskingNode("review", "review", "/work/agent.py:12", "plain")
GRAPH = GraphFacts(
    "agent",
    nodes=("review", "send"),
    edges=(("__start__", "review", False), ("review", "send", True), ("review", "__end__", True)),
    asks=(ASKING,),
)


def found(settings: Settings | None = None, *graphs: GraphFacts) -> list[Finding]:
    return list(check(settings or Settings(), graphs))


def texts(findings: list[Finding], weight: str) -> list[str]:
    return [f"{one.place}: {one.finding}" for one in findings if one.weight == weight]


def answers(key: str, **kinds: Any) -> Settings:
    return Settings(answers={key: kinds})


def test_a_plain_question_without_a_known_answer_names_the_lines_to_add() -> None:
    (note,) = found(None, GRAPH)
    assert note.weight == "note"
    assert note.finding == (
        "review in /work/agent.py:12 asks (plain); for an answer it runs again from its top,"
        " then send or end. What it expects for a yes or a no is not known."
    )
    assert '[answers."agent:review"]' in note.remedy


def test_with_an_answer_only_what_it_asks_is_told() -> None:
    (note,) = found(answers("agent:review", approve=True), GRAPH)
    assert note.finding.endswith("then send or end.")
    assert note.remedy == ""


@pytest.mark.parametrize(
    ("key", "finding"),
    [
        ("agent:revew", "There is no node 'revew'; there is: review, send."),
        ("other:review", "There is no graph 'other'; there is: agent."),
        ("*:revew", "There is no node 'revew'; there is: review, send."),
    ],
)
def test_answers_for_what_is_not_there_are_found(key: str, finding: str) -> None:
    assert texts(found(answers(key, approve=True), GRAPH), "warning") == [f'answers."{key}": {finding}']


@pytest.mark.parametrize("key", ["agent:review", "*:review", "agent:*", "*:*"])
def test_answers_for_what_is_there_are_fine(key: str) -> None:
    assert texts(found(answers(key, approve=True), GRAPH), "warning") == []


def test_nodes_of_subgraphs_are_known_by_their_own_names() -> None:
    graph = GraphFacts("g", nodes=("sub",), edges=(("sub:ask", "sub:do", False),))
    assert texts(found(answers("g:ask", approve=True), graph), "warning") == []


@pytest.mark.parametrize(
    ("kinds", "finding"),
    [
        ({"reject": {"why": "{resaon}"}}, "{resaon} is sent as it stands"),
        ({"edit": {"approved": True}}, "It is never offered: it has no place for the edited arguments"),
        ({"respond": "noted"}, "It is never offered: it has no place for the operator's words"),
        ({"approve": "{reason}"}, "It is never offered: an approval has no words"),
    ],
)
def test_templates_that_cannot_work_are_found(kinds: dict[str, Any], finding: str) -> None:
    (warning,) = texts(found(answers("agent:review", **kinds), GRAPH), "warning")
    assert finding in warning


def test_a_rule_that_another_one_hides_is_found() -> None:
    settings = Settings(rules=(Rule("*"), Rule("send_*"), Rule("pay")))
    assert len(texts(found(settings), "warning")) == 2
    assert texts(found(Settings(rules=(Rule("send_*"), Rule("pay"), Rule("*")))), "warning") == []


def test_unknown_keys_and_a_missing_database_are_told() -> None:
    settings = Settings(
        unknown=("agent-lab.toml, line 3: notfy is not a key of agent-lab.toml.",), db="/none.db"
    )
    assert texts(found(settings), "warning") == [
        "agent-lab.toml: agent-lab.toml, line 3: notfy is not a key of agent-lab.toml."
    ]
    assert texts(found(settings), "note") == ["db: /none.db is not there yet."]


def test_what_a_graph_lacks_comes_first() -> None:
    broken = GraphFacts("broken", error="it needs the module 'x', which cannot be found")
    needy = GraphFacts("needy", needs_store=True, needs_context=True)
    findings = found(None, GRAPH, needy, broken)
    assert [(one.weight, one.place) for one in findings[:3]] == [
        ("error", "needy"),
        ("error", "broken"),
        ("warning", "needy"),
    ]
    given = Settings(run=RunSettings(context={"model": "small"}))
    assert not texts(found(given, GraphFacts("needy", needs_context=True)), "warning")


def test_a_cache_on_an_asking_node_is_warned_of_and_one_elsewhere_is_not() -> None:
    cached = GraphFacts("agent", asks=(ASKING,), asks_cached=("review",))
    assert "It asks and has a cache" in texts(found(None, cached), "warning")[0]
    elsewhere = GraphFacts("agent", asks=(ASKING,), asks_cached=("send",))
    assert texts(found(None, elsewhere), "warning") == []


def test_complaints_about_the_source_are_passed_on_with_their_place() -> None:
    asking = AskingNode(
        "review", "review", "/work/agent.py:12", "plain", ("Line 13: `send(…)` stands before.",)
    )
    (warning,) = texts(found(None, GraphFacts("agent", asks=(asking,))), "warning")
    assert warning == "agent:review: /work/agent.py, line 13: `send(…)` stands before."


@pytest.mark.parametrize(
    ("line", "remedy"),
    [
        ("uuid4()", "keep it in the state"),
        ("send_mail(state)", "in a node of its own behind the question"),
    ],
)
def test_what_stands_before_a_question_is_mended_by_what_it_is(line: str, remedy: str) -> None:
    source = f"from langgraph.types import interrupt\ndef review(s):\n    {line}\n    interrupt('go?')\n"
    (asked,) = asking(source)
    node = AskingNode("review", "review", "/work/agent.py:2", "plain", asked.complaints)
    (warning,) = [one for one in found(None, GraphFacts("agent", asks=(node,))) if one.weight == "warning"]
    assert remedy in warning.remedy
    assert "let the question through" not in warning.remedy


def test_a_key_that_two_graphs_share_is_told_once() -> None:
    said = "/work/agent.py, line 9: the key of `once(…)` is the same in every run: a second run does nothing."
    graphs = [GraphFacts(name, fixed_keys=(said,)) for name in ("one", "two")]
    (warning,) = found(None, *graphs)
    assert (warning.weight, warning.place, warning.finding) == ("warning", "one, two", said)
    assert "from the run" in warning.remedy


def test_breakpoints_async_nodes_and_loops_are_noted() -> None:
    graph = GraphFacts(
        "g",
        interrupt_before=("danger",),
        interrupt_after=("*",),
        async_only=("fetch",),
        edges=(("a", "b", False), ("b", "a", True), ("b", "__end__", True)),
    )
    assert texts(found(None, graph), "note") == [
        "g: It stops before danger and asks nothing: the desk offers go on, skip and abandon there.",
        "g: It stops after every node and asks nothing: the desk offers go on, skip and abandon there.",
        "g: Plain invoke cannot run fetch; the desk runs it as async.",
        "g: It can go round in a loop, and LangGraph stops it only after 10,007 steps.",
    ]
    limited = Settings(run=RunSettings(recursion_limit=50))
    assert not any("loop" in text for text in texts(found(limited, graph), "note"))


UNSAFE = """
from typing import TypedDict
from langgraph.graph import END, START, StateGraph
from langgraph.types import CachePolicy, interrupt
from langgraph.cache.memory import InMemoryCache

class State(TypedDict, total=False):
    ok: bool

def send_mail():
    open("mails.txt", "a").write("x")

def ask(state: State) -> State:
    send_mail()
    return {"ok": interrupt({"question": "go?"})}

async def act(state: State) -> State:
    try:
        interrupt("sure?")
    except Exception:
        pass
    return {}

builder = StateGraph(State)
builder.add_node("ask", ask, cache_policy=CachePolicy())
builder.add_node("act", act)
builder.add_edge(START, "ask")
builder.add_edge("ask", "act")
builder.add_edge("act", END)
graph = builder.compile(cache=InMemoryCache(), interrupt_before=["act"])
"""


def test_a_real_graph_is_looked_at_and_nothing_of_it_runs(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(UNSAFE)
    (facts,) = load_facts(read_specs(["agent.py:graph"], tmp_path), Settings())
    assert [(one.node, one.form) for one in facts.asks] == [("ask", "plain"), ("act", "plain")]
    assert facts.async_only == ("act",)
    warnings = texts(found(None, facts), "warning")
    assert [text.partition(" ")[0] for text in warnings] == ["agent:ask:", "agent:ask:", "agent:act:"]
    assert "has a cache" in warnings[0]
    assert "line 14: `send_mail(…)` stands before a question" in warnings[1]
    assert "`except` around a question swallows it" in warnings[2]
    assert not (tmp_path / "mails.txt").exists()


def test_a_project_that_ends_its_process_is_told_as_a_finding(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text("import os\nos._exit(3)\n")
    (facts,) = load_facts(read_specs(["agent.py:graph"], tmp_path), Settings())
    (error,) = texts(found(None, facts), "error")
    assert error.startswith("agent: It cannot be loaded: ")


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "agent_lab_tui.tui", "check", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_the_command_needs_no_database_and_prints_findings(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(UNSAFE)
    (tmp_path / "agent-lab.toml").write_text('graphs = ["agent.py:graph"]\nnotfy = "x"\n')
    ran = run(tmp_path, "--json")
    findings = json.loads(ran.stdout)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert {"weight", "place", "finding", "remedy"} == set(findings[0])
    assert any("notfy is not a key" in one["finding"] for one in findings)
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix not in ("", ".pyc")) == [
        "agent-lab.toml",
        "agent.py",
    ]


def test_the_command_ends_with_one_when_a_graph_cannot_be_loaded(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text("import nowhere_to_be_found\n")
    ran = run(tmp_path, "--graph", "agent.py:graph")
    assert ran.returncode == 1
    assert ran.stdout.startswith("✖ agent: It cannot be loaded: it needs the module 'nowhere_to_be_found'")
    assert ran.stdout.endswith("1 graph looked at, 1 finding.\n")


def test_wrong_settings_end_with_two_and_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "agent-lab.toml").write_text("[run]\nhosts = 0\n")
    ran = run(tmp_path)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.strip().endswith("run.hosts must be a whole number of at least 1, not 0.")


def test_what_is_in_order_is_a_note_and_no_finding(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(UNSAFE)
    (tmp_path / "agent-lab.toml").write_text('db = "agent.db"\n')
    ran = run(tmp_path)
    assert ran.stdout.endswith("0 graphs looked at, no findings, 1 note.\n")


def test_a_graph_that_needs_a_variable_of_the_settings_is_looked_at_with_it(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text("import os\nos.environ['NEEDED_HERE']\n" + UNSAFE, "utf-8")
    (tmp_path / "agent-lab.toml").write_text(
        'graphs = ["agent.py:graph"]\n[run.env]\nNEEDED_HERE = "yes"\n', "utf-8"
    )
    settings = load(tmp_path / "agent-lab.toml")
    (facts,) = load_facts(read_specs(settings.graphs, tmp_path), settings)
    assert facts.error is None
