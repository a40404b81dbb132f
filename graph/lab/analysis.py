"""The analysis agent: reads a brief, asks, and writes a report once.

Preparing, asking and acting are nodes of their own, because the asking node runs again from its top for
every answer. Each node writes down what it begins; what came of a step is written by the node after it, when
the checkpoint between the two is safe, so the rows never claim more than the thread remembers.
"""

from __future__ import annotations

from functools import partial
from pathlib import PurePosixPath
from typing import Any, TypedDict

from langgraph.errors import GraphInterrupt
from langgraph.graph import END, START, StateGraph
from langgraph.pregel import Pregel

from agent_lab_tui.store.effects import Conflict
from agent_lab_tui.store.lab.tasks import Tasks, key_of

from .. import gate
from . import analysis_rules as rules
from . import crash
from .analysis_agent import CONFIRM, READ, WRITE
from .workspace import Workspace
from .writing import found_report, seen_report, write_report_files


class AnalysisState(TypedDict, total=False):
    """What the thread remembers."""

    task_id: str
    task_input: str
    brief: str
    """The file with the feedback, from the lab's folder."""
    source_text: str
    title: str
    points: list[str]
    explained: list[str]
    """What the operator asked instead of deciding, in order."""
    decision: str
    """approve, edit, reject or explain; the way goes by it."""
    arguments: dict[str, Any]
    """What may be written: as asked for, or as edited."""
    resume_note: str
    """What the operator said, in words."""
    report_path: str


class Analysis:
    """The nodes, bound to one folder of the lab."""

    def __init__(self, lab: Workspace) -> None:
        self.lab = lab
        self.tasks = Tasks(lab.database)

    def read(self, state: AnalysisState) -> AnalysisState:
        """Read the brief."""
        task_id, brief = state["task_id"], state["brief"]
        self.tasks.begin_step(task_id, READ, "read_and_extract", {"input": brief})
        crash.point("read")
        try:
            text = (self.lab.root / brief).read_text("utf-8")
        except OSError as error:
            self.tasks.fail_step(task_id, READ, f"input missing: {brief}")
            raise FileNotFoundError(f"{brief} is gone: put it back and go on") from error
        return {"source_text": text}

    def extract(self, state: AnalysisState) -> AnalysisState:
        """Take the title and the points out of the brief."""
        points = rules.points_of(state["source_text"])
        crash.point("extract")
        if not points:
            sentence = f"no line of {state['brief']} starts with Feedback"
            self.tasks.fail_step(state["task_id"], READ, sentence)
            raise ValueError(f"{sentence}: mend it and replay the thread from its first step")
        return {"title": rules.title_of(state["source_text"]), "points": points}

    def confirm(self, state: AnalysisState) -> AnalysisState:
        """Ask whether the report may be written; everything before the question is harmless to repeat."""
        task_id, arguments = state["task_id"], self._asked(state)
        self.tasks.finish_step(task_id, READ, {"feedback_count": len(state["points"])})
        self.tasks.begin_step(
            task_id, CONFIRM, "confirm", {"asks": "write_report", **arguments}, is_waiting=True
        )
        crash.point("confirm")
        verdict = gate.ask(
            "write_report",
            arguments,
            reason=self._reason(state),
            impact="Writes 1 file. Adds 1 line to run.log. Reversible.",
            risk="medium",
            key=key_of(task_id, WRITE),
            schema=rules.SCHEMA,
            check=partial(rules.problem_of, PurePosixPath(arguments["file"]).parent),
        )
        crash.point("confirmed")
        if verdict.kind == "explain":
            return {"explained": [*state.get("explained", []), verdict.text], "decision": "explain"}
        note = f"{verdict.kind}: {verdict.text}" if verdict.text else verdict.kind
        return {"arguments": dict(verdict.arguments), "resume_note": note, "decision": verdict.kind}

    def write_report(self, state: AnalysisState) -> AnalysisState:
        """Write the report and the line in the log, once; completed only when the file is really there."""
        task_id, arguments = state["task_id"], state["arguments"]
        note = state.get("resume_note", "nobody was asked: the question was stepped over")
        self.tasks.finish_step(task_id, CONFIRM, {"resume_note": note, "arguments": arguments})
        self.tasks.begin_step(task_id, WRITE, "write_report", {"output": arguments["file"]})
        text = rules.report_text(task_id, arguments)
        try:
            gate.once(
                key_of(task_id, WRITE),
                "write_report",
                arguments,
                partial(write_report_files, self.lab, task_id, arguments["file"], text),
                partial(found_report, self.lab, task_id, arguments["file"], text),
                ledger=self.lab.ledger,
            )
            crash.point("report:before-status")
            seen_report(self.lab, arguments["file"])
        except GraphInterrupt:
            self.tasks.begin_step(task_id, WRITE, "write_report", {}, is_waiting=True)
            raise
        except (gate.NotDone, gate.Stopped, Conflict, OSError) as error:
            self.tasks.fail_step(task_id, WRITE, str(error))
            raise
        self.tasks.finish_step(task_id, WRITE, {"report_path": arguments["file"]})
        self.tasks.complete(task_id, rules.result_of(task_id, arguments))
        crash.point("report:after-status")
        return {"report_path": arguments["file"]}

    def decline(self, state: AnalysisState) -> AnalysisState:
        """Write down that the operator refused; nothing was written."""
        note = state.get("resume_note", "the question was stepped over")
        self.tasks.finish_step(state["task_id"], CONFIRM, {"resume_note": note})
        self.tasks.fail(state["task_id"], f"declined by the operator: {note}")
        return {}

    def _asked(self, state: AnalysisState) -> dict[str, Any]:
        file = self.lab.relative(self.lab.output(state["task_id"]) / "report.md")
        return {"file": file, "title": state["title"], "points": state["points"], "tone": "neutral"}

    def _reason(self, state: AnalysisState) -> str:
        counts = rules.summary_of(state["points"])
        reason = (
            f"The brief asks for a report on its {counts['feedback_count']} lines of simulated feedback:"
            f" {counts['concern_count']} problems, {counts['positive_count']} praise."
        )
        if questions := state.get("explained"):
            sources = " | ".join(state["points"])
            reason += f" You asked: {questions[-1]} The report says no more than these lines: {sources}"
        return reason


def build(lab: Workspace) -> Pregel[Any, Any, Any, Any]:
    """Return the graph, compiled without a saver."""
    nodes = Analysis(lab)
    builder = StateGraph(AnalysisState)
    builder.add_node("read", nodes.read)
    builder.add_node("extract", nodes.extract)
    builder.add_node("confirm", nodes.confirm)
    builder.add_node("write_report", nodes.write_report)
    builder.add_node("decline", nodes.decline)
    builder.add_edge(START, "read")
    builder.add_edge("read", "extract")
    builder.add_edge("extract", "confirm")
    builder.add_conditional_edges("confirm", _after_confirm, ["write_report", "decline", "confirm"])
    builder.add_edge("write_report", END)
    builder.add_edge("decline", END)
    return builder.compile(name="analysis")


def _after_confirm(state: AnalysisState) -> str:
    """Follow the decision; whatever is no yes leads past the writing."""
    ways = {"approve": "write_report", "edit": "write_report", "explain": "confirm"}
    return ways.get(state.get("decision", ""), "decline")
