"""What a host is started with: its project, its database, the settings."""

from __future__ import annotations

import base64
import pickle
from dataclasses import dataclass

from agent_lab_tui.store.files import Database

from .settings import Settings
from .specs import Project


@dataclass(frozen=True, slots=True)
class Opening:
    """The first thing that the desk sends.

    Pickled, because settings hold whatever TOML can say (dates, nested tables) and the socket pair is private
    to the desk and the process it started: nobody else can write into it.
    """

    project: Project
    database: Database
    settings: Settings

    def to_text(self) -> str:
        """Return it as text for one frame."""
        return base64.b64encode(pickle.dumps(self)).decode("ascii")

    @classmethod
    def from_text(cls, text: str) -> Opening:
        """Return the opening that `to_text` was called on."""
        opening = pickle.loads(base64.b64decode(text))  # noqa: S301 - from the process that started this one
        if not isinstance(opening, cls):
            raise TypeError("the first frame must hold an opening")
        return opening
