"""Which nodes of real graphs ask, as their source shows."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from agent_lab_tui.graph.hosting.facts import GraphFacts
from agent_lab_tui.graph.run.asking_nodes import asking_nodes, async_only, keys_at_fault


@pytest.mark.parametrize(
    ("module", "factory", "asks"),
    [
        ("linear_approval", "make_graph", [("approve", "plain")]),
        ("string_resume", "make_graph", [("approve", "plain"), ("push", "plain")]),
        ("agent_inbox", "make_graph", [("review", "agent-inbox")]),
        ("typed_answer", "make_graph", [("ask", "response-schema")]),
        ("hitl_agent", "make_graph", [("HumanInTheLoopMiddleware.after_model", "batched")]),
        ("hitl_agent", "make_graph_per_call", [("tools", "per-call")]),
        ("nested_subgraph", "make_graph", [("release:sign:ask_key", "plain")]),
        ("functional_api", "make_graph", [("essay", "plain")]),
        ("static_breakpoint", "make_graph", []),
    ],
)
def test_asking_nodes_are_found_in_every_kind_of_graph(
    shared: Path, monkeypatch: pytest.MonkeyPatch, module: str, factory: str, asks: list[tuple[str, str]]
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.syspath_prepend(str(shared / "zoo"))
    graph = getattr(importlib.import_module(module), factory)()
    assert [(one.node, one.form) for one in asking_nodes(graph)] == asks


def test_nodes_that_only_async_can_run_are_named(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.syspath_prepend(str(shared / "zoo"))
    assert async_only(importlib.import_module("async_only").make_graph()) == ("confirm", "fetch")
    assert async_only(importlib.import_module("linear_approval").make_graph()) == ()


AGENT = """
from langgraph.graph import START, StateGraph
from agent_lab_tui.graph.gate import once


def deed():
    once("patch-1", "patch", {}, lambda: "done", ledger="agent.db.desk")


def act(state):
    deed()


graph = StateGraph(dict).add_node("act", act).add_edge(START, "act").compile()
"""


def test_keys_that_no_run_changes_are_found_where_the_nodes_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "keyed_agent.py").write_text(AGENT, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    graph = importlib.import_module("keyed_agent").graph
    (said,) = keys_at_fault(graph)
    assert said.startswith(
        f"{tmp_path}/keyed_agent.py, line 7: the key of `once(…)` is the same in every run"
    )
    assert GraphFacts.from_json(GraphFacts("g", fixed_keys=(said,)).to_json()).fixed_keys == (said,)
