"""NumPy arrays as nested lists, read without NumPy."""

from __future__ import annotations

import math
import struct
from typing import Any, Final

from .raw import Value

_FORMATS: Final = {
    "b1": "?",
    **{f"i{size}": letter for size, letter in ((1, "b"), (2, "h"), (4, "i"), (8, "q"))},
    **{f"u{size}": letter for size, letter in ((1, "B"), (2, "H"), (4, "I"), (8, "Q"))},
    **{f"f{size}": letter for size, letter in ((2, "e"), (4, "f"), (8, "d"))},
}

_MOST_DIMENSIONS: Final = 32


def array_to_json(data: Value) -> Any | None:
    """Give a stored array as nested lists of numbers; None for a kind that has no plain numbers."""
    if not (isinstance(data, list) and len(data) == 4):
        return None
    kind, shape, order, buffer = data
    if not (isinstance(kind, str) and isinstance(shape, list) and isinstance(buffer, bytes)):
        return None
    letter = _FORMATS.get(kind[1:])
    if letter is None or not all(isinstance(size, int) and size >= 0 for size in shape):
        return None
    pattern = struct.Struct((">" if kind[0] == ">" else "<") + letter)
    if len(buffer) != math.prod(shape) * pattern.size:
        return None
    if not buffer or len(shape) > _MOST_DIMENSIONS:
        return [] if not buffer else None
    numbers = [_json_number(number) for (number,) in pattern.iter_unpack(buffer)]
    steps = _steps(shape, is_column_first=order == "F")
    return _nested(numbers, shape, steps, 0)


def _json_number(number: Any) -> Any:
    if isinstance(number, float) and not math.isfinite(number):
        return "NaN" if math.isnan(number) else ("Infinity" if number > 0 else "-Infinity")
    return number


def _steps(shape: list[int], *, is_column_first: bool) -> list[int]:
    """How many numbers lie between neighbours, for each dimension."""
    steps = [1] * len(shape)
    order = range(1, len(shape)) if is_column_first else range(len(shape) - 2, -1, -1)
    for place in order:
        before = place - 1 if is_column_first else place + 1
        steps[place] = steps[before] * shape[before]
    return steps


def _nested(numbers: list[Any], shape: list[int], steps: list[int], start: int) -> Any:
    if not shape:
        return numbers[start]
    return [_nested(numbers, shape[1:], steps[1:], start + steps[0] * place) for place in range(shape[0])]
