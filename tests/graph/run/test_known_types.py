"""Classes of a state come back when the graph brought them along, and nothing else is made or imported."""

from __future__ import annotations

import collections
import dataclasses
import enum
import importlib
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import ormsgpack
import pytest
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.types import Send
from pydantic import BaseModel

from agent_lab_tui.graph.run.known_types import KnownTypes, is_record_type, type_names

AGENT = """
import dataclasses, enum, typing, pydantic
@dataclasses.dataclass
class Line:
    sku: str
class Order(pydantic.BaseModel):
    line: Line
class Risk(enum.Enum):
    HIGH = "high"
class Place(typing.NamedTuple):
    x: int
class Plain:
    def __init__(self, **fields): raise AssertionError("made")
def function(**fields): raise AssertionError("called")
"""


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """A user's module with classes of each kind."""
    (tmp_path / "an_agent.py").write_text(AGENT, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("an_agent")
    sys.modules.pop("an_agent", None)


def stored(value: Any) -> tuple[str, bytes]:
    return JsonPlusSerializer().dumps_typed(value)


def named(module: str, name: str, code: int = 2) -> tuple[str, bytes]:
    """A value of a class, as a file may hold it."""
    body = ormsgpack.packb([module, name, {"sku": "bolt"}])
    return "msgpack", ormsgpack.packb({"x": ormsgpack.Ext(code, body)})


def test_records_of_a_loaded_module_come_back_nested_in_anything(agent: Any) -> None:
    value = {"a": [agent.Order(line=agent.Line("bolt"))], "b": agent.Risk.HIGH, "c": {"d": agent.Line("nut")}}
    back = KnownTypes().loads_typed(stored(value))
    assert back == value
    assert isinstance(back["a"][0].line, agent.Line)


def test_what_langgraph_itself_allows_comes_back_as_before() -> None:
    value = {"price": Decimal("1.50"), "seen": {1, 2}, "next": Send("node", {"x": 1})}
    assert KnownTypes().loads_typed(stored(value)) == value


@pytest.mark.parametrize("name", ["Plain", "function", "no_such_name"])
def test_nothing_but_records_is_made_of_a_loaded_module(agent: ModuleType, name: str) -> None:
    assert KnownTypes().loads_typed(named("an_agent", name)) == {"x": {"sku": "bolt"}}


@pytest.mark.parametrize(
    ("module", "name"), [("os", "system"), ("subprocess", "Popen"), ("builtins", "eval")]
)
def test_what_a_hostile_file_names_is_not_called(module: str, name: str) -> None:
    for code in (0, 1, 2, 3, 4, 5):
        KnownTypes().loads_typed(named(module, name, code))


def test_a_module_that_no_graph_imported_is_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "never_imported.py").write_text("raise AssertionError('imported')", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    assert KnownTypes().loads_typed(named("never_imported", "Line")) == {"x": {"sku": "bolt"}}
    assert "never_imported" not in sys.modules


def test_a_module_imported_later_is_known_from_then_on(agent: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    serde = KnownTypes()
    value = stored([agent.Line("bolt")])
    monkeypatch.delitem(sys.modules, "an_agent")
    assert serde.loads_typed(value) == [{"sku": "bolt"}]
    monkeypatch.setitem(sys.modules, "an_agent", agent)
    assert serde.loads_typed(value) == [agent.Line("bolt")]


def test_a_class_stored_by_a_script_is_looked_for_in_the_graph_files(
    agent: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))
    back = KnownTypes([agent]).loads_typed(named("__main__", "Line"))
    assert back == {"x": agent.Line("bolt")}
    assert KnownTypes([agent]).loads_typed(named("__main__", "Plain")) == {"x": {"sku": "bolt"}}


def test_an_allowlist_of_a_graph_makes_a_copy() -> None:
    serde = KnownTypes()
    assert serde.with_msgpack_allowlist([("some", "Class")]) is not serde


def test_names_are_read_without_importing() -> None:
    assert type_names(named("a.b", "C")[1]) == {("a.b", "C")}
    assert type_names(stored({"x": [Decimal(1)]})[1]) == {("decimal", "Decimal")}


def test_which_classes_only_fill_their_fields() -> None:
    class Model(BaseModel):
        x: int

    class Named(NamedTuple):
        x: int

    class Colour(enum.Enum):
        RED = 1

    record = dataclasses.make_dataclass("record", ["x"])
    assert all(map(is_record_type, (Model, Named, Colour, record)))
    assert not any(map(is_record_type, (dict, collections.deque, Path, print, None, Model(x=1), type)))
