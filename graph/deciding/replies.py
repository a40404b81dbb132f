"""What is said to one question: the choices or the value, and the exact answer made of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agent_lab_tui.store.values import Ext, Json, Value, to_json

from ..conventions.base import AskContext
from ..conventions.plain import PLAIN
from ..conventions.registry import recognise
from ..questions import Choice, Operation, Question, Refused
from .choices import choice_to_json
from .said import is_said


@dataclass(frozen=True, slots=True)
class Reply:
    """One question and what will be sent to it."""

    question: Question
    answer: Value
    choices: tuple[Choice, ...] | None
    """None where the operator gave the value itself."""
    warnings: tuple[str, ...] = ()
    """What is odd about the answer, which may be sent all the same; raw foreign names in it."""

    @property
    def operations(self) -> tuple[str, ...]:
        """The names of what is decided about, also of what an edit turns it into."""
        edits = [choice.name for choice in self.choices or () if choice.name]
        asked = tuple(operation.name for operation in self.question.operations)
        written = (edit.name or "" for edit in written_edits(self.answer))
        return (*asked, *edits, *(name for name in written if name not in (*asked, *edits)))

    @property
    def approved(self) -> tuple[Operation, ...]:
        """What is let run, as it is or edited; everything where the operator gave the value itself."""
        if self.choices is None:
            return self.question.operations
        pairs = zip(self.choices, self.question.operations, strict=False)
        return tuple(operation for choice, operation in pairs if choice.kind in ("approve", "edit"))

    def said(self) -> Json:
        """Return what was chosen, as JSON."""
        if self.choices is None:
            return {"value": to_json(self.answer)}
        return [choice_to_json(choice) for choice in self.choices]

    def note(self) -> str:
        """Return the operator's words that the answer has no place for, one a line."""
        words = dict.fromkeys(choice.text.strip() for choice in self.choices or () if is_said(choice.text))
        return "\n".join(text for text in words if not _carries(self.answer, text))


def reply(question: Question, choices: Sequence[Choice], context: AskContext) -> Reply:
    """Turn the choices for a question's operations into its answer.

    Raises:
        Refused: A choice is missing, not offered, says nothing, or leaves the schema.
    """
    for choice in choices:
        if choice.kind == "reject" and not is_said(choice.text):
            raise Refused("A rejection needs a reason: an empty one is none.")
    convention, _why = recognise(question.value, question.schema, context)
    answer = convention.answer(question.value, question.schema, choices, context)
    convention.check(question.value, question.schema, answer, context)
    odd: tuple[str, ...] = ()
    if convention is not PLAIN:  # whose answers follow a form here, which the settings or the author gave
        odd = convention.warnings(question.value, question.schema, answer, context)
    pairs = zip(choices, question.operations, strict=False)
    rejects = (operation.explain_rejects for choice, operation in pairs if choice.kind == "explain")
    odd = tuple(dict.fromkeys((*odd, *filter(None, rejects))))
    return Reply(question, answer, tuple(choices), odd)


def reply_with(question: Question, value: Value, context: AskContext) -> Reply:
    """Take a value as the answer, as it is.

    Raises:
        Refused: The asking node could not read it.
    """
    convention, _why = recognise(question.value, question.schema, context)
    convention.check(question.value, question.schema, value, context)
    return Reply(question, value, None, convention.warnings(question.value, question.schema, value, context))


def written_edits(answer: Value) -> Iterator[Choice]:
    """Give the edits that a written answer holds, in LangChain's form and the inbox's, each with its name."""
    if isinstance(answer, list):
        for part in answer:
            yield from written_edits(part)
    elif isinstance(answer, dict) and isinstance(answer.get("decisions"), list):
        yield from written_edits(answer["decisions"])
    elif isinstance(answer, dict) and answer.get("type") == "edit":
        for holder, key in (("edited_action", "name"), ("args", "action")):
            action = answer.get(holder)
            if isinstance(action, dict) and isinstance(action.get(key), str):
                yield Choice("edit", arguments=action.get("args"), name=action[key])


def _carries(answer: Value, text: str) -> bool:
    if isinstance(answer, str):
        return text in answer
    if isinstance(answer, dict):
        return any(_carries(part, text) for part in answer.values())
    if isinstance(answer, list | tuple):
        return any(_carries(part, text) for part in answer)
    return isinstance(answer, Ext) and _carries(answer.data, text)
