"""Objects that people read and write as one line of text: numbers, dates, identifiers, paths."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from pathlib import PurePosixPath, PureWindowsPath
from typing import Final, NamedTuple
from uuid import UUID

from .raw import Ext, Value

HIDDEN: Final = "**********"
"""What stands for a value that its author declared secret."""

_DURATION = re.compile(r"(?:(-?\d+) days?, )?(\d+):(\d\d):(\d\d)(?:\.(\d{1,6}))?")


class Scalar(NamedTuple):
    """How one class of object is shown as a line of text and read back from it."""

    show: Callable[[Value], str]
    """From what the object is made from to text; may raise on an odd payload."""
    read: Callable[[str], Value]
    """From text to what the object is made from; raises ValueError."""


def shown(value: Ext) -> str | None:
    """Give the one line of an object, or None if it is not of that kind."""
    scalar = _of(value)
    if scalar is None:
        return None
    try:
        return scalar.show(value.fields)
    except (ValueError, TypeError, ArithmeticError, LookupError, AttributeError):
        return None


def reread(text: str, like: Ext) -> Ext:
    """Make an object of the same class from an edited line.

    Raises:
        ValueError: the text is none of that class.
    """
    scalar = _of(like)
    if scalar is None:
        raise ValueError(f"A {like.name} cannot be written as text.")
    try:
        fields = scalar.read(text)
    except (ValueError, ArithmeticError) as error:
        raise ValueError(f"{text!r} is not a {like.name}.") from error
    return Ext(like.code, [*like.data[:2], fields, *like.data[3:]])


def _of(value: Ext) -> Scalar | None:
    return _SCALARS.get((value.module or "", value.name or ""))


def _decimal(text: str) -> str:
    try:
        return str(Decimal(text.strip()))
    except InvalidOperation as error:
        raise ValueError(text) from error


def _duration_fields(text: str) -> list[int]:
    if not (found := _DURATION.fullmatch(text.strip())):
        raise ValueError(text)
    days, hours, minutes, seconds, fraction = found.groups()
    span = timedelta(int(days or 0), int(seconds), int((fraction or "0").ljust(6, "0")), 0, int(minutes))
    span += timedelta(hours=int(hours))
    return [span.days, span.seconds, span.microseconds]


def _time_text(fields: dict[str, Value]) -> str:
    if fields["tzinfo"] is not None or fields["fold"]:
        raise ValueError("a time with a zone is shown by its fields")
    return time(fields["hour"], fields["minute"], fields["second"], fields["microsecond"]).isoformat()


def _time_fields(text: str) -> dict[str, Value]:
    found = time.fromisoformat(text.strip())
    if found.tzinfo is not None:
        raise ValueError("a time with a zone is written by its fields")
    clock = {name: getattr(found, name) for name in ("hour", "minute", "second", "microsecond")}
    return {**clock, "tzinfo": None, "fold": 0}


def _date_fields(text: str) -> list[int]:
    found = date.fromisoformat(text.strip())
    return [found.year, found.month, found.day]


def _checked(check: Callable[[str], object]) -> Scalar:
    """A class whose one argument is its text."""
    return Scalar(lambda text: _text(text, check), lambda text: str(check(text.strip())))


def _text(text: Value, check: Callable[[str], object]) -> str:
    if not isinstance(text, str):
        raise TypeError("not a text")
    check(text)
    return text


_POSIX = Scalar(lambda parts: str(PurePosixPath(*parts)), lambda text: list(PurePosixPath(text).parts))
_WINDOWS = Scalar(lambda parts: str(PureWindowsPath(*parts)), lambda text: list(PureWindowsPath(text).parts))

_SCALARS: Final[dict[tuple[str, str], Scalar]] = {
    ("decimal", "Decimal"): Scalar(lambda text: _text(text, Decimal), _decimal),
    ("uuid", "UUID"): Scalar(lambda digits: str(UUID(digits)), lambda text: UUID(text.strip()).hex),
    ("datetime", "datetime"): Scalar(
        lambda text: _text(text, datetime.fromisoformat),
        lambda text: datetime.fromisoformat(text.strip()).isoformat(),
    ),
    ("datetime", "date"): Scalar(lambda parts: date(*parts).isoformat(), _date_fields),
    ("datetime", "time"): Scalar(_time_text, _time_fields),
    ("datetime", "timedelta"): Scalar(lambda parts: str(timedelta(*parts)), _duration_fields),
    **{
        ("ipaddress", check.__name__): _checked(check)
        for check in (
            ipaddress.IPv4Address,
            ipaddress.IPv4Interface,
            ipaddress.IPv4Network,
            ipaddress.IPv6Address,
            ipaddress.IPv6Interface,
            ipaddress.IPv6Network,
        )
    },
    **{
        (module, name): form
        for module in ("pathlib", "pathlib._local")
        for name, form in (
            ("Path", _POSIX),
            ("PosixPath", _POSIX),
            ("PurePosixPath", _POSIX),
            ("WindowsPath", _WINDOWS),
            ("PureWindowsPath", _WINDOWS),
        )
    },
    ("pydantic.types", "SecretStr"): Scalar(lambda _: HIDDEN, str),
    ("pydantic.types", "SecretBytes"): Scalar(lambda _: HIDDEN, str.encode),
}
"""By the module and the class that the data names; the classes used here are ours, never looked up."""
