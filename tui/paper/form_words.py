"""What is said about the inputs of a form: what each takes, its limits, what leaving it out means."""

from __future__ import annotations

import json

from agent_lab_tui.graph.conventions.form import ABSENT, Field
from agent_lab_tui.graph.conventions.form_entry import Entry
from agent_lab_tui.graph.conventions.form_input import option_texts

from ..visible import visible

_KINDS = {
    "text": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "constant": "fixed",
    "object": "",
    "list": "list",
    "json": "JSON",
}


def label_of(entry: Entry) -> str:
    """Name an input, visible; a star says that it must be filled in."""
    field = entry.field
    if entry.is_element:
        return f"{int(str(entry.path[-1])) + 1}"
    name = visible(field.label or "answer")
    is_needed = field.is_required and field.default is ABSENT and field.kind not in ("constant", "object")
    return f"{name} *" if is_needed and not field.is_nullable and field.kind != "list" else name


def hint_of(entry: Entry) -> str:
    """Say in a few visible words what an input takes; its description where that needs no words."""
    field = entry.field
    has_options = field.kind in ("boolean", "choice", "variant") and not entry.takes_json
    kind = "" if has_options else kind_of(entry)
    parts = [kind, visible(field.limits), "" if has_options else _left_out(field)]
    return ", ".join(filter(None, parts)) or visible(field.description).replace("\n", " ")


def help_of(entry: Entry) -> str:
    """Say all there is to say about an input, visible: what it takes, which keys help, what it is for."""
    field = entry.field
    parts = (kind_of(entry), visible(field.limits), _left_out(field))
    return " · ".join(
        filter(None, (", ".join(filter(None, parts)), keys_of(entry), visible(field.description)))
    )


def kind_of(entry: Entry) -> str:
    """Name what an input takes."""
    field = entry.field
    if entry.takes_json:
        return "JSON"
    if field.kind in ("choice", "variant"):
        count = len(field.options) if field.kind == "choice" else len(field.fields)
        return f"one of {count}"
    if field.kind == "list" and field.element is not None and field.element.kind in _KINDS:
        inner = _KINDS[field.element.kind]
        return f"list of {inner}" if inner else "list"
    return _KINDS.get(field.kind, "")


def _left_out(field: Field) -> str:
    if field.kind == "constant":
        return ""
    if field.default is not ABSENT and field.default not in (None, [], {}):
        return f"left out: {visible(json.dumps(field.default, ensure_ascii=False))}"
    if field.is_required and field.default is ABSENT:
        return "or null" if field.is_nullable else ""
    return "optional"


def keys_of(entry: Entry) -> str:
    """Say which keys mean something at an input, beside typing."""
    field = entry.field
    keys = []
    if field.kind == "text" and not entry.takes_json:
        keys.append('"" is an empty text')
    if field.is_nullable:
        keys.append("F4 null")
    if field.kind == "list":
        keys.append("F7 adds an element")
    if entry.is_element:
        keys.append("F7 adds one · F8 removes this one")
    elif not field.is_required and field.kind in ("list", "variant", "boolean", "choice"):
        keys.append("F8 leaves it out")
    return " · ".join(keys)


def option_labels(field: Field) -> tuple[str, ...]:
    """Return what the options of a choice, or the forms of a variant, are called; visible."""
    if field.kind == "choice":
        return tuple(visible(text) for text in option_texts(field))
    names = [visible(one.label or one.kind) for one in field.fields]
    if len(set(names)) == len(names):
        return tuple(names)
    return tuple(f"{place} {name}" for place, name in enumerate(names, 1))
