"""A task of the lab, its truths side by side: row, checkpoint, steps, ledger, files; what disagrees first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..visible import cut_middle, fit, visible, width
from .folds import folded
from .rows import Piece, Row, foreign, labelled, said
from .times import clock, moment
from .values import named

if TYPE_CHECKING:
    from agent_lab_tui.graph.lab.registry import Finding
    from agent_lab_tui.graph.lab.standing import Standing

COLUMN = 12
REMEDY = 10
WIDEST_KEY = 22
WIDEST_NAME = 16
SIGNS: dict[str, Piece] = {
    "completed": ("✓", "success"),
    "done": ("✓", "success"),
    "rebuilt": ("✓", "success"),
    "failed": ("✖", "error"),
    "waiting_confirmation": ("●", "warning"),
    "running": ("▶", "accent"),
    "started": ("?", "warning"),
    "unknown": ("?", "warning"),
    "begun, no outcome kept": ("?", "warning"),
}
"""The sign of a step's or an effect's state; a dot for what is only still to come."""
STATES = {"started": "started, end unknown", "unknown": "end unknown", "failed": "failed, not done"}
"""The states of the ledger that need more than their own word."""
_SHOWN = ("budget", "plan", "repeats", "checkpoint_id", "current_step", "max_steps")


@dataclass(frozen=True, slots=True)
class LabSheet:
    """Writes how a task stands; what disagrees comes first."""

    standing: Standing

    def rows(self, cells: int) -> Sequence[Row]:
        """Write every part, long ones by their beginning."""
        rows: list[Row] = []
        for title, part in self._parts():
            if title:
                rows += [Row(), said(title, "label")]
            rows += folded(part, title, cells, is_seen=False)
            if rows[-1].fold:
                rows[-1] = replace(rows[-1], indent=2)
        return rows

    def part(self, fold: str) -> Sequence[Row]:
        """Return the whole of a part that may be folded."""
        return next((part for title, part in self._parts() if title == fold), ())

    def _parts(self) -> Iterator[tuple[str, list[Row]]]:
        yield "", list(_agreement(self.standing))
        yield "", [Row(), *_row(self.standing), *_checkpoint(self.standing)]
        for title, part in (
            ("Budget", list(_budget(self.standing))),
            ("Plan", list(_plan(self.standing))),
            ("Steps", _steps(self.standing)),
            ("Ledger", _ledger(self.standing)),
            ("Files", list(_files(self.standing))),
            ("Proofs of completion", list(_proofs(self.standing))),
            ("Also kept", _more(self.standing)),
        ):
            if part:
                yield title, part


@dataclass(frozen=True, slots=True)
class FindingSheet:
    """Writes one disagreement."""

    finding: Finding

    def rows(self, cells: int) -> Sequence[Row]:  # noqa: ARG002 - wraps later
        """Write whose it is, what disagrees, and the way on."""
        return [Row(foreign(self.finding.task_id, "strong")), *finding_rows(self.finding)]

    def part(self, fold: str) -> Sequence[Row]:  # noqa: ARG002 - the sheet's fold
        """Return nothing: no part is folded."""
        return ()


def finding_rows(finding: Finding) -> Iterator[Row]:
    """Write what disagrees, by which evidence, and what puts it right."""
    yield Row(foreign(finding.finding, "error"), (("✖", "error"),), 2)
    for label, text, ink in (
        ("  seen", finding.evidence, ""),
        ("  remedy", finding.remedy, ""),
        ("", finding.way, "accent"),
    ):
        yield Row(foreign(text, ink), ((label, "label"),), REMEDY)


def _agreement(standing: Standing) -> Iterator[Row]:
    """Write what disagrees, by which evidence, and the one way to put it right."""
    for finding in standing.findings:
        yield from finding_rows(finding)
    if not standing.findings:
        yield Row((("Row, checkpoint, ledger and files agree.", "dim"),), (("✓", "success"),), 2)


def _row(standing: Standing) -> Iterator[Row]:
    status = standing.status
    yield from labelled("Task", [(*foreign(status.task_id, "strong"), (f"  {status.agent}", "dim"))], COLUMN)
    step = _of(status.more)
    lines: list[Sequence[Piece]] = [(*foreign(status.status), *(((f" · {step}", ""),) if step else ()))]
    if status.updated_at:
        lines.append(((f"changed {moment(status.updated_at)}", "dim"),))
    if status.created_at:
        lines.append(((f"made    {moment(status.created_at)}", "dim"),))
    if status.error:
        lines.append(foreign(status.error, "error"))
    yield from labelled("Row", lines, COLUMN)


def _of(more: Any) -> str:
    if "current_step" not in more:
        return ""
    return f"step {more['current_step']} of {more['max_steps']}"


def _checkpoint(standing: Standing) -> Iterator[Row]:
    head = standing.head
    if head is None or standing.situation is None:
        yield from labelled("Checkpoint", [(("none: the database has no such thread", "warning"),)], COLUMN)
        return
    at = f" · step {head.step}" if head.step is not None else ""
    before = foreign(f" · before {', '.join(dict.fromkeys(head.next))}") if head.next else ()
    lines: list[Sequence[Piece]] = [((f"{standing.situation}{at}", ""), *before)]
    if head.asks:
        lines.append((("asks ", "dim"), *foreign(", ".join(head.asks))))
    if head.error:
        lines.append(foreign(head.error, "error"))
    yield from labelled("Checkpoint", lines, COLUMN)


def _budget(standing: Standing) -> Iterator[Row]:
    for used in standing.status.more.get("budget", {}).values():
        yield Row(foreign(used), (("·", "dim"),), 2)
    keys = [step["idempotency_key"] for step in standing.status.steps]
    if "budget" in standing.status.more and keys:
        words = f"{len(set(keys))} tool calls, {len(keys)} executions"
        yield Row(((words, ""),), (("·", "dim"),), 2)


def _plan(standing: Standing) -> Iterator[Row]:
    for line in standing.status.more.get("plan", ()):
        is_done = line.startswith("[x] ")
        sign: Piece = ("✓", "success") if is_done else ("·", "dim")
        yield Row(foreign(line.removeprefix("[x] ").removeprefix("[ ] ")), (sign,), 2)


def _steps(standing: Standing) -> list[Row]:
    status = standing.status
    steps = [
        (
            step["idempotency_key"],
            step["tool_name"],
            step["status"],
            "waiting" if step["status"] == "waiting_confirmation" else step["status"],
            clock(step["finished_at"] or step["started_at"], status.updated_at),
        )
        for step in status.steps
    ]
    return _table(status.task_id, steps)


def _ledger(standing: Standing) -> list[Row]:
    status = standing.status
    done = [
        (
            effect["key"],
            effect["operation"],
            effect["state"],
            f"{STATES.get(effect['state'], effect['state'])}, {_attempts(effect['attempt'])}",
            clock(effect["changed_at"], status.updated_at),
        )
        for effect in status.effects
    ]
    coming = [(key, operation, "", "not done yet", "") for key, operation in standing.not_done]
    return _table(status.task_id, [*done, *coming])


def _attempts(count: int) -> str:
    return "1 attempt" if count == 1 else f"{count} attempts"


def _table(task_id: str, lines: Iterable[tuple[str, str, str, str, str]]) -> list[Row]:
    """Write key, name, state and time in columns, without the task's id at the head of every key."""
    shown = [
        (visible(key.removeprefix(f"{task_id}:")), visible(name), state, words, when)
        for key, name, state, words, when in lines
    ]
    keys = min(WIDEST_KEY, max((width(key) for key, *_ in shown), default=0))
    names = min(WIDEST_NAME, max((width(name) for _, name, *_ in shown), default=0))
    return [
        Row(
            body=(*foreign(words), (f"  {when}" if when else "", "dim")),
            head=(
                SIGNS.get(state, ("·", "dim")),
                (f" {fit(cut_middle(key, keys), keys)}  ", "key"),
                (fit(name, names), ""),
            ),
            indent=keys + names + 6,
        )
        for key, name, state, words, when in shown
    ]


def _files(standing: Standing) -> Iterator[Row]:
    for file in standing.files:
        if file.size is None:
            yield Row((*foreign(file.name), ("  MISSING", "error")), (("✖", "error"),), 2)
        else:
            yield Row((*foreign(file.name), (f"  {file.size:,} bytes", "dim")), (("✓", "success"),), 2)


def _proofs(standing: Standing) -> Iterator[Row]:
    for check in standing.checks:
        sign: Piece = ("✓", "success") if check.is_ok else ("·", "dim")
        if not check.is_ok and not standing.is_waiting:
            sign = ("✖", "error")
        yield Row((*foreign(check.name), (": ", "dim"), *foreign(check.evidence, "dim")), (sign,), 2)


def _more(standing: Standing) -> list[Row]:
    status = standing.status
    kept = [(str(name), value) for name, value in status.more.items() if name not in _SHOWN and value]
    if status.result is not None:
        kept.append(("result", status.result))
    return named(kept, column=COLUMN)
