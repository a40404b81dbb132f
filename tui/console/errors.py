"""Which exit code each foreseen error has."""

from __future__ import annotations

from ..options import Exit


def code_of(error: Exception) -> Exit | None:
    """Return the exit code of a foreseen error, None for one that nobody foresaw."""
    from agent_lab_tui.graph.deciding.checks import Stale
    from agent_lab_tui.graph.hosting.events import HostError
    from agent_lab_tui.graph.questions import Refused
    from agent_lab_tui.graph.reading.reader import NotFound
    from agent_lab_tui.graph.reading.threads import SeveralCheckpoints
    from agent_lab_tui.graph.settings.file import SettingsError
    from agent_lab_tui.graph.settings.specs import SpecError
    from agent_lab_tui.store.files import CannotOpen
    from agent_lab_tui.store.journal.book import JournalError, OutOfTurn, QuestionTaken

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
