"""For every convention: what it allows it can build and accepts, and everything else is refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_lab_tui.graph.conventions import AskContext, recognise
from agent_lab_tui.graph.conventions.base import Convention, same
from agent_lab_tui.graph.deciding.said import is_said
from agent_lab_tui.graph.questions import Choice, ChoiceKind, Operation, Refused
from agent_lab_tui.graph.settings.file import Settings
from agent_lab_tui.store.values import Ext, decode, encode, to_json

KINDS: tuple[ChoiceKind, ...] = ("approve", "edit", "reject", "respond", "explain")
TEXT = st.text(max_size=12)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats()
    | TEXT
    | st.sampled_from([Ext(0, ["decimal", "Decimal", "12.50"]), Ext(1, ["datetime", "date", [2026, 1, 31]])])
)
RAW = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3), max_leaves=8
)
ARGUMENTS = st.dictionaries(TEXT, RAW, max_size=3)
PLAIN_ARGUMENTS = st.dictionaries(TEXT, st.booleans() | st.integers(-5, 5) | TEXT, max_size=3)


CONTEXT = AskContext(node="ask", graph="agent")
many = settings(max_examples=150, deadline=None)


@dataclass(frozen=True)
class Asked:
    """A generated question."""

    value: Any
    schema: Any = None
    context: AskContext = CONTEXT

    @property
    def convention(self) -> Convention:
        return recognise(self.value, self.schema, self.context)[0]

    @property
    def operations(self) -> tuple[Operation, ...]:
        return self.convention.operations(self.value, self.schema, self.context)

    def answer(self, choices: list[Choice]) -> Any:
        return self.convention.answer(self.value, self.schema, choices, self.context)

    def check(self, answer: Any) -> None:
        self.convention.check(self.value, self.schema, answer, self.context)

    def cause(self, answer: Any) -> str | None:
        """Why an answer is refused; None when it is accepted."""
        try:
            self.check(answer)
        except Refused as refused:
            return str(refused)
        return None


@st.composite
def batched(draw: st.DrawFn) -> Asked:
    requests, configs = [], []
    for _ in range(draw(st.integers(1, 3))):
        name = draw(st.sampled_from(["mail", "pay", "drop"]))
        more = draw(st.sampled_from([{}, {"reason": "r", "risk": "high"}, {"description": "d"}]))
        requests.append({"name": name, "args": draw(ARGUMENTS), **more})
        allowed = draw(st.lists(st.sampled_from(KINDS), unique=True))
        configs.append({"action_name": name, "allowed_decisions": allowed})
    return Asked({"action_requests": requests, "review_configs": configs})


@st.composite
def inbox(draw: st.DrawFn) -> Asked:
    def one() -> dict[str, Any]:
        switches = ("allow_ignore", "allow_respond", "allow_edit", "allow_accept")
        action = {"action": draw(st.sampled_from(["mail", "pay"])), "args": draw(ARGUMENTS)}
        return {"action_request": action, "config": {switch: draw(st.booleans()) for switch in switches}}

    return Asked([one() for _ in range(draw(st.integers(1, 2)))] if draw(st.booleans()) else one())


@st.composite
def per_call(draw: st.DrawFn) -> Asked:
    def decision(kind: str, **more: Any) -> dict[str, Any]:
        properties = {"type": {"const": kind}, **more}
        return {"type": "object", "properties": properties, "required": list(properties)}

    action = {
        "type": "object",
        "properties": {"name": {"const": "mail"}, "args": {"type": "object"}},
        "required": ["name", "args"],
    }
    branches = {
        "approve": decision("approve"),
        "edit": decision("edit", edited_action=action),
        "reject": decision("reject", message={"type": "string"}),
        "respond": decision("respond", message={"type": "string"}),
    }
    kinds = draw(st.lists(st.sampled_from(sorted(branches)), unique=True, min_size=1))
    value = {"type": "tool_approval", "tool_call_id": "1", "name": "mail", "args": draw(PLAIN_ARGUMENTS)}
    return Asked({**value, "description": ""}, {"oneOf": [branches[kind] for kind in kinds]})


TEMPLATES: dict[str, Any] = {
    "approve": {"approved": True},
    "reject": {"approved": False, "why": "{reason}"},
    "edit": {"approved": True, "all": "{arguments}"},
    "respond": ["{message}"],
    "explain": {"ask": "{message}!"},
}


@st.composite
def plain(draw: st.DrawFn) -> Asked:
    kinds = draw(st.lists(st.sampled_from(sorted(TEMPLATES)), unique=True))
    answers = {"agent:ask": {kind: TEMPLATES[kind] for kind in kinds}}
    earlier = draw(
        st.lists(RAW | st.sampled_from([True, "no", {"approved": False, "note": "n"}]), max_size=3)
    )
    context = AskContext("ask", "agent", Settings(answers=answers), answers_given=tuple(earlier))
    known = st.fixed_dictionaries({"action": TEXT, "args": ARGUMENTS}, optional={"reason": RAW, "risk": RAW})
    return Asked(draw(RAW | known), context=context)


@st.composite
def typed(draw: st.DrawFn) -> Asked:
    schemas = [
        {"type": "boolean"},
        {"type": "string"},
        {"enum": ["yes", "no", 3]},
        {"type": "object", "properties": {"approved": {"type": "boolean"}, "note": {"type": "string"}}},
        {"type": "object", "properties": {"approved": {"type": "boolean"}}, "required": ["approved", "x"]},
    ]
    asked = draw(plain())
    return Asked(asked.value, draw(st.sampled_from(schemas)), asked.context)


QUESTIONS = batched() | inbox() | per_call() | plain() | typed()


def unchanged(operation: Operation, draw: st.DrawFn) -> Choice:
    """An allowed choice; an edit that leaves everything as it is, raw or as the JSON that was shown."""
    kind = draw(st.sampled_from(operation.allowed))
    as_json = draw(st.booleans())
    arguments = to_json(operation.arguments) if as_json else operation.arguments
    return Choice(kind, arguments=arguments if kind == "edit" else None, text=draw(TEXT.filter(is_said)))


@given(st.data(), QUESTIONS)
@many
def test_any_allowed_choices_build_an_answer_its_own_check_accepts(data: st.DataObject, asked: Asked) -> None:
    operations = asked.operations
    if not all(operation.allowed for operation in operations):
        return
    answer = asked.answer([unchanged(operation, data.draw) for operation in operations])
    asked.check(answer)
    assert same(decode("msgpack", encode(answer)), answer)
    asked.convention.warnings(asked.value, asked.schema, answer, asked.context)


@given(st.data(), QUESTIONS)
@many
def test_any_other_choices_are_refused(data: st.DataObject, asked: Asked) -> None:
    operations = asked.operations
    kinds = data.draw(st.lists(st.sampled_from(KINDS), max_size=4))
    choices = [Choice(kind, arguments={}, text=data.draw(TEXT)) for kind in kinds]
    is_fit = len(choices) == len(operations) and all(
        choice.kind in operation.allowed and (choice.kind in ("approve", "edit") or is_said(choice.text))
        for choice, operation in zip(choices, operations, strict=False)
    )
    if is_fit:
        return
    with pytest.raises(Refused) as refused:
        asked.answer(choices)
    assert str(refused.value).endswith(".")


def edits_of(answer: Any) -> list[Any]:
    """The arguments of every edit in an answer of whatever form."""
    if isinstance(answer, list):
        return [found for one in answer for found in edits_of(one)]
    if isinstance(answer, dict) and "decisions" in answer:
        return edits_of(answer["decisions"])
    if isinstance(answer, dict) and "edited_action" in answer:
        return [answer["edited_action"]["args"]]
    if isinstance(answer, dict) and "all" in answer:
        return [answer["all"]]
    return [answer["args"]["args"]] if isinstance(answer, dict) else []


@given(st.data(), QUESTIONS)
@many
def test_an_edit_that_changes_nothing_sends_the_exact_original(data: st.DataObject, asked: Asked) -> None:
    operations = asked.operations
    if not all("edit" in operation.allowed for operation in operations):
        return
    views = [data.draw(st.sampled_from([one.arguments, to_json(one.arguments)])) for one in operations]
    answer = asked.answer([Choice("edit", arguments=view) for view in views])
    sent = edits_of(answer)
    assert len(sent) == len(operations)
    assert all(same(one, operation.arguments) for one, operation in zip(sent, operations, strict=True))


@given(QUESTIONS, RAW)
@many
def test_an_answer_from_nowhere_is_accepted_by_plain_questions_only(asked: Asked, answer: Any) -> None:
    cause = asked.cause(answer)
    if asked.convention.name == "plain":
        assert cause is None
    elif asked.convention.name != "response-schema":
        assert cause is not None
    assert cause is None or (cause.endswith(".") and len(cause) < 500)


def parts_of(value: Any) -> list[Any]:
    """Every leaf of a raw value."""
    if isinstance(value, dict):
        return [found for inner in value.values() for found in parts_of(inner)]
    if isinstance(value, list):
        return [found for inner in value for found in parts_of(inner)]
    return [value]


@given(plain() | inbox() | batched())
@many
def test_nothing_of_a_question_is_hidden(asked: Asked) -> None:
    shown: list[Any] = []
    for one in asked.operations:
        shown += [one.name, one.reason, one.impact, one.key, one.tool_call_id, str(one.risk)]
        shown += [*parts_of(one.arguments), *parts_of(dict(one.rest))]
    if isinstance(asked.value, str):
        assert any(asked.value == part for part in shown)
        return
    said_by_choices = {*KINDS, "mail", "pay", "drop"}
    for part in parts_of(asked.value):
        is_switch = (
            isinstance(part, bool) or part in said_by_choices if isinstance(part, bool | str) else False
        )
        assert is_switch or any(same(part, one) for one in shown) or str(to_json(part)).lower() in shown
