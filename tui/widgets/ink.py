"""The inks: named styles of the stylesheet, for widgets that draw their own lines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

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
"""Component classes of every screen with inked widgets: styled once there, not once in each widget."""
_NONE = Style()


class Inked(Widget):
    """Draws pieces of text in the inks of its screen, on its own ground."""

    def notify_style_update(self) -> None:
        """Mix the inks again, for another theme or ground."""
        super().notify_style_update()
        self.__dict__.pop("_mixed", None)

    def ink(self, name: str, under: str = "") -> Style:
        """Return the style of an ink, over the ink of the whole line.

        On the line under the cursor there is one colour only, so that everything on it can be read.
        """
        mixed: dict[tuple[str, str], Style] = self.__dict__.setdefault("_mixed", {})
        if (name, under) not in mixed:
            mixed[name, under] = self._mix(name, under)
        return mixed[name, under]

    def _mix(self, name: str, under: str) -> Style:
        style = self.rich_style
        if name:
            style += self._ground(name)
        if not under:
            return style
        line = self._ground(under)
        color = line.color if under == "cursor" or not name else style.color
        return style + Style(color=color, bgcolor=line.bgcolor)

    def _ground(self, name: str) -> Style:
        """Return an ink as the screen has it, with a ground only where the ink has one of its own."""
        key = f"ink--{name}"
        full = self.screen.get_component_rich_style(key, default=_NONE)
        own = self.screen.get_component_rich_style(key, partial=True, default=_NONE)
        ground = full.bgcolor if own.bgcolor is not None else None
        return full.without_color + Style(color=full.color, bgcolor=ground)

    def segments(self, pieces: Iterable[Piece], under: str = "") -> list[Segment]:
        """Draw pieces, over the ink of the whole line."""
        return [Segment(text, self.ink(name, under)) for text, name in pieces]

    @property
    def room(self) -> int:
        """The cells of a line, without the scrollbar."""
        return self.scrollable_content_region.width
