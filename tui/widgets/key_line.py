"""The footer: the keys that mean something now; where there is no room, what matters least is left out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.keys import key_to_character
from textual.widgets import Footer
from textual.widgets._footer import FooterKey

FIRST = ("help", "leave")
"""Actions whose keys always stand there."""
LAST = (
    "filter",
    "choose_graph",
    "travel('inside')",
    "travel('seek')",
    "next",
    "abandon",
    "skip",
    "explain",
    "respond",
    "edit",
)
"""Actions whose keys give way, the first of them first; all of them stand on the help page."""


class KeyLine(Footer):
    """Shows whole keys only; as many as there is room for, in their order."""

    def compose(self) -> ComposeResult:
        """Lay out the keys that have room."""
        keys = [key for key in super().compose() if isinstance(key, FooterKey)]
        yield from fitting([key for key in keys if not self._is_typed(key)], self.size.width)

    def _is_typed(self, key: FooterKey) -> bool:
        """Whether a key goes into the line that is typed on just now."""
        focused, shown = self.screen.focused, key.key_display
        character = shown if len(shown) == 1 else key_to_character(key.key)
        return focused is not None and focused.check_consume_key(key.key, character)

    def on_resize(self) -> None:
        """Choose again for another width."""
        self.call_after_refresh(self.recompose)


def fitting(keys: Sequence[FooterKey], room: int) -> Iterable[FooterKey]:
    """Return the keys that have room beside each other; one that can be used stays before one that cannot."""
    kept = list(keys)
    for key in sorted(keys, key=_weight):
        if sum(map(_cells, kept)) <= room + 1:
            break
        kept.remove(key)
    return kept


def _weight(key: FooterKey) -> int:
    """Return how much a key matters."""
    if key.action in FIRST:
        return 2 * len(LAST) + 2
    weight = LAST.index(key.action) if key.action in LAST else len(LAST)
    return weight if key.has_class("-disabled") else weight + len(LAST) // 2


def _cells(key: FooterKey) -> int:
    """Count the cells of a key, its words and the blanks around them."""
    return cell_len(key.key_display) + cell_len(key.description) + 2
