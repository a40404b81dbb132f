"""What counts as said: words that a person can see, and text that can be kept."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from agent_lab_tui.store.values import Ext, Value, encode

from ..questions import Refused

_UNSEEN = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zs", "Zl", "Zp", "Mn", "Me"))
"""Categories that draw nothing by themselves."""
_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0\U0001d159")
"""Letters and signs by category that are drawn as nothing."""
_HALF = re.compile("[\ud800-\udfff]")


def is_said(text: str) -> bool:
    """Tell whether a text has anything in it that can be seen."""
    return any(unicodedata.category(char) not in _UNSEEN and char not in _BLANK for char in text)


def demand_text(*parts: Any) -> None:
    """Refuse what holds half of a character anywhere: no file keeps it, and it would be sent as another.

    Raises:
        Refused: It does.
    """
    waiting = list(parts)
    while waiting:
        part = waiting.pop()
        if isinstance(part, str):
            if _HALF.search(part):
                raise Refused(
                    f"{part[:40]!r} holds bytes that are no text, or half a character: write it in UTF-8."
                )
        elif isinstance(part, Mapping):
            waiting += (*part.keys(), *part.values())
        elif isinstance(part, list | tuple):
            waiting += part
        elif isinstance(part, Ext):
            waiting.append(part.data)


def as_kept(value: Value) -> bytes:
    """Return the bytes in which an answer is kept and sent.

    Raises:
        Refused: They would not be what was given: a number beyond 64 bits, half a character, too many levels.
    """
    demand_text(value)
    try:
        return encode(value)
    except ValueError as error:
        raise Refused(str(error)) from None
