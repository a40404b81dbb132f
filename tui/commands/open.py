"""Open the screen."""

from __future__ import annotations

import gc
import sys
from functools import partial

from ..options import Options, desk_from, fail


def has_terminal() -> bool:
    """Whether a person can see the screen and press keys: Textual reads from one stream, draws on another."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout, sys.__stderr__))


def need_terminal() -> None:
    """End the command where there is no terminal: the screen would stand unseen and never end."""
    if not has_terminal():
        fail("The screen needs a terminal: run it in one, or name a command of `agent-lab-tui --help`.")


def open_screen(options: Options) -> int:
    """Open the desk on the screen and stay until the operator quits.

    Returns:
        The exit code: not 0 where the screen ended by a fault of its own.

    Raises:
        Exception: Whatever kept the desk from being opened; the command line says it in a sentence.
    """
    from ..app import DeskApp

    # What is loaded by now stays: the collector would walk it again and again while the rest is loaded.
    gc.freeze()
    app = DeskApp(partial(desk_from, options))
    try:
        app.run()
    finally:
        app.close()
    if app.failure is not None:
        raise app.failure
    return app.return_code or 0
