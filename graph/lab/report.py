"""The report agent: drafts a report from business data, asks in its own words, and inserts one row.

It asks as most agents do who know nothing of this desk: a dict of its own, answered by `{"approved": true}`.
`agent-lab.toml` of the demo tells the desk how. Only the boolean true is a yes, and an answer that is
neither yes nor no is asked again rather than taken for a no.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Literal, TypedDict

from langgraph.errors import GraphInterrupt
from langgraph.graph import END, START, StateGraph
from langgraph.pregel import Pregel
from langgraph.types import interrupt

from agent_lab_tui.store.lab.reports import OtherContent, Reports, content_hash
from agent_lab_tui.store.lab.tasks import Tasks, key_of
from agent_lab_tui.store.tables import now

from .. import gate
from . import crash
from .failing import fails_step
from .report_agent import APPROVE, GENERATE, SUMMARISE, WRITE
from .workspace import Workspace, add_line


class ReportState(TypedDict, total=False):
    """What the thread remembers."""

    task_id: str
    operation_id: str
    """The key of the insert: made once, at the start, and the same for ever after."""
    topic: str
    report: str
    made_from: list[dict[str, Any]]
    """The versions of the rows that the draft was made from."""
    changed: list[str]
    """What moved under an earlier draft, when there was one."""
    asked: list[str]
    """What the operator asked instead of deciding."""
    turn: Literal["draft", "ask", "decide"]
    """Whether the draft has to be made again, the question asked again, or the answer followed."""
    approved: bool
    why: str
    write_status: str
    has_summary: bool
    summary_status: str


class ReportNodes:
    """The nodes, bound to one folder of the lab."""

    def __init__(self, lab: Workspace) -> None:
        self.lab = lab
        self.tasks = Tasks(lab.database)
        self.reports = Reports(lab.business)

    @fails_step(GENERATE)
    def generate_report(self, state: ReportState) -> ReportState:
        """Draft the report; this stands for a call to a model that costs money, and is counted."""
        task_id, topic = state["task_id"], state["topic"]
        self.tasks.begin_step(task_id, GENERATE, "generate_report", {"topic": topic})
        found = self.reports.topic(topic)
        if found is None:
            raise LookupError(
                f"the topic {topic} is gone from {self.lab.relative(self.lab.business)}; put it back"
            )
        folder = self.lab.relative(self.lab.output(task_id))
        add_line(self.lab.root / folder / "drafts.log", f"{now()} drafted {topic}, version {found.version}")
        draft = f"Report on {topic} (simulated data).\n{found.facts}\n"
        version = gate.row_version(
            self.lab.business.name, self.lab.business.parent, "topics", {"topic": topic}, "version"
        )
        crash.point("generated")
        return {"report": draft, "made_from": [version]}

    @fails_step(APPROVE)
    def request_approval(self, state: ReportState) -> ReportState:
        """Ask; a draft whose data has moved is made again first, whatever the answer to the old one was."""
        task_id = state["task_id"]
        self.tasks.finish_step(task_id, GENERATE, {"report": state["report"]})
        moved = gate.moved(state["made_from"], self.lab.business.parent)
        if moved:
            changed = [*(str(one) for one in moved), f"The draft before was: {state['report']}"]
            return {"changed": changed, "turn": "draft"}
        arguments = {"operation_id": state["operation_id"]}
        self.tasks.begin_step(task_id, APPROVE, "request_approval", arguments, is_waiting=True)
        crash.point("confirm")
        payload = self._payload(state)
        while (problem := _problem(answer := interrupt(payload))) is not None:
            payload = {**payload, "problem": problem}
        crash.point("confirmed")
        if "explain" in answer:
            return {"asked": [*state.get("asked", []), answer["explain"]], "turn": "ask"}
        return {
            "approved": answer["approved"],
            "why": str(answer.get("why", "")),
            "topic": answer.get("topic", state["topic"]),
            "report": answer.get("preview", state["report"]),
            "turn": "decide",
        }

    @fails_step(WRITE)
    def write_report(self, state: ReportState) -> ReportState:
        """Insert the report under its operation id, once."""
        task_id = state["task_id"]
        self._confirmed(state)
        self.tasks.begin_step(task_id, WRITE, "write_report", {"operation_id": state["operation_id"]})
        status = self._insert(task_id, WRITE, state["operation_id"], state["topic"], state["report"])
        self.tasks.finish_step(task_id, WRITE, {"write_status": status})
        if not state.get("has_summary"):
            self._complete(state, {"write_status": status})
        return {"write_status": status}

    @fails_step(SUMMARISE)
    def write_summary(self, state: ReportState) -> ReportState:
        """Insert a second row: another operation, so another key."""
        task_id, key = state["task_id"], key_of(state["task_id"], SUMMARISE)
        self.tasks.begin_step(task_id, SUMMARISE, "write_summary", {"operation_id": key})
        first = state["report"].strip().splitlines()[0]
        status = self._insert(task_id, SUMMARISE, key, f"{state['topic']} (summary)", first)
        self.tasks.finish_step(task_id, SUMMARISE, {"write_status": status})
        self._complete(state, {"write_status": state["write_status"], "summary_status": status})
        return {"summary_status": status}

    def decline(self, state: ReportState) -> ReportState:
        """Write down that the operator refused; draft and question stay in the thread's past."""
        self._confirmed(state)
        self.tasks.fail(
            state["task_id"], f"declined by the operator: {state.get('why') or 'no reason given'}"
        )
        return {}

    def _insert(self, task_id: str, step_no: int, key: str, topic: str, content: str) -> str:
        """Insert a row once; tell whether it was there before."""
        was_there = self.reports.find(key) is not None
        try:
            status = gate.once(
                key,
                "write_report",
                {"topic": topic, "content": content},
                partial(self._run, key, topic, content),
                partial(self._verify, key, topic, content),
                ledger=self.lab.ledger,
            )
            if self._verify(key, topic, content).state != "done":
                raise gate.NotDone(f"the ledger says that {key} was inserted, but the row is not there so")
        except GraphInterrupt:
            self.tasks.begin_step(task_id, step_no, "write_report", {}, is_waiting=True)
            raise
        crash.point("report:before-status")
        return "already_exists" if was_there else status

    def _run(self, key: str, topic: str, content: str) -> str:
        crash.point("report:before-commit")
        try:
            status = self.reports.insert(key, topic, content)
        except OtherContent as error:
            raise gate.NotDone(str(error)) from error
        crash.point("report:after-commit")
        return status

    def _verify(self, key: str, topic: str, content: str) -> gate.Evidence:
        found = self.reports.find(key)
        if found is None:
            return gate.not_done(f"no report under {key}")
        if found.content_hash != content_hash(topic, content):
            return gate.unknown(f"a report with other content stands under {key}")
        return gate.done("already_exists", f"the report stands under {key}")

    def _confirmed(self, state: ReportState) -> None:
        said = {"approved": state.get("approved"), "why": state.get("why", "")}
        self.tasks.finish_step(state["task_id"], APPROVE, said)

    def _complete(self, state: ReportState, statuses: Mapping[str, str]) -> None:
        result = {"task_id": state["task_id"], "operation_id": state["operation_id"], **statuses}
        self.tasks.complete(state["task_id"], result)

    def _payload(self, state: ReportState) -> dict[str, Any]:
        rows = "2 rows" if state.get("has_summary") else "1 row"
        payload: dict[str, Any] = {
            "kind": "report_approval",
            "operation_id": state["operation_id"],
            "topic": state["topic"],
            "preview": state["report"],
            "question": "May this report be written into the business database?",
            "reason": "The draft is made from the facts of the topic as they are now; the data is simulated.",
            "impact": f"Inserts {rows} into reports of business.db.",
            "risk": "medium",
            "made_from": state["made_from"],
        }
        more = {"changed": state.get("changed"), "you_asked": state.get("asked")}
        return {**payload, **{name: value for name, value in more.items() if value}}


