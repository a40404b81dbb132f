"""What must hold of every value that a checkpoint file can hold."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from agent_lab_tui.store.values import Ext, Value, decode, encode, fingerprint, from_json, to_json, type_name

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
SMALL_INTS = st.integers(-(2**63), 2**64 - 1)
LEAVES: st.SearchStrategy[Value] = st.one_of(
    st.none(),
    st.booleans(),
    SMALL_INTS,
    st.floats(),
    TEXTS,
    st.binary(max_size=8),
    st.sampled_from(["\x1b[31m", "\x00", "\r\n", "‮", "\x9b", "🏴󠁧󠁢󠁷󠁬󠁳󠁿", "NaN", "b'x'", "(unreadable: x)"]),
)
KEYS = st.one_of(
    TEXTS, SMALL_INTS, st.none(), st.booleans(), st.floats(allow_nan=False), st.binary(max_size=3)
)
SCALARS = st.one_of(
    st.uuids().map(lambda found: Ext(0, ["uuid", "UUID", found.hex])),
    st.decimals().map(lambda found: Ext(0, ["decimal", "Decimal", str(found)])),
    st.datetimes().map(lambda at: Ext(3, ["datetime", "datetime", at.isoformat(), "fromisoformat"])),
    st.dates().map(lambda day: Ext(1, ["datetime", "date", [day.year, day.month, day.day]])),
    st.timedeltas().map(
        lambda span: Ext(1, ["datetime", "timedelta", [span.days, span.seconds, span.microseconds]])
    ),
    st.just(Ext(1, ["pathlib", "PosixPath", ["/", "a", "b.txt"]])),
    st.just(Ext(0, ["pydantic.types", "SecretStr", "hunter2"])),
    st.just(Ext(99, b"\x01\x02")),
)


def _objects(children: st.SearchStrategy[Value]) -> st.SearchStrategy[Value]:
    fields = st.dictionaries(TEXTS, children, max_size=3)
    return st.one_of(
        st.builds(lambda found: Ext(2, ["graph", "Line", found]), fields),
        st.builds(lambda found: Ext(5, ["graph", "Purchase", found, "model_validate_json"]), fields),
        st.builds(lambda found: Ext(0, ["builtins", "set", found]), st.lists(children, max_size=3)),
        st.builds(lambda found: Ext(0, ["graph", "Urgency", found]), children),
        st.builds(lambda node, arg: Ext(1, ["langgraph.types", "Send", [node, arg]]), TEXTS, children),
        st.builds(lambda found: Ext(7, found), children),
        st.builds(Ext, st.integers(0, 7), children),
    )


VALUES: st.SearchStrategy[Value] = st.recursive(
    st.one_of(LEAVES, SCALARS),
    lambda children: st.one_of(
        st.lists(children, max_size=4), st.dictionaries(KEYS, children, max_size=4), _objects(children)
    ),
    max_leaves=12,
)


def edited(value: Value) -> Value:
    """What comes out of an editor in which nothing was changed."""
    return json.loads(json.dumps(to_json(value), allow_nan=False))


@given(VALUES)
def test_what_was_read_is_written_back_as_it_was(value: Value) -> None:
    """Objects of the graph included, byte for byte."""
    blob = encode(value)
    assert encode(decode("msgpack", blob)) == blob
    assert fingerprint(decode("msgpack", blob)) == fingerprint(value)


@given(VALUES)
def test_an_edit_that_changes_nothing_gives_the_very_value(value: Value) -> None:
    """Control characters, NaN, big numbers, bytes, keys that are no text: what is shown is only a view."""
    assert from_json(edited(value), value) is value


@given(VALUES, VALUES)
def test_a_part_that_was_not_edited_stays_the_very_part(kept: Value, changed: Value) -> None:
    like = {"kept": kept, "changed": "before"}
    found = from_json({**edited(like), "changed": "after"}, like)
    assert found["kept"] is kept
    assert found["changed"] == "after"


@given(st.lists(VALUES, min_size=1, max_size=5), st.integers(0, 4))
def test_removing_one_element_leaves_the_others_as_they_were(values: list[Value], place: int) -> None:
    place %= len(values)
    shown = edited(values)
    del shown[place]
    found = from_json(shown, values)
    rest = values[:place] + values[place + 1 :]
    assert [fingerprint(part) for part in found] == [fingerprint(part) for part in rest] or [
        to_json(part) for part in found
    ] == shown


@given(VALUES)
def test_every_value_has_a_name_for_its_type(value: Value) -> None:
    assert type_name(value)


@given(
    st.binary(max_size=200), st.sampled_from(["msgpack", "json", "bytes", "null", "pickle", "x+aes", None])
)
def test_junk_never_raises(blob: bytes, type_: str | None) -> None:
    value = decode(type_, blob)
    json.dumps(to_json(value), allow_nan=False)
    fingerprint(value)
    assert from_json(edited(value), value) is value
