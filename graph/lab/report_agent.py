"""What the lab knows of the report agent: how a task begins, how it stands, what does not agree."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from agent_lab_tui.store.effects import Effects
from agent_lab_tui.store.lab.reports import Reports
from agent_lab_tui.store.lab.tasks import Tasks, key_of

from . import records
from .judging import Artefact
from .records import AgentWithRows
from .registry import Beginning, Check, Finding, Start, refuse_unknown
from .workspace import Workspace, checked_line

if TYPE_CHECKING:
    from langgraph.pregel import Pregel

MAX_STEPS = 8
GENERATE, APPROVE, WRITE, SUMMARISE = 1, 2, 3, 4
"""The steps as `task_steps` numbers them."""

TOPIC = "queues at peak hours"
FACTS = "Customers wait 12 minutes on Saturdays at noon and 3 minutes at other times."
"""The facts of every topic that the business database does not know yet; simulated."""


class ReportAgent(AgentWithRows):
    """Drafts a report, asks, inserts one row."""

    name = "report"
    about = "drafts a report, asks in words of its own, and inserts one row"
    settings: Mapping[str, str] = {
        "topic": "what it is about",
        "summary": "yes: a second insert, with a question of its own",
        "user": "for whom it runs",
    }
    does_resume_approve = False

    def build(self, lab: Workspace) -> Pregel[Any, Any, Any, Any]:
        """Return the graph without a saver."""
        from .report import build

        return build(lab)

    def begin(self, lab: Workspace, start: Start) -> Beginning:
        """Make the row of a new task, and the topic where the business database does not know it."""
        refuse_unknown(self, start)
        wanted = {"topic": TOPIC, **start.options}
        checked_line("topic", wanted["topic"])
        records.create(lab, self.name, start, json.dumps(wanted, ensure_ascii=False), MAX_STEPS)
        reports = Reports(lab.business)
        if reports.topic(wanted["topic"]) is None:
            reports.put_topic(wanted["topic"], FACTS)
        return _beginning(start.task_id, wanted)

    def again(self, lab: Workspace, task_id: str) -> Beginning:
        """Return the same input again, with the same operation id."""
        return _beginning(task_id, _wanted(lab, task_id))

    def proofs(self, lab: Workspace, task_id: str) -> tuple[Check, ...]:
        """Return the proof of each insert; every one has a key of its own."""
        report = _inserted(lab, "report inserted", key_of(task_id, WRITE))
        if not _has_summary(_wanted(lab, task_id)):
            return (report,)
        return report, _inserted(lab, "summary inserted", key_of(task_id, SUMMARISE))

    def more(self, lab: Workspace, task_id: str) -> Mapping[str, Any]:  # noqa: ARG002 - the key follows from the id
        """Return the operation's id."""
        return {"operation_id": key_of(task_id, WRITE)}

    def findings(self, lab: Workspace, task_id: str, situation: str | None) -> Sequence[Finding]:
        """Return what does not agree between row, thread and business database."""
        evidence = "; ".join(check.evidence for check in self.proofs(lab, task_id))
        return records.findings(records.task(lab, task_id), situation, _artefact(lab, task_id), evidence)

    def record_completion(self, lab: Workspace, task_id: str) -> None:
        """Complete the row of a task whose report stands in the business database."""
        key, tasks = key_of(task_id, WRITE), Tasks(lab.database)
        tasks.finish_step(task_id, WRITE, {"write_status": "already_exists"})
        tasks.complete(task_id, {"task_id": task_id, "operation_id": key, "write_status": "already_exists"})

    def before_resume(self, lab: Workspace, task_id: str) -> Sequence[Check]:
        """Check the budget and the ledger."""
        needed = SUMMARISE if _has_summary(_wanted(lab, task_id)) else WRITE
        return records.before_resume(lab, task_id, needed)


def _wanted(lab: Workspace, task_id: str) -> Mapping[str, str]:
    wanted: Mapping[str, str] = json.loads(records.task(lab, task_id).task_input)
    return wanted


def _has_summary(wanted: Mapping[str, str]) -> bool:
    return wanted.get("summary") == "yes"


def _beginning(task_id: str, wanted: Mapping[str, str]) -> Beginning:
    """Return how the run starts; the user is a field of the thread, never its id."""
    state = {
        "task_id": task_id,
        "operation_id": key_of(task_id, WRITE),
        "topic": wanted["topic"],
        "has_summary": _has_summary(wanted),
    }
    return Beginning(state, configurable={"user_id": wanted["user"]} if "user" in wanted else {})


def _inserted(lab: Workspace, name: str, key: str) -> Check:
    report = Reports(lab.business).find(key)
    seen = f"no row under {key}" if report is None else f"{key}, sha256 {report.content_hash[:12]}"
    return Check(name, report is not None, seen)


def _artefact(lab: Workspace, task_id: str) -> Artefact:
    """Judge the rows by the ledger: it knows what was approved, and whether all of it was inserted."""
    key = key_of(task_id, WRITE)
    report, effect = Reports(lab.business).find(key), Effects(lab.ledger).find(key)
    if report is None:
        return "none"
    if effect is None or effect.state == "failed":
        return "other"
    summary = key_of(task_id, SUMMARISE)
    return (
        "none"
        if _has_summary(_wanted(lab, task_id)) and Reports(lab.business).find(summary) is None
        else "whole"
    )


AGENT = ReportAgent()
