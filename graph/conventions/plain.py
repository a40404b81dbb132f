"""A question in the author's own words: any value, and any value may be the answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ..deciding.said import as_kept
from ..questions import EXPLAIN_UNKNOWN, Choice, Operation, Refused, Value
from .base import AskContext, Schema, one_choice_each
from .forms import build, known_forms, offered
from .payload import read
from .proposals import unlike_earlier

_INTERRUPT_ID = re.compile(r"[0-9a-f]{32}")


class Plain:
    """Questions in no known form; what they expect is told by agent-lab.toml or by earlier answers."""

    name = "plain"
    about = (
        "The agent asks in its own way and the answer is sent exactly as it is written; what it expects is "
        "known only from agent-lab.toml, from earlier answers at this node, or from its author."
    )

    def recognise(self, value: Value, schema: Schema, context: AskContext) -> str | None:
        """Take every question that nobody else took."""
        if schema is not None:
            return "plain, because its response schema cannot be used"
        return "plain, because it has no known form"

    def operations(self, value: Value, schema: Schema, context: AskContext) -> tuple[Operation, ...]:
        """Read one operation by the payload's usual keys; offer only the choices whose form is known."""
        operation = read(value, context.node, context.messages)
        forms = known_forms(context)
        rejects = "explain" in forms and forms["explain"] is forms.get("reject")
        return (
            replace(operation, allowed=offered(forms), explain_rejects=EXPLAIN_UNKNOWN if rejects else ""),
        )

    def answer(self, value: Value, schema: Schema, choices: Sequence[Choice], context: AskContext) -> Value:
        """Fill the form that is known for the choice."""
        operations = self.operations(value, schema, context)
        one_choice_each(choices, operations)
        answer = build(known_forms(context), operations[0], choices[0], context)
        self.check(value, schema, answer, context)
        return answer

    def check(self, value: Value, schema: Schema, answer: Value, context: AskContext) -> None:
        """Refuse only what cannot be stored, or cannot be sent in the plain form."""
        as_kept(answer)
        if context.plain_only and (answer is None or _is_id_map(answer)):
            raise Refused(
                "This question can only be answered in LangGraph's plain form, which takes null, "
                "an empty object and an object of interrupt ids for no answer."
            )

    def warnings(self, value: Value, schema: Schema, answer: Value, context: AskContext) -> tuple[str, ...]:
        """Warn of an answer in another shape than all earlier ones."""
        warning = unlike_earlier(answer, context.answers_given)
        return (warning,) if warning else ()


PLAIN = Plain()
"""What other conventions share of it."""


def _is_id_map(answer: Value) -> bool:
    return isinstance(answer, dict) and all(
        isinstance(key, str) and _INTERRUPT_ID.fullmatch(key) for key in answer
    )