def _problem(answer: Any) -> str | None:
    """Say what keeps an answer from being a yes, a no or a question."""
    if not isinstance(answer, Mapping):
        return 'The answer must be an object such as {"approved": true}.'
    if isinstance(answer.get("explain"), str) and answer["explain"].strip():
        return None
    if not isinstance(answer.get("approved"), bool):
        return "`approved` must be true or false, and nothing that looks like it."
    texts = [answer[name] for name in ("topic", "preview") if name in answer]
    if not all(isinstance(text, str) and text.strip() for text in texts):
        return "`topic` and `preview` must be texts where they are given."
    return None


def build(lab: Workspace, approval_node: str = "request_approval") -> Pregel[Any, Any, Any, Any]:
    """Return the graph, compiled without a saver.

    Args:
        lab: The folder.
        approval_node: The name of the asking node, which a later version of an agent may change.
    """

    def after_approval(state: ReportState) -> str:
        turn = state.get("turn")
        if turn in ("draft", "ask"):
            return "generate_report" if turn == "draft" else approval_node
        return "write_report" if state.get("approved") is True else "decline"

    def after_report(state: ReportState) -> str:
        return "write_summary" if state.get("has_summary") else END

    nodes = ReportNodes(lab)
    builder = StateGraph(ReportState)
    builder.add_node("generate_report", nodes.generate_report)
    builder.add_node(approval_node, nodes.request_approval)
    builder.add_node("write_report", nodes.write_report)
    builder.add_node("write_summary", nodes.write_summary)
    builder.add_node("decline", nodes.decline)
    builder.add_edge(START, "generate_report")
    builder.add_edge("generate_report", approval_node)
    ways = ["generate_report", approval_node, "write_report", "decline"]
    builder.add_conditional_edges(approval_node, after_approval, ways)
    builder.add_conditional_edges("write_report", after_report, ["write_summary", END])
    builder.add_edge("write_summary", END)
    builder.add_edge("decline", END)
    return builder.compile(name="report")
