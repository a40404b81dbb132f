"""What a convention builds or accepts, LangGraph and LangChain take: for any question, on a real graph."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.runtime import Runtime
from langgraph.types import Command, interrupt
from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from agent_lab_tui.graph.conventions import AskContext, recognise
from agent_lab_tui.graph.conventions.base import same
from agent_lab_tui.graph.deciding.said import is_said
from agent_lab_tui.graph.questions import Choice, Operation, Refused
from agent_lab_tui.store.values import decode, encode

pytestmark = pytest.mark.slow

real = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
CONTEXT = AskContext(node="ask", graph="agent")
CONFIG: Any = {"configurable": {"thread_id": "t", "__pregel_strict_resume": True}}
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
ARGUMENTS = st.dictionaries(TEXT, JSON, max_size=3)
DECISIONS = ("approve", "edit", "reject", "respond")


class State(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], add_messages]
    got: Any


def stored(value: Any) -> Any:
    """A value as it comes out of a checkpoint."""
    return decode("msgpack", encode(value))


def asked(node: Any, given: State) -> tuple[Any, Any]:
    """Run a graph up to its question; give the graph and the question."""
    builder = StateGraph(State)
    builder.add_node("ask", node)
    builder.add_edge(START, "ask")
    graph = builder.compile(checkpointer=InMemorySaver())
    graph.invoke(given, CONFIG)
    (question,) = graph.get_state(CONFIG).interrupts
    return graph, question


def chosen(operation: Operation, draw: st.DrawFn) -> Choice:
    kind = draw(st.sampled_from(operation.allowed))
    arguments = operation.arguments if kind == "edit" else None
    return Choice(kind, arguments=arguments, text=draw(TEXT.filter(is_said)))


@st.composite
def agents(draw: st.DrawFn) -> tuple[HumanInTheLoopMiddleware[Any, Any], list[dict[str, Any]]]:
    """LangChain's middleware with some rules, and the tool calls of a model."""
    allowed = st.lists(st.sampled_from(DECISIONS), unique=True, min_size=1)
    rules: Any = {
        name: draw(st.fixed_dictionaries({"allowed_decisions": allowed})) for name in ("mail", "pay", "drop")
    }
    names = draw(st.lists(st.sampled_from(["mail", "pay", "drop", "free"]), min_size=1, max_size=4))
    calls = [{"name": name, "args": draw(ARGUMENTS), "id": str(n)} for n, name in enumerate(names)]
    return HumanInTheLoopMiddleware(interrupt_on=rules), calls


def run(agent: Any) -> tuple[Any, Any] | None:
    """Ask as LangChain asks; None where no call needs a person."""
    middleware, calls = agent
    if all(call["name"] == "free" for call in calls):
        return None

    def ask(state: State, runtime: Runtime[Any]) -> Any:
        return middleware.after_model(state, runtime)

    return asked(ask, {"messages": [AIMessage("", tool_calls=calls)]})


@given(st.data(), agents())
@real
def test_langchain_takes_whatever_is_built_of_allowed_choices(data: st.DataObject, agent: Any) -> None:
    if (found := run(agent)) is None:
        return
    graph, question = found
    value = stored(question.value)
    convention, _ = recognise(value, None, CONTEXT)
    operations = convention.operations(value, None, CONTEXT)
    choices = [chosen(operation, data.draw) for operation in operations]
    answer = convention.answer(value, None, choices, CONTEXT)
    after = graph.invoke(Command(resume={question.id: stored(answer)}), CONFIG)
    assert not graph.get_state(CONFIG).next
    statuses = sorted(one.status for one in after["messages"] if isinstance(one, ToolMessage))
    wanted = {"reject": "error", "explain": "error", "respond": "success"}
    said = sorted(wanted[choice.kind] for choice in choices if choice.kind in wanted)
    assert statuses == said


@st.composite
def answers(draw: st.DrawFn) -> Any:
    """What somebody might send to LangChain's question, right or wrong."""
    action = st.fixed_dictionaries(
        {}, optional={"name": st.sampled_from(["mail", "pay"]) | TEXT, "args": JSON}
    )
    decision = st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from([*DECISIONS, "maybe"]),
            "message": JSON,
            "edited_action": action | JSON,
        },
    )
    decisions = st.lists(decision | st.just({"type": "approve"}) | JSON, max_size=4)
    return draw(st.fixed_dictionaries({"decisions": decisions}) | JSON | decisions)


