"""The outbox agent: write a mail, ask, send it once, through whichever kind of service there is."""

from __future__ import annotations

from typing import Any, TypedDict

from langgraph.errors import GraphInterrupt
from langgraph.graph import END, START, StateGraph
from langgraph.pregel import Pregel

from agent_lab_tui.store.lab.mailbox import Kind, Mail
from agent_lab_tui.store.lab.tasks import Tasks, key_of

from .. import gate
from . import crash
from .failing import fails_step
from .outbox_agent import CONFIRM, SEND, WRITE
from .sending import send_once
from .workspace import Workspace

_LINE = {"type": "string", "minLength": 1, "pattern": "^[^\\x00-\\x1f\\x7f]+$"}
"""A header of a mail: a second line in it would be a header of its own."""

_SCHEMA = {
    "type": "object",
    "properties": {"to": _LINE, "subject": _LINE, "body": {"type": "string", "minLength": 1}},
    "required": ["to", "subject", "body"],
    "additionalProperties": False,
}

_KNOWN = {
    Kind.KEYED: "The service knows keys: a repeat sends nothing.",
    Kind.ASKABLE: "The service can be asked what came in under a key.",
    Kind.PLAIN: "The service knows no keys and cannot be asked: after a crash you will be asked.",
}


class OutboxState(TypedDict, total=False):
    """What the thread remembers."""

    task_id: str
    kind: str
    mail: dict[str, str]
    is_approved: bool
    said: str
    delivery: str


class OutboxNodes:
    """The nodes, bound to one lab."""

    def __init__(self, lab: Workspace) -> None:
        self._lab = lab
        self.tasks = Tasks(lab.database)

    @fails_step(WRITE)
    def write(self, state: OutboxState) -> OutboxState:
        """Write the mail; nothing leaves the house yet."""
        self.tasks.begin_step(state["task_id"], WRITE, "write_mail", {"to": state["mail"]["to"]})
        crash.point("outbox:written")
        return {}

    @fails_step(CONFIRM)
    def confirm(self, state: OutboxState) -> OutboxState:
        """Ask whether it may go out."""
        task_id = state["task_id"]
        self.tasks.finish_step(task_id, WRITE, {})
        self.tasks.begin_step(task_id, CONFIRM, "confirm", state["mail"], is_waiting=True)
        verdict = gate.ask(
            "send_mail",
            state["mail"],
            reason="The nightly build is finished, and its people asked to be told.",
            impact=f"One mail to {state['mail']['to']}; it cannot be recalled. {_KNOWN[Kind(state['kind'])]}",
            risk="high",
            key=key_of(task_id, SEND),
            allowed=("approve", "edit", "reject"),
            schema=_SCHEMA,
        )
        crash.point("outbox:confirmed")
        return {"mail": dict(verdict.arguments), "is_approved": verdict.may_run, "said": verdict.text}

    @fails_step(SEND)
    def send(self, state: OutboxState) -> OutboxState:
        """Send it once; what cannot be known is asked."""
        task_id, mail = state["task_id"], state["mail"]
        self.tasks.finish_step(task_id, CONFIRM, {"approved": True, "mail": mail})
        self.tasks.begin_step(task_id, SEND, "send_mail", mail)
        text = Mail(mail["to"], mail["subject"], mail["body"])
        try:
            delivery = send_once(self._lab, Kind(state["kind"]), key_of(task_id, SEND), text, mail)
        except GraphInterrupt:
            self.tasks.begin_step(task_id, SEND, "send_mail", mail, is_waiting=True)
            raise
        crash.point("outbox:delivered")
        self.tasks.finish_step(task_id, SEND, {"delivery": delivery})
        self.tasks.complete(task_id, {"task_id": task_id, "to": mail["to"], "delivery": delivery})
        crash.point("outbox:completed")
        return {"delivery": delivery}

    def decline(self, state: OutboxState) -> OutboxState:
        """Write down that it was refused; nothing was sent."""
        self.tasks.finish_step(state["task_id"], CONFIRM, {"approved": False, "reason": state["said"]})
        self.tasks.fail(state["task_id"], f"declined by the operator: {state['said']}")
        return {}


def build(lab: Workspace) -> Pregel[Any, Any, Any, Any]:
    """Return the graph, compiled without a saver."""
    nodes = OutboxNodes(lab)
    builder = StateGraph(OutboxState)
    builder.add_node("write", nodes.write)
    builder.add_node("confirm", nodes.confirm)
    builder.add_node("send", nodes.send)
    builder.add_node("decline", nodes.decline)
    builder.add_edge(START, "write")
    builder.add_edge("write", "confirm")
    builder.add_conditional_edges(
        "confirm", lambda state: "send" if state["is_approved"] else "decline", ["send", "decline"]
    )
    builder.add_edge("send", END)
    builder.add_edge("decline", END)
    return builder.compile(name="outbox")
