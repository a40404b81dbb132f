"""A form that is half filled in, as the operator left it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from agent_lab_tui.graph.conventions.form_input import Typed


@dataclass(frozen=True, slots=True)
class FormDraft:
    """What is typed into a form, or into the JSON in its place."""

    typed: Typed = ""
    json: str | None = None
    """The text of the JSON editor while that is open; None while the form is."""


@dataclass(frozen=True, slots=True)
class FilledIn:
    """A form as it was left, and the value it makes where it is finished."""

    draft: FormDraft
    is_done: bool
    value: Any = None