@given(agents(), answers())
@real
def test_langchain_takes_whatever_the_check_lets_pass(agent: Any, answer: Any) -> None:
    if (found := run(agent)) is None:
        return
    graph, question = found
    value = stored(question.value)
    convention, _ = recognise(value, None, CONTEXT)
    try:
        convention.check(value, None, stored(answer), CONTEXT)
    except Refused:
        return
    graph.invoke(Command(resume={question.id: stored(answer)}), CONFIG)
    assert not graph.get_state(CONFIG).next


@given(JSON, JSON)
@real
def test_a_plain_node_gets_exactly_what_was_sent(value: Any, answer: Any) -> None:
    def ask(state: State) -> Any:
        return {"got": interrupt(value)}

    graph, question = asked(ask, {})
    raw = stored(question.value)
    convention, _ = recognise(raw, None, CONTEXT)
    if convention.name != "plain":
        return
    convention.check(raw, None, stored(answer), CONTEXT)
    graph.invoke(Command(resume={question.id: stored(answer)}), CONFIG)
    assert same(stored(graph.get_state(CONFIG).values["got"]), stored(answer))


SWITCHES = ("allow_ignore", "allow_respond", "allow_edit", "allow_accept")


@given(
    st.data(), st.dictionaries(st.sampled_from(SWITCHES), st.booleans(), min_size=1), ARGUMENTS, st.booleans()
)
@real
def test_an_inbox_node_gets_a_response_that_it_allows(
    data: st.DataObject, config: Any, arguments: Any, is_list: bool
) -> None:
    request = {"action_request": {"action": "mail", "args": arguments}, "config": config}

    def ask(state: State) -> Any:
        responses = interrupt([request] if is_list else request)
        return {"got": responses[0] if is_list else responses}

    graph, question = asked(ask, {})
    value = stored(question.value)
    convention, _ = recognise(value, None, CONTEXT)
    (operation,) = convention.operations(value, None, CONTEXT)
    if not operation.allowed:
        return
    choice = chosen(operation, data.draw)
    answer = convention.answer(value, None, [choice], CONTEXT)
    graph.invoke(Command(resume={question.id: stored(answer)}), CONFIG)
    got = graph.get_state(CONFIG).values["got"]
    switch = {
        "accept": "allow_accept",
        "edit": "allow_edit",
        "response": "allow_respond",
        "ignore": "allow_ignore",
    }
    assert config[switch[got["type"]]]
    if got["type"] == "edit":
        assert same(stored(got["args"]["args"]), stored(arguments))


class Verdict(BaseModel):
    """What an author may ask for."""

    model_config = ConfigDict(extra="forbid")
    approved: bool
    limit: Annotated[int, Field(ge=0, le=1000)] = 500
    comment: Annotated[str, Field(max_length=5)] | None = None
    kind: Literal["once", "always"] = "once"


VERDICTS = st.fixed_dictionaries(
    {},
    optional={
        "approved": st.booleans() | JSON,
        "limit": st.integers(-5, 1005) | JSON,
        "comment": TEXT | JSON,
        "kind": st.sampled_from(["once", "always", "never"]) | JSON,
        "more": JSON,
    },
)


@given(VERDICTS | JSON)
@real
def test_langgraph_takes_whatever_fits_the_schema_of_the_question(answer: Any) -> None:
    def ask(state: State) -> Any:
        return {"got": interrupt("limit?", response_schema=Verdict)}

    graph, question = asked(ask, {})
    value, schema = stored(question.value), question.response_schema
    convention, _ = recognise(value, schema, CONTEXT)
    assert convention.name == "response-schema"
    try:
        convention.check(value, schema, stored(answer), CONTEXT)
    except Refused:
        return
    graph.invoke(Command(resume={question.id: stored(answer)}), CONFIG)
    assert not graph.get_state(CONFIG).next
