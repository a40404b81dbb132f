"""What the lab knows of the builder: how a run begins, how it stands, what does not agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agent_lab_tui.store.lab.runs import RunExists, RunRow, Runs

from ..judging import Artefact, judge
from ..registry import (
    Beginning,
    Check,
    Finding,
    LabRefused,
    LabUsage,
    NoSuchTask,
    Start,
    Status,
    refuse_unknown,
)
from ..views import effects_of, files_of
from ..workspace import Workspace, checked_id
from . import acceptance
from .budget import MAX_STEPS, recursion_limit
from .depot import PROJECTS, VARIABLES
from .folder import Folder
from .memory import Remembered, remembered
from .plan import FILE, plan_for
from .provider import failures_of, plan_failures
from .resume import checks
from .run import Run
from .view import budget_view, call_views

if TYPE_CHECKING:
    from langgraph.pregel import Pregel


class BuilderAgent:
    """Builds a package with a model and graded tools."""

    name = "builder"
    about = "builds a package step by step; asks before it pushes, sends or destroys"
    settings: Mapping[str, str] = {
        "project": f"what it builds: {', '.join(PROJECTS)}",
        "model": "scripted, scripted:NAME, or provider:model as LangChain names it",
        "fail": "steps at which the provider fails, such as 2:429,3:timeout",
        "max_tokens": "a budget",
        "max_seconds": "a budget",
    }
    does_resume_approve = False

    def build(self, lab: Workspace) -> Pregel[Any, Any, Any, Any]:
        """Return the graph without a saver."""
        from .graph import build

        return build(lab)

    def begin(self, lab: Workspace, start: Start) -> Beginning:
        """Make the run's row and its work folder."""
        from .models import model_of

        run_id = checked_id(start.task_id)
        refuse_unknown(self, start)
        options, failures = _options(start), failures_of(start.options.get("fail", ""))
        if start.thread_id != run_id:
            raise LabRefused("A run of the builder has one id: its thread is called as the run is.")
        if Folder.of(lab, run_id).is_there and Runs(lab.database).run(run_id) is None:
            raise LabRefused(f"The folder work/{run_id} is there already; name another run, or move it away.")
        model_of(options["model"], lab, run_id, options["project"])
        try:
            Runs(lab.database).create(run_id, options["project"], options)
        except RunExists as error:
            way_on = f"`agent-lab-tui lab resume {run_id}` carries it on"
            raise LabRefused(f"The run {run_id} exists already: {way_on}.") from error
        plan_failures(lab.root / "provider" / f"{run_id}.json", failures)
        return self.again(lab, run_id)

    def again(self, lab: Workspace, task_id: str) -> Beginning:
        """Return the input of a run by its row, and make its folder where it is missing."""
        row = _need(lab, task_id)
        Folder.of(lab, task_id).make()
        options = row.options
        run = Run(run_id=task_id, project=row.project, model=options["model"], variables=dict(VARIABLES))
        limits = {name: options[f"max_{name}"] for name in ("steps", "tokens", "seconds")}
        state = {"run": run, "limits": limits, "plan": plan_for(row.project), "status": "running"}
        return Beginning(state, recursion_limit=recursion_limit(options["max_steps"]))

    def tasks(self, lab: Workspace) -> Sequence[str]:
        """Return the ids of its runs."""
        return Runs(lab.database).ids()

    def task_on(self, lab: Workspace, thread_id: str) -> str | None:
        """Return the thread's id, where it is a run: the two are one."""
        return None if Runs(lab.database).run(thread_id) is None else thread_id

    def status(self, lab: Workspace, task_id: str) -> Status:
        """Return a run's row, calls, effects, files and budget."""
        row, found = _need(lab, task_id), remembered(lab, task_id)
        return Status(
            task_id=task_id,
            thread_id=task_id,
            agent=self.name,
            status=row.status,
            checks=(_accepted(lab, row), Check("run completed", row.status == "completed", _stands(row))),
            steps=call_views(Runs(lab.database).calls(task_id), found),
            effects=effects_of(lab, task_id),
            files=files_of(lab, Folder.of(lab, task_id).root),
            result=row.result,
            error=row.error,
            created_at=row.created_at,
            updated_at=row.updated_at,
            expected=_expected(lab, task_id, found),
            more=budget_view(lab, task_id, found),
        )

    def folder(self, lab: Workspace, task_id: str) -> Path:
        """Return the work folder of a run."""
        return Folder.of(lab, task_id).root

    def findings(self, lab: Workspace, task_id: str, situation: str | None) -> Sequence[Finding]:
        """Return what does not agree between row, thread and package."""
        row, accepted = _need(lab, task_id), _accepted(lab, _need(lab, task_id))
        is_over = row.status == "completed" or situation in ("done", "quiet")
        artefact: Artefact = "whole" if accepted.is_ok and is_over else "none"
        status = "failed" if row.status == "budget_exceeded" else row.status
        judged = judge(status, situation, artefact)
        if judged is None:
            return ()
        seen = f"row: {row.status}; thread: {situation or 'none'}; {accepted.evidence}"
        return (Finding(task_id, task_id, judged[0], seen, judged[1]),)

    def record_completion(self, lab: Workspace, task_id: str) -> None:
        """Complete the row of a run whose package was found whole."""
        found = acceptance.judge(Folder.of(lab, task_id), _run_of(_need(lab, task_id)))
        if not found.is_accepted:
            raise LabRefused(f"The package of {task_id} is not accepted: {'; '.join(found.problems)}.")
        result = {"file": found.file, "sha256": found.digest}
        Runs(lab.database).change(task_id, "completed", result=result)

    def forget(self, lab: Workspace, task_id: str) -> None:
        """Delete the rows of a run and of its calls."""
        Runs(lab.database).forget(task_id)

    def before_resume(self, lab: Workspace, task_id: str) -> Sequence[Check]:
        """Check checkpoint, environment, pending effects, budget and variables, in this order."""
        return tuple(checks(lab, task_id))


