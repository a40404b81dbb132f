"""JSON that a person typed, on the command line and in the screen's editor: read strictly, or refused."""

from __future__ import annotations

import json
import math
from typing import Any, Final, NoReturn

from .visible import cut, visible

DEEPEST: Final = 200
"""Levels that are read; neither a checkpoint nor a person holds more."""


class NotJson(Exception):
    """A text is no JSON, or says one thing twice; in one sentence what and where.

    Attributes:
        line: of the error, from 0.
        column: from 0.
    """

    def __init__(self, what: str, text: str, place: int) -> None:
        before = text[: max(place, 0)]
        self.line, self.column = before.count("\n"), len(before) - before.rfind("\n") - 1
        super().__init__(f"Line {self.line + 1}, column {self.column + 1}: {what}.")


class _Odd(Exception):
    """What is odd about a part of a text, and the part as it is written."""


def parse(text: str) -> Any:
    """Read JSON that was typed.

    Raises:
        NotJson: It is none, gives a key twice, or holds a number that JSON or a checkpoint has no form for.
    """
    try:
        value = json.loads(
            text,
            object_pairs_hook=_unique,
            parse_constant=_no_constant,
            parse_float=_finite,
            parse_int=_whole,
        )
    except json.JSONDecodeError as error:
        what = f"{error.msg[0].lower()}{error.msg[1:]}"
        raise NotJson(what, text, error.pos) from None
    except _Odd as odd:
        what, part = odd.args
        raise NotJson(what, text, text.rfind(part)) from None
    except RecursionError:
        raise _too_deep(text) from None
    if _is_deep(value):
        raise _too_deep(text)
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, part in pairs:
        if key in found:
            written = json.dumps(key, ensure_ascii=False)
            raise _Odd(f"the key {cut(visible(written), 40)} is given twice", written)
        found[key] = part
    return found


def _no_constant(name: str) -> NoReturn:
    raise _Odd(f"{name} is no JSON", name)


def _finite(written: str) -> float:
    number = float(written)
    if not math.isfinite(number):
        raise _Odd(f"{cut(written, 40)} is more than a number can hold", written)
    return number


def _whole(written: str) -> int:
    try:
        return int(written)
    except ValueError:  # of more digits than Python reads
        raise _Odd(f"a number of {len(written)} digits is more than can be read", written) from None


def _too_deep(text: str) -> NotJson:
    return NotJson(f"it is nested deeper than {DEEPEST} levels", text, 0)


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(DEEPEST):
        level = [
            part
            for outer in level
            if isinstance(outer, dict | list)
            for part in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return False
    return True
