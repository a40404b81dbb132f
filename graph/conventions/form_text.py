"""Text that is typed for JSON and for texts that cannot be seen, read strictly and written to be seen."""

from __future__ import annotations

import json
import math
import re
from typing import Any, NoReturn

_QUOTED = re.compile(r'""|"(?=.*\\)([^"\\]|\\u[0-9a-f]{4}|\\["\\])*"', re.DOTALL)


def is_quoted(text: str) -> bool:
    """Tell whether a text is typed in quotes with an escape in it: so is what cannot be seen, or is empty."""
    return _QUOTED.fullmatch(text) is not None


def unquoted(text: str) -> str:
    """Return the text that was typed in quotes."""
    return str(json.loads(text, strict=False))


def quoted(text: str) -> str:
    """Quote a text, what cannot be seen escaped; at least one character is, by which it is known."""
    inner = _shown(text.replace("\\", "\\\\").replace('"', '\\"'))
    if text and "\\" not in inner:
        inner = f"{_escape(inner[0])}{inner[1:]}"
    return f'"{inner}"'


def json_of(value: Any) -> str:
    """Write a value as JSON on one line, what cannot be seen escaped."""
    return _shown(json.dumps(value, ensure_ascii=False))


def read_json(text: str) -> Any:
    """Read JSON; NaN, infinity and a key given twice are none.

    Raises:
        ValueError: With the cause.
    """
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite)
    except RecursionError:
        raise ValueError("it is nested too deep") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is given twice")
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


def _finite(written: str) -> float:
    number = float(written)
    if not math.isfinite(number):
        raise ValueError("a number is too large")
    return number


def _shown(text: str) -> str:
    """Escape the characters that cannot be seen."""
    return "".join(char if char.isprintable() else _escape(char) for char in text)


def _escape(char: str) -> str:
    return f"\\u{ord(char):04x}" if ord(char) <= 0xFFFF else json.dumps(char)[1:-1]
