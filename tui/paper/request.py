"""The request: one operation of a question, with everything an operator must know before a yes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from agent_lab_tui.graph.reading.ledger import UNDONE

from ..visible import visible, width
from .folds import folded
from .json_text import json_lines
from .rows import Row, foreign, foreign_lines, labelled, said
from .seen import Seen
from .standing import standing_rows
from .state import configuration
from .times import moment
from .values import named, one_line, rows_of

if TYPE_CHECKING:
    from agent_lab_tui.graph.questions import Choice, Operation, Question
    from agent_lab_tui.graph.reading.reader import Thread
    from agent_lab_tui.store.effects import Effect

COLUMN = 10
"""Cells of the column of labels and argument names, where no name needs more."""
WIDEST = 20


@dataclass(frozen=True, slots=True)
class Sends:
    """The exact answer that a yes would send for one question, or why there is none."""

    answer: Any = None
    """JSON-able."""
    is_known: bool = False
    refusal: str = ""
    """Why no answer can be made yet, in one sentence."""
    impact: tuple[str, ...] = ()
    """What the answer sets going, a sentence a line; raw foreign names in it."""
    warnings: tuple[str, ...] = ()
    """What is odd about the answer, a sentence a line; raw foreign names in it."""
    ledger: Mapping[str, Effect | None] = field(default_factory=dict)
    """By key, what the effects ledger knows; None: nothing yet. A key that is not in it: nobody can say."""


def ledger_words(effect: Effect | None) -> tuple[str, str]:
    """Say how an effect stands, and in which ink."""
    if effect is None:
        return "not done yet", ""
    if effect.state == "done":
        return f"done at {moment(effect.changed_at)}", "success"
    return UNDONE[effect.state], "warning"


@dataclass(frozen=True, slots=True)
class RequestSheet:
    """Writes one operation of a question."""

    thread: Thread
    question: Question
    operation: Operation
    sends: Sends = Sends()
    is_open: bool = True
    """It can be decided now: nobody decided it, and no answer is stored."""
    can_decide: bool = True
    chosen: Choice | None = None
    """What is chosen for it, not sent yet."""
    notice: str = ""
    """What must be known of how the request came here."""
    seen: Seen = field(default_factory=Seen)

    def rows(self, cells: int) -> Sequence[Row]:
        """Write everything: warnings, arguments, reason, impact, what is sent, whose thread it is."""
        column = self._column()
        rows: list[Row] = []
        for label, part in self._parts(column):
            rows += folded(part, label, cells, is_seen=label in self.seen.folds)
        return rows

    def part(self, fold: str) -> Sequence[Row]:
        """Return the whole of a part that may be folded."""
        return next((part for label, part in self._parts(self._column()) if label == fold), ())

    def _column(self) -> int:
        arguments = self.operation.arguments
        names = [
            visible(str(name))
            for name in (*(arguments if isinstance(arguments, dict) else ()), *self.operation.rest)
        ]
        longest = max((width(name) for name in names if width(name) < WIDEST - 1), default=0)
        return max(COLUMN, longest + 2)

    def _parts(self, column: int) -> Iterator[tuple[str, list[Row]]]:
        """Yield the parts of the request, each with the name it is folded under."""
        operation, thread = self.operation, self.thread
        if self.notice:
            yield "", [said(self.notice, "warning"), Row()]
        if not self.is_open:
            yield "", list(standing_rows(thread, can_decide=self.can_decide))
        if self.question.has_stored_answer:
            stored = foreign(one_line(self.question.stored_answer))
            yield "stored", list(labelled("Stored", [(("answered already: ", "warning"), *stored)], column))
        if thread.error:
            yield "error", [*labelled("Error", foreign_lines(thread.error, "error"), column), Row()]
        for warning in thread.warnings:
            yield "warning", list(labelled("Warning", [foreign(warning, "warning")], column, "warning"))
        if thread.warnings:
            yield "", [Row()]
        yield from self._arguments(column)
        yield "", [Row()]
        yield "reason", list(labelled("Reason", self._reason(), column))
        yield "impact", list(labelled("Impact", self._impact(), column))
        yield "sends", list(labelled("Sends", self._sends(), column))
        yield "thread", list(labelled("Thread", self._thread(), column))
        if thread.config:
            yield "config", list(labelled("Runs with", [foreign(configuration(thread.config))], column))
        if operation.rest:
            yield "", [Row(), said("Also in the question", "label")]
        for name, value in operation.rest.items():
            yield f"more {name}", named([(str(name), value)], column=column)

    def _arguments(self, column: int) -> Iterator[tuple[str, list[Row]]]:
        arguments = self.operation.arguments
        if isinstance(arguments, dict) and arguments:
            for name, value in arguments.items():
                rows = named([(str(name), value)], column=column)
                if str(name) in self.operation.locked:
                    rows[0] = Row((*rows[0].body, ("  locked", "faint")), rows[0].head, rows[0].indent)
                yield f"argument {name}", rows
        elif arguments in (None, {}, []):
            yield "arguments", [said("no arguments", "dim")]
        else:
            yield "arguments", rows_of(arguments)

    def _reason(self) -> Iterator[Sequence[tuple[str, str]]]:
        if self.operation.reason is None:
            yield (("no reason was given", "warning"),)
            return
        yield from foreign_lines(self.operation.reason)
        if self.operation.reason_source == "message":
            yield (("from the message that made the call", "faint"),)

    def _impact(self) -> Iterator[Sequence[tuple[str, str]]]:
        if self.operation.impact is None:
            yield (("not stated", "warning"),)
        else:
            yield from foreign_lines(self.operation.impact)
            if self.operation.impact_source == "rule":
                yield (("by a rule of agent-lab.toml", "faint"),)
        if self.operation.rule_impact is not None:
            yield (("and by a rule of agent-lab.toml:", "faint"),)
            yield from foreign_lines(self.operation.rule_impact)
        for line in self.sends.impact:
            yield foreign(line)
        if key := self.operation.key:
            yield self._ledger(key)

    def _ledger(self, key: str) -> Sequence[tuple[str, str]]:
        if key not in self.sends.ledger:
            return (("Key ", "label"), *foreign(key))
        words, ink = ledger_words(self.sends.ledger[key])
        return (("Ledger: ", "label"), *foreign(key), (f" {words}", ink))

    def _sends(self) -> Iterator[Sequence[tuple[str, str]]]:
        if self.chosen is not None:
            yield (
                ("chosen, not sent yet: ", "accent"),
                (self.chosen.kind, "strong"),
                ("   Backspace takes it back", "dim"),
            )
        if self.sends.is_known:
            yield from (foreign(line) for line in json_lines(self.sends.answer))
        else:
            yield (*foreign(self.sends.refusal or "nothing yet", "warning"),)
        yield from (foreign(odd, "warning") for odd in self.sends.warnings)
        yield foreign(self.question.why, "faint")

    def _thread(self) -> Iterator[Sequence[tuple[str, str]]]:
        path = " › ".join(self.question.path or (self.question.node,))
        yield (*foreign(self.thread.thread_id), (" · asked by ", "label"), *foreign(path))
