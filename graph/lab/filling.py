"""Fill a folder that is there already, and stays the same folder: shells and mounts may stand in it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from .locks import alone_in
from .registry import LabRefused

LAST = "data"
"""What makes a folder a lab: it is moved last, so that nobody opens a part of one."""


@dataclass(frozen=True, slots=True)
class Filling:
    """A folder that is being filled."""

    folder: Path

    @property
    def unfinished(self) -> Path:
        """Where its content is made; what is found here is dropped."""
        return self.folder / ".demo.unfinished"

    @property
    def whole(self) -> Path:
        """Its content when it is whole; what is found here is moved to its place."""
        return self.folder / ".demo.whole"

    def settle(self) -> None:
        """Move what is whole to its place, or drop what never became whole; both can be done again.

        Raises:
            LabRefused: Something else took one of the places.
        """
        if self.unfinished.is_dir():
            shutil.rmtree(self.unfinished)
        if not self.whole.is_dir():
            return
        for path in sorted(self.whole.iterdir(), key=lambda one: (one.name == LAST, one.name)):
            place = self.folder / path.name
            if os.path.lexists(place):
                raise LabRefused(f"{place} is in the way of the demo: move it, then make the demo again.")
            path.rename(place)
        self.whole.rmdir()


@contextmanager
def filling(folder: Path) -> Iterator[Filling]:
    """Hold a folder against others that would fill it, and settle what a killed process left in it.

    Raises:
        LabRefused: Another process fills it now.
    """
    with ExitStack() as held:
        try:
            held.enter_context(alone_in(folder, waits=False))
        except BlockingIOError:
            raise LabRefused(f"Another process makes the demo in {folder} now; wait for it.") from None
        place = Filling(folder)
        place.settle()
        yield place
