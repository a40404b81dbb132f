"""What is said to the terminal itself: its title. Never foreign text."""

from __future__ import annotations

from textual.app import App

SAVE, RESTORE = "\x1b[22;0t", "\x1b[23;0t"
"""xterm's stack of titles: the title of before comes back at the end."""


def title_of(waiting: int, failed: int) -> str:
    """Return the title for a number of waiting and failed threads."""
    counts = [f"{waiting} waiting"] if waiting else []
    counts += [f"{failed} failed"] if failed else []
    return " · ".join((*counts, "agent-lab-tui")) if counts else "agent-lab-tui"


def save_title(app: App[None]) -> None:
    """Ask the terminal to keep the title it has."""
    _write(app, SAVE)


def set_title(app: App[None], title: str) -> None:
    """Set the title of the terminal to words of ours."""
    _write(app, f"\x1b]0;{title}\x07")


def restore_title(app: App[None]) -> None:
    """Give the terminal back the title it had."""
    _write(app, RESTORE)


def _write(app: App[None], sequence: str) -> None:
    """Write a sequence past the screen; Textual has no way of its own to set a title."""
    driver = app._driver
    if driver is not None and not driver.is_headless and not driver.is_web:
        driver.write(sequence)
