"""The only door through which foreign text reaches the screen: nothing takes effect, all of it is seen."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from rich.cells import cell_len, get_character_cell_size

BLANKS = 8
"""From this many blanks on, a run is counted instead of drawn: a tail must not be pushed out of sight."""
INDENT = 40
"""A block's lines may begin with this many blanks, less one, as code does."""
REPEATS = 4
"""From this many equal marks on, a run is counted."""
STACK = 5
"""A character carries this many combining marks; more would run over its neighbours."""

_NAMES = {
    "\x85": "NEL", "\x9b": "CSI", "\x9d": "OSC", "\x90": "DCS", "\x9c": "ST",
    "\xad": "SHY", "\u034f": "CGJ", "\u061c": "ALM", "\u180e": "MVS",
    "\u200b": "ZWSP", "\u200c": "ZWNJ", "\u200d": "ZWJ", "\u200e": "LRM", "\u200f": "RLM",
    "\u2028": "LS", "\u2029": "PS",
    "\u202a": "LRE", "\u202b": "RLE", "\u202c": "PDF", "\u202d": "LRO", "\u202e": "RLO",
    "\u202f": "NNBSP", "\u2060": "WJ",
    "\u2066": "LRI", "\u2067": "RLI", "\u2068": "FSI", "\u2069": "PDI",
    "\ufe0e": "VS15", "\ufe0f": "VS16", "\ufeff": "BOM",
}  # fmt: skip
_HIDDEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U0001d159"
    "\U0001f3fb-\U0001f3ff\U000e0100-\U000e01ef]"
)
"""Letters and marks by category that draw nothing, or change the width of what stands before them."""
_TOKEN = re.compile(
    r"(?P<plain>[!-~¡-¬®-ɏЀ-ҁぁ-ゖァ-ヺ一-鿿가-힣]+(?: {1,7}[!-~]+)*)"
    r"|(?P<blanks> +)|(?P<lines>\n+)|(?P<other>(.)\5*)",
    re.DOTALL,
)


def visible(text: str) -> str:
    """Show a foreign text on one line, each control, format, hidden or private character as a mark."""
    if text.isascii() and text.isprintable() and " " * BLANKS not in text:
        return text
    return "".join(piece for piece, _ in pieces(text))


def visible_block(text: str) -> str:
    """Show a foreign text of several lines: as `visible`, but a line feed breaks the line."""
    return "".join(piece for piece, _ in pieces(text, keeps_lines=True))


def pieces(text: str, *, keeps_lines: bool = False) -> Iterator[tuple[str, bool]]:
    """Split a foreign text into what can be shown, each piece with whether it is a mark of ours.

    Widgets draw the marks in another style, so that a text which merely contains
    such a sign can be told from one which contains what the sign stands for.
    """
    stacked, surplus, has_base, is_line_start = 0, 0, False, True
    for match in _TOKEN.finditer(text):
        run = match[0]
        if match.lastgroup == "other" and _joins(run[0]):
            if not has_base:
                yield "◌", True
                stacked, has_base = 0, True
            kept = min(len(run), STACK - stacked)
            stacked, surplus = stacked + kept, surplus + len(run) - kept
            if kept:
                yield run[:kept], False
            continue
        if surplus:
            yield f"‹+{surplus}›", True
        stacked, surplus = 0, 0
        piece, is_mark = _shown(run, match.lastgroup, keeps_lines, is_line_start)
        yield piece, is_mark
        has_base = not is_mark and not run[-1].isspace()
        is_line_start = match.lastgroup == "lines" and keeps_lines
    if surplus:
        yield f"‹+{surplus}›", True


def _shown(run: str, kind: str | None, keeps_lines: bool, is_line_start: bool) -> tuple[str, bool]:
    """Show one run: equal characters, or plain words."""
    if kind == "plain":
        return run, False
    if kind == "blanks":
        limit = INDENT if keeps_lines and is_line_start else BLANKS
        return (run, False) if len(run) < limit else (f"␠×{len(run)}", True)
    if kind == "lines" and keeps_lines:
        return (run, False) if len(run) < REPEATS else (f"\n␊×{len(run) - 2}\n", True)
    if run[0] == "\u3000":
        return (run, False) if len(run) < BLANKS else (f"␠×{len(run)}", True)
    mark = _mark(run[0])
    if not mark:
        return run, False
    return (mark * len(run) if len(run) < REPEATS else f"{mark}×{len(run)}"), True


@lru_cache(maxsize=4096)
def _mark(char: str) -> str:
    """Name the mark of a character that must not take effect; empty for a harmless one."""
    point, category = ord(char), unicodedata.category(char)
    if point < 0x20:
        return chr(0x2400 + point)
    if point == 0x7F:
        return "␡"
    if char == "\xa0":
        return "⍽"
    is_blank = category == "Zs" and char not in " \u3000"
    if is_blank or category in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") or _HIDDEN.match(char):
        return f"‹{_NAMES.get(char, f'U+{point:04X}')}›"
    return ""


def is_hidden(char: str) -> bool:
    """Tell whether a character takes effect, or is not seen as itself: one that is shown as a mark."""
    return bool(_mark(char))


@lru_cache(maxsize=4096)
def _joins(char: str) -> bool:
    """Tell whether a character is drawn over the one before it."""
    return not _mark(char) and get_character_cell_size(char) == 0


def width(text: str) -> int:
    """Count the terminal cells of a visible text of one line."""
    return cell_len(text)


def cut(text: str, cells: int) -> str:
    """Cut a visible text at its end so that it takes at most `cells`, with `…` where something is missing."""
    if cell_len(text) <= cells:
        return text
    return _head(text, cells - 1) + "…" if cells > 0 else ""


def cut_middle(text: str, cells: int) -> str:
    """Cut a visible text in its middle, keeping a little more of its end than of its beginning."""
    if cell_len(text) <= cells:
        return text
    if cells < 3:
        return cut(text, cells)
    head = _head(text, (cells - 1) // 2)
    return head + "…" + _tail(text, cells - 1 - cell_len(head))


def fit(text: str, cells: int) -> str:
    """Cut or pad a visible text to exactly `cells`."""
    text = cut(text, cells)
    return text + " " * (cells - cell_len(text))


def _head(text: str, cells: int) -> str:
    """Return the longest beginning of at most `cells`, combining marks with their character."""
    taken = 0
    for index, char in enumerate(text):
        taken += get_character_cell_size(char)
        if taken > cells:
            return text[:index]
    return text


def _tail(text: str, cells: int) -> str:
    """Return the longest end of at most `cells` that does not begin with a combining mark."""
    taken, start = 0, len(text)
    for index in range(len(text) - 1, -1, -1):
        size = get_character_cell_size(text[index])
        taken += size
        if taken > cells:
            break
        start = index if size else start
    return text[start:]
