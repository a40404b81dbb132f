"""All keys on one page, written from the bindings themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual.app import App
from textual.binding import Binding, BindingType

from ..paper.rows import Row, said
from ..widgets.document import Document
from ..widgets.thread_list import MARKS, ThreadList
from .bindings import DESK
from .viewer import Viewer

COLUMN = 14


def help_rows(app: App[None]) -> list[Row]:
    """Write what the signs mean and what each key does."""
    # Loaded here and not above: the desk's first request must not wait for forms.
    from .form_keys import FormKeys

    rows = [said("Signs", "label")]
    for mark, ink in dict.fromkeys(MARKS.values()):
        meant = ", ".join(situation.value for situation, piece in MARKS.items() if piece == (mark, ink))
        rows.append(Row(((meant, ""),), ((f"  {mark}", ink),), COLUMN))
    parts = (
        ("Desk", DESK),
        ("List", ThreadList.BINDINGS),
        ("Request", Document.BINDINGS),
        ("Form", FormKeys.BINDINGS),
    )
    for title, bindings in parts:
        rows += [Row(), said(title, "label"), *_keys(app, bindings)]
    return rows


def _keys(app: App[None], bindings: Sequence[BindingType]) -> Iterator[Row]:
    for binding in bindings:
        if isinstance(binding, Binding) and (binding.tooltip or binding.description):
            keys = " ".join(app.get_key_display(one) for one in Binding.make_bindings([binding]))
            if binding.key.isdigit():
                if binding.key != "1":
                    continue
                keys, text = "1…9", "Show an operation by its number"
            else:
                text = binding.tooltip or binding.description
            yield said(text, head=((f"  {keys}", "accent"),), indent=COLUMN)


class Help(Viewer):
    """The page that `?` opens."""

    def __init__(self, app: App[None]) -> None:
        super().__init__("Keys", help_rows(app))
