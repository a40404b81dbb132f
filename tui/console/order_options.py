"""The options of every command that decides something."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class How:
    """How a decision is to be made, beside what is decided."""

    seen: str | None = None
    """The digest that `show` printed."""
    is_record_only: bool = False
    wait: float | None = None
    """Seconds; None waits until it is over."""
    again: bool = False
    """The operator knows of an earlier decision about the same."""
    as_json: bool = False


def order_options(command: Command) -> Command:
    """Add the options of `How` to a command; their values go to `How(**options)`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


_OPTIONS = (
    click.option("--seen", metavar="DIGEST", help="Refuse unless the thread is what `show` printed."),
    click.option("--record-only", "is_record_only", is_flag=True, help="Write it down; run nothing."),
    click.option(
        "--wait",
        type=click.FloatRange(min=0),
        metavar="SECONDS",
        help="Wait for the outcome that long (default: until it is over).",
    ),
    click.option("--again", is_flag=True, help="Decide anew although an earlier decision is known."),
    click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON, and nothing else."),
)
