"""Who may decide what: the rules of the settings that name operators."""

from __future__ import annotations

from collections.abc import Sequence

from ..conventions.base import short
from ..settings.file import Settings
from .telling import named


def refusal(operations: Sequence[str], settings: Settings, operator: str, os_user: str) -> str | None:
    """Return why this person may not decide these operations; None when nothing forbids it.

    A rule may name a person by the operator's name, or as `os:ACCOUNT` by what the system vouches for.
    """
    names = [name for name in (operator, os_user) if not name.startswith("os:")] + [f"os:{os_user}"]
    for operation in operations:
        rule = settings.rule_for(operation)
        if rule and not any(map(rule.lets, names)):
            people = ", ".join(rule.operators)
            return f"A rule lets only {people} decide {short(operation)}, not {named(operator, os_user)}."
    return None
