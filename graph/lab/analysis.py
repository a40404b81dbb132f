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

from agent_lab_tui.store.lab.tasks import Tasks, key_of

from .. import gate
from . import analysis_rules as rules
from . import crash
from .analysis_agent import CONFIRM, READ, WRITE
from .failing import fails_step
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

    @fails_step(READ)
    def read(self, state: AnalysisState) -> AnalysisState:
        """Read the brief; one that cannot be used is mended in its file, and going on reads it again."""
        task_id, brief = state["task_id"], state["brief"]
        self.tasks.begin_step(task_id, READ, "read_and_extract", {"input": brief})
        crash.point("read")
        try:
            text = (self.lab.root / brief).read_text("utf-8")
        except FileNotFoundError as error:
            raise FileNotFoundError(f"input missing: {brief} is gone; put it back") from error
        except UnicodeDecodeError as error:
            raise ValueError(f"input unreadable: {brief} is no text in UTF-8") from error
        if not rules.points_of(text):
            raise ValueError(f"input without feedback: no line of {brief} starts with Feedback")
        return {"source_text": text}

    @fails_step(READ)
    def extract(self, state: AnalysisState) -> AnalysisState:
        """Take the title and the points out of the brief."""
        points = rules.points_of(state["source_text"])
        crash.point("extract")
        return {"title": rules.title_of(state["source_text"]), "points": points}

    @fails_step(CONFIRM)
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

    @fails_step(WRITE)
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
            f"The brief asks for a report on its {_lines(counts['feedback_count'])} of simulated feedback:"
            f" {_problems(counts['concern_count'])}, {counts['positive_count']} praise."
        )
        if questions := state.get("explained"):
            sources = " | ".join(state["points"])
            reason += f" You asked: {questions[-1]} The report says no more than these lines: {sources}"
        return reason


def _lines(count: int) -> str:
    return "1 line" if count == 1 else f"{count} lines"


def _problems(count: int) -> str:
    return "1 problem" if count == 1 else f"{count} problems"


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
