"""Which choices a question in no fixed form can be answered with, and by which form of answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ..questions import Choice, ChoiceKind, Operation, Refused, Value
from .base import AskContext, edited_arguments, locked_by_rule, same, short
from .proposals import Tone, form_of
from .templates import Form, carried_arguments, carries_words, compile_form, fill, gaps

_ORDER: tuple[ChoiceKind, ...] = ("approve", "edit", "reject", "respond", "explain")
_TONES: tuple[Tone, ...] = ("approve", "reject")


@dataclass(frozen=True, slots=True)
class AnswerForm:
    """The form of the answer for one kind of choice, and who says so."""

    form: Form
    source: str


Forms = Mapping[ChoiceKind, AnswerForm]


def known_forms(context: AskContext) -> dict[ChoiceKind, AnswerForm]:
    """Return the forms that agent-lab.toml gives for the node, then those that earlier answers show."""
    return with_explain({**earlier_forms(context), **settings_forms(context)})


def settings_forms(context: AskContext) -> dict[ChoiceKind, AnswerForm]:
    """Return the forms that agent-lab.toml gives for the node.

    A form is left out where it would lose what the operator says: an edit without a place for arguments, a
    response or an explanation without one for words.
    """
    forms: dict[ChoiceKind, AnswerForm] = {}
    templates = context.settings.templates(context.graph, context.node)
    for kind in _ORDER:
        if kind in templates:
            form = compile_form(templates[kind])
            if not loses(kind, form):
                forms[kind] = AnswerForm(form, "agent-lab.toml")
    return forms


def earlier_forms(context: AskContext) -> dict[ChoiceKind, AnswerForm]:
    """Return the yes and the no that can be said as they were said before at this node."""
    forms: dict[ChoiceKind, AnswerForm] = {}
    for tone in _TONES:
        earlier = (form_of(answer, tone) for answer in context.answers_given)
        if (form := next((found for found in earlier if found is not None), None)) is not None:
            forms[tone] = AnswerForm(form, "an earlier answer")
    return forms


def with_explain(forms: dict[ChoiceKind, AnswerForm]) -> dict[ChoiceKind, AnswerForm]:
    """Let a rejection that carries its reason carry a question too, where there is no form for one."""
    if "explain" not in forms and "reject" in forms and carries_words(forms["reject"].form):
        forms["explain"] = forms["reject"]
    return forms


def loses(kind: str, form: Form) -> str:
    """Say what of an operator's choice a form would lose; "" when it can carry all of it.

    A reason may be lost: it stays in the journal.
    """
    if kind == "edit" and not any(gap.path[0] == "arguments" for gap in gaps(form)):
        return "it has no place for the edited arguments, such as {arguments}"
    if kind in ("respond", "explain") and not carries_words(form):
        return "it has no place for the operator's words, such as {message}"
    if kind == "approve" and carries_words(form):
        return "an approval has no words to put into {reason} or {message}"
    return ""


def offered(forms: Forms) -> tuple[ChoiceKind, ...]:
    """Return the kinds of choice that have a form, in the usual order."""
    return tuple(kind for kind in _ORDER if kind in forms)


def build(forms: Forms, operation: Operation, choice: Choice, context: AskContext) -> Value:
    """Return the answer for an allowed choice.

    Raises:
        Refused: The form has no place for what was edited, or names an argument that is not there.
    """
    form = forms[choice.kind].form
    if choice.kind != "edit":
        return fill(form, choice.text, operation.arguments)
    if choice.name not in (None, operation.name):
        raise Refused(f"An answer to {short(operation.name)} cannot turn it into {short(str(choice.name))}.")
    locked = replace(operation, locked=locked_by_rule(operation.name, context.settings))
    arguments = edited_arguments(locked, choice)
    _refuse_loss(form, operation, arguments)
    return fill(form, choice.text, arguments)


def _refuse_loss(form: Form, operation: Operation, arguments: Value) -> None:
    """Refuse an edit of arguments that the form has no place for."""
    carried = carried_arguments(form)
    if carried is None or not (isinstance(arguments, dict) and isinstance(operation.arguments, dict)):
        return
    old = operation.arguments
    changed = [key for key in {*old, *arguments} if not (key in old and key in arguments)]
    changed += [key for key in old if key in arguments and not same(old[key], arguments[key])]
    if lost := sorted(str(key) for key in changed if key not in carried):
        names = ", ".join(f"`{short(name)}`" for name in lost)
        raise Refused(f"The answer form for an edit has no place for {names}: the change would be lost.")
