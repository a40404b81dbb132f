"""The inks: named styles of the stylesheet, for widgets that draw their own lines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.widget import Widget

if TYPE_CHECKING:
    from ..paper.rows import Piece

INKS = (
    "dim",
    "faint",
    "label",
    "key",
    "atom",
    "strong",
    "accent",
    "warning",
    "error",
    "success",
    "mark",
    "fold",
    "tab",
    "rule",
    "added",
    "removed",
    "cursor",
    "cursor-away",
)
"""Each is `ink--NAME` in app.tcss."""


INK_CLASSES = {f"ink--{name}" for name in INKS}
"""For COMPONENT_CLASSES; Textual inherits those of the first base only."""


class Inked(Widget):
    """Draws pieces of text in the inks of the stylesheet."""

    COMPONENT_CLASSES: ClassVar[set[str]] = INK_CLASSES

    def ink(self, name: str, under: str = "") -> Style:
        """Return the style of an ink, over the ink of the whole line.

        On the line under the cursor there is one colour only, so that everything on it can be read.
        """
        own = self.get_component_rich_style(f"ink--{name}") if name else self.rich_style
        if not under:
            return own
        line = self.get_component_rich_style(f"ink--{under}")
        color = line.color if under == "cursor" or not name else own.color
        return own + Style(color=color, bgcolor=line.bgcolor)

    def segments(self, pieces: Iterable[Piece], under: str = "") -> list[Segment]:
        """Draw pieces, over the ink of the whole line."""
        return [Segment(text, self.ink(name, under)) for text, name in pieces]

    @property
    def room(self) -> int:
        """The cells of a line, without the scrollbar."""
        return self.scrollable_content_region.width
