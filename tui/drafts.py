"""What the operator has chosen or half typed; it stays with its question until that is sent or gone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from agent_lab_tui.graph.questions import Choice, Operation, Question

if TYPE_CHECKING:
    from agent_lab_tui.graph.reading.reader import Thread

    from .form_draft import FormDraft

RECENT = 6
"""Reasons and messages that are remembered."""
ItemKey = tuple[str, int]
"""Digest of the question, number of the operation in it."""


@dataclass(frozen=True, slots=True)
class Item:
    """One operation of one question: what is decided with one key."""

    question: Question
    index: int

    @property
    def operation(self) -> Operation:
        """The operation itself."""
        return self.question.operations[self.index]

    @property
    def key(self) -> ItemKey:
        """The same as long as the question shows the same."""
        return self.question.digest, self.index


def items_of(thread: Thread) -> tuple[Item, ...]:
    """List the operations of all questions of a thread."""
    return tuple(
        Item(question, index) for question in thread.questions for index in range(len(question.operations))
    )


@dataclass(slots=True)
class Drafts:
    """Choices that are not sent yet, and texts that are not finished."""

    _choices: dict[ItemKey, Choice] = field(default_factory=dict)
    _values: dict[str, Any] = field(default_factory=dict)
    _texts: dict[tuple[ItemKey, str], str] = field(default_factory=dict)
    _forms: dict[tuple[ItemKey, str], FormDraft] = field(default_factory=dict)
    _last: dict[str, Choice] = field(default_factory=dict)
    _recent: dict[str, list[str]] = field(default_factory=dict)

    def choose(self, item: Item, choice: Choice) -> None:
        """Keep the choice for one operation."""
        self._choices[item.key] = choice
        if choice.kind != "edit":
            self._last[item.operation.name] = choice
        self._values.pop(item.question.digest, None)

    def answer(self, question: Question, value: Any) -> None:
        """Keep an exact value for a whole question, instead of choices."""
        self._values[question.digest] = value

    def take_back(self, item: Item) -> bool:
        """Forget what was chosen for one operation; False when nothing was."""
        had_value = self._values.pop(item.question.digest, self) is not self
        return self._choices.pop(item.key, None) is not None or had_value

    def forget(self, question: Question) -> None:
        """Forget everything about a question that was sent or is gone."""
        self._values.pop(question.digest, None)
        for index in range(len(question.operations)):
            self._choices.pop((question.digest, index), None)
        for key in [key for key in self._texts if key[0][0] == question.digest]:
            del self._texts[key]
        for key in [key for key in self._forms if key[0][0] == question.digest]:
            del self._forms[key]

    def chosen(self, item: Item) -> str | None:
        """Return the kind of choice made for an operation."""
        if item.question.digest in self._values:
            return "value"
        choice = self._choices.get(item.key)
        return choice.kind if choice else None

    def choice(self, item: Item) -> Choice | None:
        """Return the choice made for an operation."""
        return self._choices.get(item.key)

    def last_choice(self, operation: str) -> Choice | None:
        """Return what was chosen last for an operation of this name; edits belong to their own case."""
        return self._last.get(operation)

    def is_decided(self, question: Question) -> bool:
        """Whether every operation of a question has its choice."""
        return all(self.chosen(Item(question, index)) for index in range(len(question.operations)))

    def to_send(self, questions: Sequence[Question]) -> tuple[dict[str, tuple[Choice, ...]], dict[str, Any]]:
        """Return choices and values, by question id, of those questions that are decided."""
        decided = [question for question in questions if self.is_decided(question)]
        values = {q.id: self._values[q.digest] for q in decided if q.digest in self._values}
        choices = {
            q.id: tuple(self._choices[q.digest, index] for index in range(len(q.operations)))
            for q in decided
            if q.digest not in self._values
        }
        return choices, values

    def supposed(self, question: Question) -> tuple[Choice, ...] | None:
        """Return the choices so far, with a yes where none was made; None where a yes is not allowed."""
        made: list[Choice] = []
        for index, operation in enumerate(question.operations):
            choice = self._choices.get((question.digest, index))
            if choice is None and "approve" not in operation.allowed:
                return None
            made.append(choice or Choice("approve"))
        return tuple(made)

    def value(self, question: Question) -> tuple[bool, Any]:
        """Return whether an exact value was given for a question, and which."""
        return question.digest in self._values, self._values.get(question.digest)

    def keep_text(self, item: Item, kind: str, text: str) -> None:
        """Keep a half-typed reason, message, value or edit."""
        self._texts[item.key, kind] = text

    def text(self, item: Item, kind: str) -> str | None:
        """Return what was half typed."""
        return self._texts.get((item.key, kind))

    def keep_form(self, item: Item, kind: str, form: FormDraft) -> None:
        """Keep a half-filled form."""
        self._forms[item.key, kind] = form

    def form(self, item: Item, kind: str) -> FormDraft | None:
        """Return what was half filled in."""
        return self._forms.get((item.key, kind))

    def remember(self, kind: str, text: str) -> None:
        """Remember a finished reason or message, to be offered again."""
        recent = self._recent.setdefault(kind, [])
        if text in recent:
            recent.remove(text)
        recent.insert(0, text)
        del recent[RECENT:]

    def recent(self, kind: str) -> tuple[str, ...]:
        """Return what was said lately, newest first."""
        return tuple(self._recent.get(kind, ()))
