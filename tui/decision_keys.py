"""Which key press may decide: a fresh one, made after the request was painted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

GRACE = 0.5
"""Seconds for which a request must have been on the screen."""
SILENCE = 1.0
"""Seconds without the key before it counts again; a held key first repeats after 0.66 s."""
SECOND = 10.0
"""Seconds within which a key pressed twice confirms."""
BURST = 0.05
"""Seconds within which two keys are one paste or one burst of a terminal."""

_LONG_AGO = float("-inf")


@dataclass(slots=True)
class DecisionKeys:
    """Notes every key press and tells whether the last one may decide. All times in seconds."""

    _last: dict[str, float] = field(default_factory=dict)
    _previous: float = _LONG_AGO
    _at: float = _LONG_AGO
    _is_fresh: bool = False
    _first: tuple[object, float] | None = None
    heard: Callable[[], None] | None = None
    """Called at each key press, before anything reacts to it."""

    def note(self, key: str, at: float) -> None:
        """Note a key press of the terminal, before anything reacts to it."""
        is_held = at - self._last.get(key, _LONG_AGO) < SILENCE
        self._is_fresh = not is_held and at - self._previous >= BURST
        self._last[key] = self._previous = self._at = at
        if self.heard is not None:
            self.heard()

    def why_not(self, painted: float | None) -> str:
        """Say why the last key press does not count; empty when it does.

        Args:
            painted: When the request was painted; None while it is not on the screen yet.
        """
        if painted is None or self._at - painted < GRACE:
            return "too soon: the request had only just appeared"
        if not self._is_fresh:
            return "a held or repeated key decides nothing: let go for a second"
        return ""

    def forget(self) -> None:
        """Forget what was asked for once: another request is in front."""
        self._first = None

    def is_second(self, what: object) -> bool:
        """Tell whether the same was asked for by the fresh key press before this one, not long ago."""
        first = self._first
        is_second = first is not None and first[0] == what and self._at - first[1] <= SECOND
        self._first = None if is_second else (what, self._at)
        return is_second
