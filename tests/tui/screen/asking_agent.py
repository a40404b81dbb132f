"""Agents that ask in every form there is: plain values, Agent Inbox, the gate, static breakpoints."""

from typing import Any, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt
from typed_agent import builder as letters

from agent_lab_tui.graph.gate import ask


class State(TypedDict, total=False):
    """What the agents know."""

    asks: Any
    got: Any
    explained: list[str]
    dropped: bool
    report: str


def ask_plainly(state: State) -> State:
    """Ask with any value, and keep whatever is answered; one answer is more than it can take."""
    answer = interrupt(state["asks"])
    if answer == "boom":
        raise ValueError("that was too much")
    return {"got": {"answer": answer}}


plain = StateGraph(State)
plain.add_node("ask_plainly", ask_plainly)
plain.add_edge(START, "ask_plainly")


def review(state: State) -> State:
    """Ask as Agent Inbox does, in a list or bare."""
    request = {
        "action_request": {"action": "send_email", "args": {"to": "bob@example.com", "subject": "Invoice 7"}},
        "config": {"allow_ignore": True, "allow_respond": True, "allow_edit": True, "allow_accept": True},
        "description": "The customer is 30 days overdue.",
    }
    return {"got": interrupt([request])[0] if state["asks"] == "list" else interrupt(request)}


inbox = StateGraph(State)
inbox.add_node("review", review)
inbox.add_edge(START, "review")

SCHEMA = {
    "type": "object",
    "properties": {
        "to": {"type": "string"},
        "copies": {"type": "integer", "minimum": 1, "maximum": 9},
        "tone": {"enum": ["neutral", "formal"]},
    },
    "required": ["to", "copies"],
}


def confirm(state: State) -> State:
    """Ask through the gate until it is decided; a question is answered and asked again."""
    explained = list(state.get("explained", []))
    while True:
        verdict = ask(
            "print_letter",
            {"to": "Ann", "copies": 2},
            reason="; ".join(explained) or "It is due today.",
            impact="Uses paper.",
            risk="low",
            schema=SCHEMA,
        )
        if verdict.kind != "explain":
            break
        explained.append(f"because of: {verdict.text}")
    arguments = dict(verdict.arguments) if verdict.may_run else None
    return {
        "got": {"kind": verdict.kind, "arguments": arguments, "text": verdict.text},
        "explained": explained,
    }


gate = StateGraph(State)
gate.add_node("confirm", confirm)
gate.add_edge(START, "confirm")


def drop_table(state: State) -> State:
    """Do what should be looked at before."""
    return {"dropped": True}


def write_up(state: State) -> State:
    """Tell what was done."""
    return {"report": f"dropped: {state.get('dropped', False)}"}


_stops = StateGraph(State)
_stops.add_node("drop_table", drop_table)
_stops.add_node("write_up", write_up)
_stops.add_edge(START, "drop_table")
_stops.add_edge("drop_table", "write_up")
_stops.add_edge("write_up", END)
stops = _stops.compile(interrupt_before=["drop_table"])

GRAPHS = {"letters": letters, "plain": plain, "inbox": inbox, "gate": gate}
INPUTS: dict[str, tuple[str, Any]] = {
    "letter-answered": ("letters", {"asked": {"letter": "before"}}),
    "plain-answered": ("plain", {"asks": "What was it?"}),
    **{f"letter-{n}": ("letters", {"asked": {"letter": n}}) for n in range(4)},
    **{f"plain-{word}": ("plain", {"asks": f"What about {word}?"}) for word in ("text", "json", "yes", "no")},
    **{f"plain-{word}": ("plain", {"asks": f"And {word}?"}) for word in ("null", "false", "zero", "before")},
    **{
        f"inbox-{form}-{choice}": ("inbox", {"asks": form})
        for form in ("list", "bare")
        for choice in ("accept", "edit", "respond", "ignore")
    },
    **{f"gate-{choice}": ("gate", {}) for choice in ("approve", "edit", "reject", "explain")},
    **{f"stop-{way}": ("stops", {}) for way in ("on", "skip", "end")},
}
"""By thread, its graph and what it begins with."""
ANSWERED: dict[str, Any] = {
    "letter-answered": {
        "approved": True,
        "subject": "Hail",
        "price": 3.5,
        "address": {"city": "Bern"},
        "way": {"kind": "post", "stamps": 2},
    },
    "plain-answered": "as last time",
}
"""By thread, what was answered already."""
