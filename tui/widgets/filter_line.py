"""The line on which it is typed what the list shows."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widgets import Input


class FilterLine(Input):
    """Narrows the list while it is typed; the footer says how it ends."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Keep the filter", id="filter.keep", tooltip="Back to the list, narrowed"),
        Binding("escape", "screen.back", "Show all", id="filter.clear", tooltip="Back to all threads"),
    ]
