"""Open the screen."""

from __future__ import annotations

from ..options import Options, desk_from


def open_screen(options: Options) -> None:
    """Open the desk on the screen and stay until the operator quits."""
    desk = desk_from(options)
    from ..app import DeskApp

    try:
        DeskApp(desk).run()
    finally:
        desk.close()
