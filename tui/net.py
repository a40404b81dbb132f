"""The second net: whatever a widget lets through, no harmful character reaches the terminal."""

from __future__ import annotations

import unicodedata

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

HARMFUL = frozenset(("Cc", "Cf", "Cs", "Co", "Zl", "Zp"))
"""Unicode categories: control, format, surrogate, private use, line and paragraph separators."""


class Net(LineFilter):
    """Replaces control, format and private characters in every line that is drawn."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002 - Textual's
        """Return the segments with each harmful character replaced; Textual's own controls stay."""
        return [
            segment
            if segment.control or segment.text.isprintable()
            else Segment(harmless(segment.text), segment.style)
            for segment in segments
        ]


def harmless(text: str) -> str:
    """Replace each harmful character by the replacement character, so that widths stay as they are drawn."""
    return "".join("\ufffd" if unicodedata.category(char) in HARMFUL else char for char in text)
