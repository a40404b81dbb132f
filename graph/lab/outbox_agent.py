"""What the lab knows of the outbox agent: how a mail begins, how it stands, what does not agree."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from agent_lab_tui.store.lab.mailbox import Kind
from agent_lab_tui.store.lab.outbox import Outbox
from agent_lab_tui.store.lab.tasks import Tasks, key_of

from . import records
from .judging import Artefact
from .records import AgentWithRows
from .registry import Beginning, Check, Finding, LabUsage, Start, refuse_unknown
from .workspace import Workspace, checked_line

if TYPE_CHECKING:
    from langgraph.pregel import Pregel

MAX_STEPS = 8
WRITE, CONFIRM, SEND = 1, 2, 3
"""The steps as `task_steps` numbers them."""

_DEFAULTS = {
    "kind": Kind.KEYED.value,
    "to": "boss@example.com",
    "subject": "Nightly build",
    "body": "All parts are built.",
}


class OutboxAgent(AgentWithRows):
    """Writes a mail, asks, sends it once."""

    name = "outbox"
    about = "writes a mail, asks, and sends it once through a simulated service"
    settings: Mapping[str, str] = {
        "kind": f"of service: {', '.join(Kind)}",
        "to": "the recipient",
        "subject": "of the mail",
        "body": "its text",
    }
    does_resume_approve = False

    def build(self, lab: Workspace) -> Pregel[Any, Any, Any, Any]:
        """Return the graph without a saver."""
        from .outbox import build

        return build(lab)

    def begin(self, lab: Workspace, start: Start) -> Beginning:
        """Make the row of a new task."""
        refuse_unknown(self, start)
        wanted = {**_DEFAULTS, **start.options}
        if wanted["kind"] not in list(Kind):
            raise LabUsage(f"There is no service of the kind {wanted['kind']!r}, only {', '.join(Kind)}.")
        for header in ("to", "subject"):
            checked_line(header, wanted[header])
        records.create(lab, self.name, start, json.dumps(wanted, ensure_ascii=False), MAX_STEPS)
        return self.again(lab, start.task_id)

    def again(self, lab: Workspace, task_id: str) -> Beginning:
        """Return the same input again."""
        wanted = json.loads(records.task(lab, task_id).task_input)
        kind = wanted.pop("kind")
        return Beginning({"task_id": task_id, "kind": kind, "mail": wanted})

    def proofs(self, lab: Workspace, task_id: str) -> tuple[Check, ...]:
        """Return whether the mail is out."""
        return (_sent(lab, task_id),)

    def more(self, lab: Workspace, task_id: str) -> Mapping[str, Any]:
        """Return the row in the outbox."""
        return {"outbox": _row_view(lab, task_id)}

    def findings(self, lab: Workspace, task_id: str, situation: str | None) -> Sequence[Finding]:
        """Return what does not agree between row, thread and outbox."""
        sent = _sent(lab, task_id)
        artefact: Artefact = "whole" if sent.is_ok else "none"
        return records.findings(records.task(lab, task_id), situation, artefact, sent.evidence)

    def record_completion(self, lab: Workspace, task_id: str) -> None:
        """Complete the row of a task whose mail is out."""
        tasks, delivery = Tasks(lab.database), "already_sent: the outbox says so"
        tasks.finish_step(task_id, SEND, {"delivery": delivery})
        tasks.complete(task_id, {"task_id": task_id, "delivery": delivery})

    def before_resume(self, lab: Workspace, task_id: str) -> Sequence[Check]:
        """Check the budget and the ledger."""
        return records.before_resume(lab, task_id, SEND)


def _sent(lab: Workspace, task_id: str) -> Check:
    row = Outbox(lab.database).row(key_of(task_id, SEND))
    if row is None:
        return Check("mail sent", False, "nothing in the outbox")
    doubt = ", it may have gone" if row.status == "pending" and row.may_have_gone else ""
    return Check("mail sent", row.status == "sent", f"{row.key} to {row.mail.recipient}: {row.status}{doubt}")


def _row_view(lab: Workspace, task_id: str) -> Mapping[str, Any] | None:
    row = Outbox(lab.database).row(key_of(task_id, SEND))
    if row is None:
        return None
    return {
        "key": row.key,
        "to": row.mail.recipient,
        "status": row.status,
        "attempts": row.attempts,
        "may_have_gone": row.may_have_gone,
        "mail_id": row.mail_id,
        "error": row.error,
    }


AGENT = OutboxAgent()
