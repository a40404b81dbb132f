"""What the lab knows of the analysis agent: how a task begins, how it stands, what does not agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from agent_lab_tui.store.lab.tasks import Task, Tasks

from . import records
from .analysis_rules import report_text, result_of
from .judging import Artefact
from .records import AgentWithRows
from .registry import Beginning, Check, Finding, LabRefused, LabUsage, Start, refuse_unknown
from .views import file_check
from .workspace import Workspace

if TYPE_CHECKING:
    from langgraph.pregel import Pregel

MAX_STEPS = 8
_WANTED = "Write a report on the feedback in "
READ, CONFIRM, WRITE = 1, 2, 3
"""The steps as `task_steps` numbers them."""


class AnalysisAgent(AgentWithRows):
    """Reads a brief, asks, writes a report."""

    name = "analysis"
    about = "reads a brief, asks, and writes a report"
    settings: Mapping[str, str] = {"brief": "what it reads: a file under data/input"}
    does_resume_approve = True

    def build(self, lab: Workspace) -> Pregel[Any, Any, Any, Any]:
        """Return the graph without a saver."""
        from .analysis import build

        return build(lab)

    def begin(self, lab: Workspace, start: Start) -> Beginning:
        """Make the row of a new task."""
        refuse_unknown(self, start)
        brief = start.options.get("brief", lab.relative(lab.brief))
        if not (lab.root / brief).resolve().is_relative_to(lab.brief.parent):
            raise LabUsage(f"The input {brief!r} does not lie in {lab.relative(lab.brief.parent)}.")
        if not (lab.root / brief).is_file():
            raise LabRefused(f"The input {brief} is missing in {lab.root}: put it there, then start again.")
        records.create(lab, self.name, start, f"{_WANTED}{brief}", MAX_STEPS)
        return self.again(lab, start.task_id)

    def again(self, lab: Workspace, task_id: str) -> Beginning:
        """Return the same input again."""
        task_input = records.task(lab, task_id).task_input
        brief = task_input.removeprefix(_WANTED)
        return Beginning({"task_id": task_id, "task_input": task_input, "brief": brief})

    def proofs(self, lab: Workspace, task_id: str) -> tuple[Check, ...]:
        """Return whether the report is there."""
        return (file_check(lab, _report(lab, task_id)),)

    def expected(self, lab: Workspace, found: Task) -> tuple[str, ...]:
        """Return the report once a record says that it was written."""
        steps = Tasks(lab.database).steps(found.task_id)
        is_written = any(step.step_no == WRITE and step.status == "completed" for step in steps)
        return (_report(lab, found.task_id),) if is_written or found.status == "completed" else ()

    def findings(self, lab: Workspace, task_id: str, situation: str | None) -> Sequence[Finding]:
        """Return what does not agree between row, thread and report."""
        evidence = file_check(lab, _report(lab, task_id)).evidence
        return records.findings(records.task(lab, task_id), situation, _artefact(lab, task_id), evidence)

    def record_completion(self, lab: Workspace, task_id: str) -> None:
        """Complete the row of a task whose report is there as approved."""
        arguments = _approved(lab, task_id)
        if arguments is None:
            raise LabRefused(f"No report of {task_id} was approved, so there is nothing to complete.")
        tasks = Tasks(lab.database)
        tasks.finish_step(task_id, WRITE, {"report_path": arguments["file"]})
        tasks.complete(task_id, result_of(task_id, arguments))

    def before_resume(self, lab: Workspace, task_id: str) -> Sequence[Check]:
        """Check the budget and the ledger."""
        return records.before_resume(lab, task_id, WRITE)


def _approved(lab: Workspace, task_id: str) -> Mapping[str, Any] | None:
    """Return with which arguments the report was approved, None before it was."""
    for step in Tasks(lab.database).steps(task_id):
        if step.step_no == CONFIRM and step.status == "completed":
            arguments: Mapping[str, Any] | None = step.result.get("arguments")
            return arguments
    return None


def _report(lab: Workspace, task_id: str) -> str:
    approved = _approved(lab, task_id)
    return approved["file"] if approved else lab.relative(lab.output(task_id) / "report.md")


def _artefact(lab: Workspace, task_id: str) -> Artefact:
    path, approved = lab.root / _report(lab, task_id), _approved(lab, task_id)
    if not path.exists():
        return "none"
    is_whole = approved is not None and path.read_text("utf-8", "replace") == report_text(task_id, approved)
    return "whole" if is_whole else "other"


AGENT = AnalysisAgent()
