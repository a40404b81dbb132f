"""Raw values: read without running anything, written back as they were."""

from __future__ import annotations

import json
import math
import sys
from typing import Any

import ormsgpack
import pytest
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from agent_lab_tui.store.values import Ext, Unreadable, Value, decode, encode, fingerprint, to_json


def packed(code: int, payload: object) -> bytes:
    """An extension as LangGraph writes it."""
    return ormsgpack.packb(ormsgpack.Ext(code, ormsgpack.packb(payload)))


@pytest.mark.parametrize("code", range(8))
def test_nothing_named_in_the_data_is_imported_or_called(code: int, tmp_path: Any) -> None:
    """A database may name any callable; reading, showing and hashing it must leave it alone."""
    victim = tmp_path / "ran"
    payload = ["os", "system", f"touch {victim}", "system"]
    module = ["a_module_that_is_not_there_7c2", "Thing", {"x": 1}, "model_validate_json"]
    for value in (decode("msgpack", packed(code, payload)), decode("msgpack", packed(code, module))):
        to_json(value)
        fingerprint(value)
        encode(value)
    assert not victim.exists()
    assert module[0] not in sys.modules


def test_constructors_in_old_json_files_are_not_called(tmp_path: Any) -> None:
    victim = tmp_path / "ran"
    call = {"lc": 2, "type": "constructor", "id": ["os", "system"], "args": [f"touch {victim}"]}
    value = decode("json", json.dumps({"a": call}).encode())
    assert value == {"a": Ext(0, ["os", "system", f"touch {victim}"])}
    to_json(value)
    assert not victim.exists()


def test_langgraph_reads_back_what_the_desk_writes() -> None:
    import datetime
    import decimal
    import uuid

    serde = JsonPlusSerializer(allowed_msgpack_modules=None)
    value = {
        "at": datetime.datetime(2026, 1, 2),
        "n": decimal.Decimal("0.10"),
        "id": uuid.UUID(int=7),
        1: {2},
    }
    assert serde.loads_typed(("msgpack", encode(decode(*serde.dumps_typed(value))))) == value


@pytest.mark.parametrize(
    ("type_", "reason"),
    [
        ("msgpack+aes", "encrypted with aes"),
        ("pickle", "pickled: reading it would run code"),
        ("yaml", "of an unknown kind, 'yaml'"),
        (None, "the kind of value is not recorded"),
    ],
)
def test_what_cannot_be_read_says_why(type_: str | None, reason: str) -> None:
    assert decode(type_, b"\x01") == Unreadable(reason, b"\x01")


def test_a_broken_object_keeps_its_bytes_and_what_is_around_it() -> None:
    blob = ormsgpack.packb({"good": 1, "bad": ormsgpack.Ext(5, b"\xc1")})
    value = decode("msgpack", blob)
    assert value["good"] == 1
    assert isinstance(value["bad"].data, Unreadable)
    assert encode(value) == blob


def test_objects_nested_thousands_deep_are_cut_off_and_kept() -> None:
    blob = b"\x01"
    for _ in range(3000):
        blob = ormsgpack.packb(ormsgpack.Ext(7, blob))
    value = decode("msgpack", blob)
    assert encode(value) == blob
    json.dumps(to_json(value))
    fingerprint(value)


def test_lists_nested_to_the_limit_can_be_shown_and_hashed() -> None:
    value = decode("msgpack", b"\x91" * 1000 + b"\x01")
    assert "nested deeper" in json.dumps(to_json(value))
    assert fingerprint(value) != fingerprint(decode("msgpack", b"\x91" * 1000 + b"\x02"))


@pytest.mark.parametrize("value", [2**64, -(2**63) - 1, Unreadable("encrypted with aes"), object()])
def test_what_msgpack_cannot_carry_is_refused_in_words(value: Value) -> None:
    with pytest.raises(ValueError, match=r"^This value cannot be stored: .+\.$"):
        encode({"inside": value})


def test_big_numbers_of_old_json_files_can_be_shown_and_hashed() -> None:
    value = decode("json", b'{"n": 123456789012345678901234567890}')
    assert to_json(value) == {"n": 123456789012345678901234567890}
    assert len(fingerprint(value)) == 64


def test_messages_of_old_json_files_become_the_objects_of_today() -> None:
    old = {
        "lc": 1,
        "type": "constructor",
        "id": ["langchain", "schema", "messages", "HumanMessage"],
        "kwargs": {"content": "hi", "type": "human"},
    }
    value = decode("json", json.dumps([old]).encode())
    assert value[0].module == "langchain_core.messages.human"
    assert to_json(value) == [{"content": "hi", "type": "human"}]


def test_hashes_do_not_depend_on_the_order_of_sets_and_dicts() -> None:
    """Python gives sets another order in every process; the same question must hash alike."""
    one = {"s": Ext(0, ["builtins", "set", ["a", "b"]]), "n": 1}
    other = {"n": 1, "s": Ext(0, ["builtins", "set", ["b", "a"]])}
    assert fingerprint(one) == fingerprint(other)
    assert fingerprint(Ext(0, ["builtins", "list", ["a", "b"]])) != fingerprint(
        Ext(0, ["builtins", "list", ["b", "a"]])
    )


@pytest.mark.parametrize(
    ("one", "other"), [(1, True), (1, 1.0), ("1", 1), (b"a", "a"), (None, "None"), (0.0, -0.0), ([], {})]
)
def test_values_of_different_kinds_never_hash_alike(one: Value, other: Value) -> None:
    assert fingerprint(one) != fingerprint(other)
    assert fingerprint(math.nan) == fingerprint(float("nan"))
