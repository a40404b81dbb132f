"""What the flags of `answer` say to which question."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from agent_lab_tui.graph.conventions.base import short
from agent_lab_tui.graph.deciding.checks import Stale, stands, still_waiting
from agent_lab_tui.graph.deciding.choices import choices_from_json, edited
from agent_lab_tui.graph.deciding.replies import written_edits
from agent_lab_tui.graph.questions import Choice, Operation, Question, Refused, Value

from ..options import fail
from ..typed_json import NotJson, parse
from ..visible import visible

if TYPE_CHECKING:
    from agent_lab_tui.graph.reading.reader import Thread

FLAGS = ("approve", "reject", "edit", "respond", "explain", "value", "choices", "answers")
"""Exactly one of them says what is decided."""

_ANSWER = '{"choices": […]} or {"value": …}'
_OWN_WAYS = ("plain", "response-schema")
"""Conventions in which only the author or the settings know what a yes looks like."""
_LINES = {
    "approve": "approve = { approved = true }",
    "reject": 'reject = { approved = false, why = "{reason}" }',
    "edit": 'edit = { approved = true, arguments = "{arguments}" }',
    "respond": 'respond = { message = "{message}" }',
    "explain": 'explain = { approved = false, why = "{message}" }',
}


@dataclass(frozen=True, slots=True)
class Said:
    """Choices and values by question id."""

    choices: Mapping[str, Sequence[Choice]] = field(default_factory=dict)
    values: Mapping[str, Value] = field(default_factory=dict)

    def pairs(self, thread: Thread) -> list[tuple[Operation, Choice | None]]:
        """Return every operation that is decided, with its choice; None where a value was typed.

        An edit in a typed value is one of its operation all the same.
        """
        found: list[tuple[Operation, Choice | None]] = []
        for question in thread.questions:
            if question.id in self.choices:
                found += zip(question.operations, self.choices[question.id], strict=False)
            elif question.id in self.values:
                found += [(operation, None) for operation in question.operations]
                for edit in written_edits(self.values[question.id]):
                    same = (one for one in question.operations if one.name == edit.name)
                    found += [(one, edit) for one in (*same, *question.operations)[:1]]
        return found


WasAsked = Callable[[str, str], bool]
"""Whether a thread has ever asked a question of an id."""


def said(thread: Thread, question_ids: Sequence[str], flag: str, text: Any, *, was_asked: WasAsked) -> Said:
    """Turn one flag and its text into choices or values; wrong usage ends the command.

    Raises:
        Refused: The text is not JSON, or an id is none of the thread's.
        Stale: A question is not waiting any more, or none is.
    """
    if flag == "answers":
        return _answers(thread, _json(text, flag), was_asked)
    questions = _named(thread, question_ids, was_asked)
    if flag == "value":
        value = _json(text, flag)
        return Said(values={question.id: value for question in questions})
    return Said(choices={question.id: _choices(thread, question, flag, text) for question in questions})


def _named(thread: Thread, question_ids: Sequence[str], was_asked: WasAsked) -> tuple[Question, ...]:
    """Return the questions named, or the only one; several and none named end the command."""
    by_id = {question.id: question for question in thread.questions}
    for missing in (one for one in question_ids if one not in by_id):
        if not was_asked(thread.thread_id, missing):
            raise Refused(
                f"{thread.thread_id} has asked no question {short(missing)}:"
                f" `agent-lab-tui show {thread.thread_id}` has the ids of those that wait."
            )
        still_waiting(thread, missing)
    if question_ids:
        return tuple(by_id[one] for one in dict.fromkeys(question_ids))
    if not by_id:
        raise Stale(f"Nothing is asked by {thread.thread_id}: {stands(thread)}.")
    if len(by_id) > 1:
        lines = "\n".join(f"  --question {one}   {_asks(question)}" for one, question in by_id.items())
        fail(f"{len(by_id)} questions are waiting; name the one you mean:\n{lines}")
    return tuple(by_id.values())


def _choices(thread: Thread, question: Question, flag: str, text: Any) -> tuple[Choice, ...]:
    if flag == "choices":
        try:
            return choices_from_json(_json(text, flag), question.operations)
        except ValueError as error:
            raise Refused(str(error)) from error
    _refuse_unknown_form(thread, question, flag)
    if flag == "edit":
        if len(question.operations) != 1:
            fail(
                f"The question holds {len(question.operations)} operations: say with --choices which one"
                " is edited, and how."
            )
        return (edited(_json(text, flag), question.operations[0]),)
    if flag == "approve":
        return tuple(Choice("approve") for _ in question.operations)
    return tuple(Choice(flag, text=text) for _ in question.operations)  # type: ignore[arg-type]


def _answers(thread: Thread, given: Any, was_asked: WasAsked) -> Said:
    """Read what `--answers` says: choices or a value by question id."""
    if not isinstance(given, dict) or not given:
        raise Refused(f"--answers takes an object of question ids, each with {_ANSWER}.")
    choices, values = {}, {}
    for question in _named(thread, tuple(given), was_asked):
        reply = given[question.id]
        if isinstance(reply, dict) and set(reply) == {"value"}:
            values[question.id] = reply["value"]
        elif isinstance(reply, dict) and set(reply) == {"choices"}:
            choices[question.id] = _choices(thread, question, "choices", reply["choices"])
        else:
            raise Refused(f"The answer to {question.id} must be {_ANSWER}.")
    return Said(choices, values)


def _refuse_unknown_form(thread: Thread, question: Question, flag: str) -> None:
    """End the command where a node asks in its own way and nobody has said what such an answer looks like."""
    is_known = all(flag in operation.allowed for operation in question.operations)
    if is_known or question.convention not in _OWN_WAYS:
        return
    key = json.dumps(f"{thread.graph or '*'}:{question.node}", ensure_ascii=False)
    fail(
        f"What --{flag} should send to {visible(question.node)} is not known. Send the exact answer with"
        " --value JSON, or add to agent-lab.toml what this node reads, such as:\n\n"
        f"[answers.{visible(key)}]\n{_LINES[flag]}"
    )


def _asks(question: Question) -> str:
    return visible(", ".join(operation.name for operation in question.operations) or question.node)


def _json(text: Any, flag: str) -> Any:
    """Read a flag's JSON; text that is none is refused, with the way to write it."""
    try:
        return parse(text) if isinstance(text, str) else text
    except NotJson as error:
        hint = f"; a text is written as --{flag} {shlex.quote(json.dumps(text, ensure_ascii=False))}"
        is_text = flag == "value" and text.lstrip()[:1] not in ("{", "[")
        wrong = f"--{flag} is not JSON ({str(error).rstrip('.')}){hint if is_text else ''}."
        raise Refused(wrong) from error