def _options(start: Start) -> dict[str, Any]:
    project = start.options.get("project", "re2")
    if project not in PROJECTS:
        raise LabUsage(f"There is no project {project!r}; there are {', '.join(PROJECTS)}.")
    return {
        "project": project,
        "model": start.options.get("model", "scripted"),
        "max_steps": start.max_steps or MAX_STEPS,
        "max_tokens": _number(start.options, "max_tokens"),
        "max_seconds": _number(start.options, "max_seconds"),
    }


def _number(options: Mapping[str, str], name: str) -> int | None:
    text = options.get(name)
    if text is None:
        return None
    if not text.isdigit():
        raise LabUsage(f"{name} takes a whole number, not {text!r}.")
    return int(text)


def _need(lab: Workspace, run_id: str) -> RunRow:
    row = Runs(lab.database).run(run_id)
    if row is None:
        raise NoSuchTask(f"There is no run {run_id} in {lab.root}.")
    return row


def _run_of(row: RunRow) -> Run:
    return Run(run_id=row.run_id, project=row.project, model=row.options["model"], variables=dict(VARIABLES))


def _accepted(lab: Workspace, row: RunRow) -> Check:
    found = acceptance.judge(Folder.of(lab, row.run_id), _run_of(row))
    evidence = "; ".join(found.problems) or f"{found.file}, sha256 {(found.digest or '')[:12]}"
    return Check("package accepted", found.is_accepted, evidence)


def _expected(lab: Workspace, run_id: str, found: Remembered | None) -> tuple[str, ...]:
    """Return the plan once a step was taken, and the files that the run's checkpoint counts on."""
    if found is None or not found.spent.get("steps"):
        return ()
    folder = Folder.of(lab, run_id).root
    parts = (name for name, digest in sorted(found.parts.items()) if digest is not None)
    return tuple(lab.relative(folder / name) for name in (FILE, *parts))


def _stands(row: RunRow) -> str:
    return f"status is {row.status}{f', {row.error}' if row.error else ''}"


AGENT = BuilderAgent()
