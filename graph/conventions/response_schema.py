"""LangGraph's own typed questions: the interrupt carries the JSON schema of its answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..questions import EXPLAIN_UNKNOWN, Choice, ChoiceKind, Operation, Refused, Value
from .base import AskContext, Schema, one_choice_each
from .forms import AnswerForm, build, earlier_forms, offered, settings_forms, with_explain
from .payload import read
from .plain import PLAIN
from .proposals import REASON_KEYS, tone_of
from .schemas import branches, constant, misfit, resolved, unusable
from .templates import Form, Gap

_SOURCE = "the response schema"
_TRIALS = ("?", "A few words that are long enough for most limits.")
"""Stand for the operator's words when a form is tried against the schema."""


class ResponseSchema:
    """Questions with a schema for their answer; the answer is a filled form."""

    name = "response-schema"
    about = (
        "The question carries a schema of its answer, which the desk shows as a form: what is sent fits the "
        "schema, in its types."
    )

    def recognise(self, value: Value, schema: Schema, context: AskContext) -> str | None:
        """Recognise it by a schema that can be used."""
        if schema is None or unusable(schema):
            return None
        title = schema.get("title")
        named = f" {title}" if isinstance(title, str) and title else ""
        return f"typed, because LangGraph gives a response schema{named}"

    def operations(self, value: Value, schema: Schema, context: AskContext) -> tuple[Operation, ...]:
        """Read one operation by the payload's usual keys; offer what a fitting form is known for."""
        operation = read(value, context.node, context.messages)
        forms = _forms(schema or {}, operation, context)
        rejects = "explain" in forms and forms["explain"] is forms.get("reject")
        return (
            replace(operation, allowed=offered(forms), explain_rejects=EXPLAIN_UNKNOWN if rejects else ""),
        )

    def answer(self, value: Value, schema: Schema, choices: Sequence[Choice], context: AskContext) -> Value:
        """Fill the form that is known for the choice, and hold it against the schema."""
        operations = self.operations(value, schema, context)
        one_choice_each(choices, operations)
        forms = _forms(schema or {}, operations[0], context)
        answer = build(forms, operations[0], choices[0], context)
        self.check(value, schema, answer, context)
        return answer

    def check(self, value: Value, schema: Schema, answer: Value, context: AskContext) -> None:
        """Refuse what does not fit the schema, numbers as text included."""
        if what := misfit(schema or {}, answer):
            raise Refused(f"The answer does not fit its schema: {what}.")
        PLAIN.check(value, schema, answer, context)

    def warnings(self, value: Value, schema: Schema, answer: Value, context: AskContext) -> tuple[str, ...]:
        """Warn of nothing: the schema has judged."""
        return ()


PlainForms = dict[ChoiceKind, AnswerForm]


def _forms(schema: Mapping[str, Any], operation: Operation, context: AskContext) -> PlainForms:
    """Return the forms that fit: those of agent-lab.toml, of the schema itself, of earlier answers.

    Each is tried with the arguments as they stand; one that cannot fit the schema is not offered.
    """
    shown = {kind: AnswerForm(form, _SOURCE) for kind, form in _shown_forms(schema).items()}
    forms = {**earlier_forms(context), **shown, **settings_forms(context)}
    return with_explain(
        {kind: form for kind, form in forms.items() if _fits(schema, kind, form, operation, context)}
    )


def _fits(
    schema: Mapping[str, Any], kind: ChoiceKind, form: AnswerForm, operation: Operation, context: AskContext
) -> bool:
    trials = [Choice(kind, arguments=operation.arguments, text=words) for words in _TRIALS]
    try:
        return any(misfit(schema, build({kind: form}, operation, trial, context)) is None for trial in trials)
    except Refused:
        return False


def _shown_forms(schema: Mapping[str, Any]) -> dict[ChoiceKind, Form]:
    """Return the yes, the no and the message that a schema has just one place for."""
    forms: dict[ChoiceKind, Form] = {}
    for branch in branches(schema, schema):
        if branch.get("type") == "string" and "enum" not in branch and "const" not in branch:
            forms.setdefault("respond", Gap(("message",)))
        for form in _tone_forms(branch, schema):
            kind: ChoiceKind | None = _tone(form)
            if kind is not None:
                forms.setdefault(kind, form)
    return forms


def _tone_forms(branch: Mapping[str, Any], root: Mapping[str, Any]) -> list[Form]:
    """Return the yes and the no of one branch: plain ones, or an object with one key that says it."""
    properties = branch.get("properties")
    if not isinstance(properties, Mapping):
        return _tone_values(branch)
    values = {key: _tone_values(resolved(inner, root)) for key, inner in properties.items()}
    saying = [key for key, found in values.items() if any(tone_of({key: one}) for one in found)]
    if len(saying) != 1:
        return []
    words = [key for key in REASON_KEYS if _is_text(properties.get(key), root)]
    required = branch.get("required") or ()
    forms: list[Form] = []
    for one in values[saying[0]]:
        form: dict[str, Form] = {saying[0]: one}
        if words and tone_of(form) == "reject":
            form[words[0]] = Gap(("reason",))
        if all(key in form for key in required):
            forms.append(form)
    return forms


def _tone(form: Form) -> ChoiceKind | None:
    if not isinstance(form, dict):
        return tone_of(form)
    return tone_of({key: inner for key, inner in form.items() if not isinstance(inner, Gap)})


def _tone_values(schema: Mapping[str, Any]) -> list[Value]:
    """Return the values of a schema that can say yes or no."""
    if schema.get("type") == "boolean":
        return [True, False]
    fixed = constant(schema)
    listed = schema.get("enum") if fixed is None else [fixed]
    return [one for one in listed if tone_of(one)] if isinstance(listed, list) else []


def _is_text(schema: Any, root: Mapping[str, Any]) -> bool:
    return any(branch.get("type") == "string" for branch in branches(resolved(schema, root), root))
