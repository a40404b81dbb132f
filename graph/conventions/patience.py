"""How long a judgement may take: schemas are foreign, and a pattern of ten characters can cost years."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_END: ContextVar[float] = ContextVar("end of the judgement", default=float("inf"))


class TooCostlyError(Exception):
    """What a schema asks for takes too long; the sentence says what."""


@contextmanager
def patience(seconds: float) -> Iterator[None]:
    """Give what is judged inside so much time of the processor, or what is left of an outer patience."""
    before = _END.set(min(_END.get(), time.thread_time() + seconds))
    try:
        yield
    finally:
        _END.reset(before)


def demand_time() -> None:
    """Refuse to go on where the time is over.

    Raises:
        TooCostlyError: It is.
    """
    if time.thread_time() > _END.get():
        raise TooCostlyError("the value takes too long to judge by its schema")
