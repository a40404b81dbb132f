"""Compare two long texts word by word, or line by line where they are longer still (pure)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

WORDS = 2_000
"""Texts whose differing middles have at most this many words are compared by word."""
LINES = 2_000
"""Beyond that many differing lines the middles stand beside each other whole."""

_WORD = re.compile(r"\w+|\s+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Stretch:
    """A run of text that stands on both sides, or on one."""

    kind: Literal["same", "removed", "added"]
    text: str


def stretches(before: str, after: str) -> tuple[Stretch, ...]:
    """Split two texts into what they share, what is gone and what is new, in reading order."""
    start = _shared(before, after)
    end = _shared(before[start:][::-1], after[start:][::-1])
    start, end = _at_word(before, start), _at_word(before[::-1], end)
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    head = [Stretch("same", before[:start])] if start else []
    tail = [Stretch("same", before[len(before) - end :])] if end else []
    return (*head, *_middle(old, new), *tail)


def _middle(old: str, new: str) -> Iterator[Stretch]:
    old_parts, new_parts = _WORD.findall(old), _WORD.findall(new)
    if max(len(old_parts), len(new_parts)) > WORDS:
        old_parts, new_parts = old.splitlines(keepends=True), new.splitlines(keepends=True)
    if max(len(old_parts), len(new_parts)) > LINES:
        old_parts, new_parts = [old], [new]
    for tag, a, a_end, b, b_end in SequenceMatcher(None, old_parts, new_parts, autojunk=False).get_opcodes():
        if tag == "equal":
            yield Stretch("same", "".join(old_parts[a:a_end]))
            continue
        if a < a_end:
            yield Stretch("removed", "".join(old_parts[a:a_end]))
        if b < b_end:
            yield Stretch("added", "".join(new_parts[b:b_end]))


def _shared(one: str, other: str) -> int:
    """Count the characters that two texts share at their beginning."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _at_word(text: str, length: int) -> int:
    """Shorten a shared beginning so that it does not end inside a word."""
    if length >= len(text) or not (text[length].isalnum() and length and text[length - 1].isalnum()):
        return length
    while length and text[length - 1].isalnum():
        length -= 1
    return length
