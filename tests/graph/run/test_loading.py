"""Graphs in every form in which they are handed over, and what is said of those that are none."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from agent_lab_tui.graph.hosting.facts import GraphFacts
from agent_lab_tui.graph.run.projects import LoadedProject
from agent_lab_tui.graph.run.savers import Savers
from agent_lab_tui.graph.settings.file import RunSettings
from agent_lab_tui.graph.settings.specs import GraphSpec, read_specs
from agent_lab_tui.store.files import Database

pytestmark = pytest.mark.usefixtures("fresh_imports")

NO_DATABASE = Database(Path("/nowhere"), has_task_path=True, is_immutable=False)


async def facts_of(specs: list[str], base: Path, **settings: object) -> dict[str, GraphFacts]:
    (project,) = read_specs(specs, base)
    loaded = LoadedProject(project, Savers(NO_DATABASE), RunSettings(**settings))  # type: ignore[arg-type]
    loaded.import_all()
    return {facts.name: facts for facts in await loaded.facts()}


async def facts_of_text(tmp_path: Path, text: str, attr: str = "graph") -> GraphFacts:
    """The facts of the graph in a file of this text."""
    (tmp_path / "agent.py").write_text(PRELUDE + text, "utf-8")
    (facts,) = (await facts_of([f"agent.py:{attr}"], tmp_path)).values()
    return facts


PRELUDE = """
from typing import TypedDict
from langgraph.graph import START, StateGraph
class State(TypedDict, total=False):
    x: int
def build(node, **schemas):
    b = StateGraph(State, **schemas)
    b.add_node("node", node)
    b.add_edge(START, "node")
    return b
