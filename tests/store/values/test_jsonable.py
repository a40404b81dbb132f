"""Values for people: every part by its fields, its text, its number."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import ipaddress
import pathlib
import re
import uuid
from collections import deque
from typing import Any, NamedTuple

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.serde.types import _DeltaSnapshot
from langgraph.types import Interrupt, Overwrite, Send
from pydantic import BaseModel, SecretStr

from agent_lab_tui.store.values import decode, to_json, type_name
from agent_lab_tui.store.values.raw import Ext, Unreadable


class Urgency(enum.Enum):
    HIGH = "high"


@dataclasses.dataclass
class Line:
    sku: str
    unit: decimal.Decimal


class Purchase(BaseModel):
    number: int
    urgency: Urgency
    secret: SecretStr = SecretStr("hunter2")


class Point(NamedTuple):
    x: int
    y: int


def stored(value: Any) -> Any:
    """The raw value of what LangGraph stores."""
    return decode(*JsonPlusSerializer().dumps_typed(value))


@pytest.mark.parametrize(
    ("value", "shown", "name"),
    [
        (decimal.Decimal("0.10"), "0.10", "Decimal"),
        (uuid.UUID(int=7), "00000000-0000-0000-0000-000000000007", "UUID"),
        (datetime.datetime(2026, 1, 2, 3, 4, 5), "2026-01-02T03:04:05", "datetime"),
        (datetime.date(2026, 1, 2), "2026-01-02", "date"),
        (datetime.time(3, 4), "03:04:00", "time"),
        (datetime.timedelta(days=-1, seconds=5), "-1 day, 0:00:05", "timedelta"),
        (pathlib.Path("/srv/data"), "/srv/data", type(pathlib.Path()).__name__),
        (ipaddress.ip_address("10.0.0.1"), "10.0.0.1", "IPv4Address"),
        (Urgency.HIGH, "high", f"{__name__}.Urgency"),
        ({"a"}, ["a"], "set"),
        (deque([1, 2]), [1, 2], "deque"),
        (re.compile("a+"), ["a+", 32], "re.compile"),
        (SecretStr("hunter2"), "**********", "SecretStr"),
        (Line("bolt-8", decimal.Decimal("0.15")), {"sku": "bolt-8", "unit": "0.15"}, f"{__name__}.Line"),
        (Point(1, 2), {"x": 1, "y": 2}, f"{__name__}.Point"),
        (
            Purchase(number=42, urgency=Urgency.HIGH),
            {"number": 42, "urgency": "high", "secret": "**********"},
            f"{__name__}.Purchase",
        ),
        (Send("work", {"i": 1}), {"node": "work", "arg": {"i": 1}}, "Send"),
        (Overwrite([1]), {"value": [1], "type": "__overwrite__"}, "Overwrite"),
        (_DeltaSnapshot(["a", "b"]), ["a", "b"], "snapshot"),
        (b"\x00ok", r"b'\x00ok'", "bytes"),
        (float("nan"), "NaN", "float"),
        (float("-inf"), "-Infinity", "float"),
    ],
)
def test_what_langgraph_stores_is_readable(value: Any, shown: Any, name: str) -> None:
    raw = stored(value)
    assert to_json(raw) == shown
    assert type_name(raw) == name


def test_an_interrupt_shows_its_value_and_id() -> None:
    (raw,) = stored((Interrupt({"q": 1}, id="a" * 32),))
    assert to_json(raw) == {"value": {"q": 1}, "id": "a" * 32, "response_schema": None}
    assert type_name(raw) == "Interrupt"


def test_messages_are_shown_by_their_fields() -> None:
    call = {"name": "pay", "args": {"to": "bob"}, "id": "c1", "type": "tool_call"}
    raw = stored([HumanMessage("hi"), AIMessage("", tool_calls=[call]), ToolMessage("ok", tool_call_id="c1")])
    shown = to_json(raw)
    assert [message["type"] for message in shown] == ["human", "ai", "tool"]
    assert shown[1]["tool_calls"] == [call]
    assert type_name(raw[1]) == "AIMessage"


def test_keys_that_are_no_text_keep_apart() -> None:
    assert to_json({"1": "a", 1: "b", None: "c", (1, 2): "d", b"x": "e", True and 2.5: "f"}) == {
        "1": "a",
        "1 (int)": "b",
        "null": "c",
        "[1, 2]": "d",
        "b'x'": "e",
        "2.5": "f",
    }


@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_are_shown_as_their_numbers(order: str) -> None:
    """Without NumPy: the bytes of [[1, 2, 3], [4, 5, nan]] by rows or by columns."""
    import struct

    numbers = [1, 2, 3, 4, 5, float("nan")] if order == "C" else [1, 4, 2, 5, 3, float("nan")]
    raw = Ext(6, ["<f4", [2, 3], order, struct.pack("<6f", *numbers)])
    assert to_json(raw) == [[1.0, 2.0, 3.0], [4.0, 5.0, "NaN"]]


@pytest.mark.parametrize("shape", [[2**40, 0], [-1], [2**62, 4], ["x"], [1] * 5000])
def test_an_array_of_an_impossible_shape_costs_nothing(shape: list[Any]) -> None:
    assert to_json(Ext(6, ["<f4", shape, "C", b""])) in ([], ["<f4", to_json(shape), "C", "b''"])


@pytest.mark.parametrize(
    "raw",
    [
        Ext(0, ["decimal", "Decimal", "not a number"]),
        Ext(0, ["uuid", "UUID", "zz"]),
        Ext(1, ["datetime", "date", [2026, 13, 45]]),
        Ext(2, ["datetime", "time", {"hour": 3}]),
        Ext(3, ["datetime", "datetime", {}, "fromisoformat"]),
        Ext(1, ["langgraph.types", "Send", "work"]),
    ],
)
def test_an_object_with_an_odd_payload_shows_the_payload(raw: Ext) -> None:
    assert to_json(raw) == raw.fields


def test_what_cannot_be_read_says_so_in_its_place() -> None:
    assert to_json({"a": Unreadable("encrypted with aes")}) == {"a": "(unreadable: encrypted with aes)"}
