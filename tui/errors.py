"""Which exit code each foreseen error has."""

from __future__ import annotations

from .options import Exit


def code_of(error: Exception) -> Exit | None:
    """Return the exit code of a foreseen error, None for one that nobody foresaw."""
    from agent_lab_tui.graph.checks import Stale
    from agent_lab_tui.graph.events import HostError
    from agent_lab_tui.graph.questions import Refused
    from agent_lab_tui.graph.reading import NotFound
    from agent_lab_tui.graph.settings import SettingsError
    from agent_lab_tui.graph.specs import SpecError
    from agent_lab_tui.graph.threads import SeveralCheckpoints
    from agent_lab_tui.store.files import CannotOpen
    from agent_lab_tui.store.journal import JournalError, OutOfTurn, QuestionTaken

    codes: tuple[tuple[type[Exception], Exit], ...] = (
        (Refused, Exit.REFUSED),
        (Stale, Exit.LOST),
        (QuestionTaken, Exit.LOST),
        (OutOfTurn, Exit.LOST),
        (NotFound, Exit.LOST),
        (SeveralCheckpoints, Exit.USAGE),
        (SettingsError, Exit.USAGE),
        (SpecError, Exit.USAGE),
        (CannotOpen, Exit.USAGE),
        (JournalError, Exit.USAGE),
        (HostError, Exit.FAILED),
    )
    return next((code for kind, code in codes if isinstance(error, kind)), None)