"""


async def test_every_graph_of_the_zoo_loads(shared: Path) -> None:
    found = await facts_of(["langgraph.json"], shared / "zoo")
    assert {name: facts.error for name, facts in found.items() if facts.error} == {}
    assert len(found) == 33
    assert all(facts.nodes for facts in found.values())


@pytest.mark.parametrize(
    "attr",
    ["builder", "compiled", "compiled_own_saver", "make", "make_with_config", "amake", "ctx", "actx"],
)
async def test_a_graph_is_taken_in_every_form(shared: Path, attr: str) -> None:
    (facts,) = (await facts_of([f"loader_forms.py:{attr}"], shared / "zoo")).values()
    assert (facts.error, facts.nodes, facts.channels) == (None, ("ask",), ("tag", "got"))
    assert facts.edges == (("__start__", "ask", False), ("ask", "__end__", False))


async def test_an_own_saver_is_said_to_be_replaced(shared: Path) -> None:
    (facts,) = (await facts_of(["loader_forms.py:compiled_own_saver"], shared / "zoo")).values()
    assert facts.note.startswith("It was compiled with its own InMemorySaver, which is replaced here")


async def test_breakpoints_and_inner_graphs_are_facts(shared: Path) -> None:
    found = await facts_of(["langgraph.json"], shared / "zoo")
    stops = found["static_breakpoint"]
    assert (stops.interrupt_before, stops.interrupt_after) == (("danger",), ("danger",))
    assert ("bump", "release:build", False) in found["nested_subgraph"].edges
    assert ("approve", "publish", True) in found["linear_approval"].edges
    assert "sign" in found["subgraph_unsaved"].note


@pytest.mark.parametrize(
    ("attr", "sentence"),
    [
        ("not_a_graph", "it is an int, not a graph"),
        ("broken", "RuntimeError while its factory ran: OPENAI_API_KEY is not set"),
        ("State", "it is the class State, not a graph"),
        ("missing", "has no 'missing'; graphs in it: build, builder, compiled"),
    ],
)
async def test_what_is_no_graph_is_told_in_one_sentence(shared: Path, attr: str, sentence: str) -> None:
    (facts,) = (await facts_of([f"loader_forms.py:{attr}"], shared / "zoo")).values()
    assert sentence in str(facts.error)
    assert facts.modified_at == pytest.approx((shared / "zoo" / "loader_forms.py").stat().st_mtime)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("import nothing_of_this_name", "it needs the module 'nothing_of_this_name'"),
        ("raise SystemExit(3)", "it ended itself with sys.exit(3) while it was imported"),
        ("raise EOFError('EOF when reading a line')", "it asks for input while it was imported"),
        ("import os; os.environ['NO_SUCH_KEY']", "KeyError while it was imported: 'NO_SUCH_KEY'"),
        ("def (", "is not Python"),
    ],
)
async def test_a_file_that_cannot_be_imported_says_why_with_its_own_traceback(
    tmp_path: Path, text: str, sentence: str
) -> None:
    facts = await facts_of_text(tmp_path, text)
    assert sentence in str(facts.error)
    assert "\n" not in str(facts.error)
    assert "agent.py" in str(facts.traceback)
    assert "importing.py" not in str(facts.traceback)


async def test_one_broken_graph_leaves_the_others_alone(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("1 / 0", "utf-8")
    (tmp_path / "good.py").write_text(PRELUDE + "graph = build(lambda state: {})", "utf-8")
    found = await facts_of(["bad.py:graph", "good.py:graph", "good.py:nothing"], tmp_path)
    assert found["bad"].error == "ZeroDivisionError while it was imported: division by zero"
    assert found["good.graph"].nodes == ("node",)
    assert "has no 'nothing'" in str(found["good.nothing"].error)


async def test_a_module_may_use_asyncio_run_while_it_is_imported(tmp_path: Path) -> None:
    """The modules are imported before a loop runs; this test is a coroutine, so it imports in a thread."""
    import asyncio

    text = (
        PRELUDE
        + "import asyncio\nasync def make(): return build(lambda state: {})\ngraph = asyncio.run(make())"
    )
    (tmp_path / "agent.py").write_text(text, "utf-8")
    (project,) = read_specs(["agent.py:graph"], tmp_path)
    loaded = LoadedProject(project, Savers(NO_DATABASE), RunSettings())
    await asyncio.to_thread(loaded.import_all)
    (facts,) = await loaded.facts()
    assert facts.error is None


async def test_a_factory_may_use_asyncio_run_itself(tmp_path: Path) -> None:
    text = (
        "import asyncio\nasync def tools(): pass\n"
        "def make():\n    asyncio.run(tools())\n    return build(lambda state: {})"
    )
    assert (await facts_of_text(tmp_path, text, "make")).error is None


async def test_a_factory_gets_the_configurable_of_the_settings(shared: Path, tmp_path: Path) -> None:
    text = (
        "def make(config):\n    assert config['configurable']['tenant'] == 'acme'\n"
        "    return build(lambda state: {})"
    )
    (tmp_path / "agent.py").write_text(PRELUDE + text, "utf-8")
    (facts,) = (await facts_of(["agent.py:make"], tmp_path, configurable={"tenant": "acme"})).values()
    assert facts.error is None


async def test_a_factory_that_wants_more_than_langgraph_gives_is_refused(tmp_path: Path) -> None:
    facts = await facts_of_text(tmp_path, "def make(a, b, c): pass", "make")
    assert (
        facts.error == "its factory needs a, b, c; a factory may take a config and a ServerRuntime, no more"
    )


async def test_a_server_runtime_is_given_by_annotation(tmp_path: Path) -> None:
    text = (
        "from langgraph_sdk.runtime import ServerRuntime\n"
        "def make(config, runtime: ServerRuntime):\n"
        "    assert runtime.execution_runtime is None\n"
        "    return build(lambda state: {})"
    )
    assert (await facts_of_text(tmp_path, text, "make")).error is None


@pytest.mark.parametrize(
    ("node", "needs"),
    [
        ("def node(state): return {}", False),
        ("def node(state, store: BaseStore): return store.get(('a',), 'b')", True),
        ("def node(state, *, store): return store.get(('a',), 'b')", True),
        ("def node(state, store: BaseStore = None): return {}", False),
        ("def node(state): return get_store().get(('a',), 'b')", True),
        ("def node(state, runtime: Runtime): return runtime.store.get(('a',), 'b')", True),
        ("def node(state, runtime: Runtime):\n    s = runtime.store\n    return s.get(('a',), 'b')", True),
        (
            "def node(state, runtime: Runtime):\n    s = runtime.store\n    return s.get(1, 2) if s else {}",
            False,
        ),
        (
            "def node(state, runtime: Runtime):\n    s = runtime.store\n    if s is not None: s.get(1, 2)",
            False,
        ),
        ("def node(state, runtime: Runtime): return {} if runtime.store is None else {'x': 1}", False),
        ("async def node(state, runtime: Runtime): await runtime.store.aget(('a',), 'b')", True),
    ],
)
async def test_a_node_that_cannot_do_without_the_store_is_found(
    tmp_path: Path, node: str, needs: bool
) -> None:
    text = (
        "from langgraph.config import get_store\nfrom langgraph.runtime import Runtime\n"
        f"from langgraph.store.base import BaseStore\n{node}\n"
        "from langgraph.store.memory import InMemoryStore\n"
        "graph = build(node)\nstored = build(node).compile(store=InMemoryStore())"
    )
    assert (await facts_of_text(tmp_path, text)).needs_store is needs
    assert (await facts_of(["agent.py:stored"], tmp_path))["agent"].needs_store is False


async def test_a_store_used_in_a_tool_or_an_inner_graph_is_found(tmp_path: Path) -> None:
    text = (
        "from typing import Annotated, Any\nfrom langchain_core.tools import tool\n"
        "from langgraph.prebuilt import InjectedStore, ToolNode\n"
        "@tool\ndef remember(what: str, store: Annotated[Any, InjectedStore()]) -> str:\n"
        "    '''Keep it.'''\n    return ''\n"
        "graph = build(ToolNode([remember]))\n"
        "outer = build(graph.compile())"
    )
    assert (await facts_of_text(tmp_path, text)).needs_store is True
    assert (await facts_of(["agent.py:outer"], tmp_path))["agent"].needs_store is True


@pytest.mark.parametrize(
    ("node", "schema", "needs"),
    [
        ("def node(state, runtime: Runtime): return {}", "context_schema=State", True),
        ("def node(state, runtime: Runtime): return {}", "", False),
        ("def node(state, config): return {}", "context_schema=State", False),
        ("def node(state): return get_runtime().context", "context_schema=State", True),
    ],
)
async def test_a_context_is_needed_where_nodes_can_look_at_it(
    tmp_path: Path, node: str, schema: str, needs: bool
) -> None:
    text = f"from langgraph.runtime import Runtime, get_runtime\n{node}\ngraph = build(node, {schema})"
    assert (await facts_of_text(tmp_path, text)).needs_context is needs


async def test_a_cached_node_is_a_fact_where_there_is_a_cache(tmp_path: Path) -> None:
    text = (
        "from langgraph.cache.memory import InMemoryCache\nfrom langgraph.types import CachePolicy\n"
        "b = build(lambda state: {})\nb.add_node('ask', lambda state: {}, cache_policy=CachePolicy())\n"
        "graph = b.compile(cache=InMemoryCache())\nwithout = b.compile()"
    )
    assert (await facts_of_text(tmp_path, text)).asks_cached == ("ask",)
    assert (await facts_of(["agent.py:without"], tmp_path))["agent"].asks_cached == ()


async def test_facts_cross_as_json(shared: Path) -> None:
    import json

    for facts in (await facts_of(["langgraph.json"], shared / "zoo")).values():
        assert GraphFacts.from_json(json.loads(json.dumps(facts.to_json()))) == facts


def test_a_file_is_imported_once_under_its_stem(shared: Path) -> None:
    from agent_lab_tui.graph.run.importing import import_target

    zoo = shared / "zoo"
    by_file = import_target(GraphSpec("a", f"{zoo}/loader_forms.py:builder", zoo, paths=(zoo,)))
    by_module = import_target(GraphSpec("b", "loader_forms:builder", zoo, paths=(zoo,)))
    assert by_file is by_module
    assert sys.modules["loader_forms"].builder is by_file


def test_a_file_in_a_package_has_its_dotted_name_too_and_may_import_relatively(tmp_path: Path) -> None:
    from agent_lab_tui.graph.run.importing import import_target

    package = tmp_path / "deskbot_pkg"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "parts.py").write_text("class Ticket: pass\n")
    (package / "desk_agent.py").write_text("from .parts import Ticket\ngraph = Ticket\n")
    found = import_target(GraphSpec("a", f"{package}/desk_agent.py:graph", tmp_path, paths=(package,)))
    assert found.__module__ == "deskbot_pkg.parts"
    assert sys.modules["desk_agent"] is sys.modules["deskbot_pkg.desk_agent"]


def test_a_file_named_like_a_module_in_use_replaces_nothing(tmp_path: Path) -> None:
    import json

    from agent_lab_tui.graph.run.importing import import_target

    (tmp_path / "json.py").write_text("graph = 'mine'\n")
    assert import_target(GraphSpec("a", f"{tmp_path}/json.py:graph", tmp_path, paths=())) == "mine"
    assert sys.modules["json"] is json


MANY = """
import re
from langgraph.graph import START, StateGraph


def plan(state):
    return state


async def review(state):
    return state


def tidy(text):
    return text.strip()


def make():
    return _made().compile()


def _made():
    graph = StateGraph(dict)
    return graph.add_node("plan", plan).add_edge(START, "plan")


def annotated(config) -> "StateGraph":
    return globals()["builder"]


def words() -> list:
    return builder.nodes


lazy = lambda: make()
builder = StateGraph(dict)
for n in (plan, review):
    builder.add_node(n.__name__, n)
builder.add_edge(START, "plan")
compiled = builder.compile()
"""


def test_only_what_could_be_a_graph_is_offered_for_a_wrong_name(tmp_path: Path) -> None:
    from agent_lab_tui.graph.run.importing import NoSuchAttribute, import_target

    (tmp_path / "many_agent.py").write_text(MANY, "utf-8")
    with pytest.raises(NoSuchAttribute, match=r"graphs in it: make, annotated, lazy, builder, compiled$"):
        import_target(GraphSpec("a", f"{tmp_path}/many_agent.py:nope", tmp_path, paths=()))
